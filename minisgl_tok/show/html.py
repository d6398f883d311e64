"""One step of a trace as HTML: a pure function of what was recorded.

Tables and plain marks, so that the picture is still legible where a site or a notebook that
is not yet trusted takes the style away.
"""

from __future__ import annotations

from html import escape

from . import words
from .marks import fault, page, panel, shorten, text, text_words
from .ribbon import KEY, ribbon
from .trace import Step, Trace
from .utf8 import char_length

ROWS = 15  # messages of the table around the current one


def draw(trace: Trace, n: int, *, style: bool = True) -> str:
    """Message n (from 0) of a trace, with all that is known of it."""
    return page(picture(trace, n), style=style)


def picture(trace: Trace, n: int) -> str:
    """What `draw` puts on the page."""
    if not trace.messages:
        return '<p class="soft">No token: there is nothing to stream.</p>'
    if n >= len(trace.steps):
        return head(trace, n) + ribbon(trace, n) + _unreached(trace)
    left = decoded(trace, n) + frontend(trace, n)
    return (
        head(trace, n)
        + ribbon(trace, n)
        + f'<div class="cols"><div>{left}</div><div>{panel("All messages", table(trace, n))}</div></div>'
    )


def _unreached(trace: Trace) -> str:
    error = trace.steps[-1].error if trace.steps else None
    return fault(f"The recording ended at message {len(trace.steps)}: {error}")


def faults(step: Step) -> str:
    """All that went wrong with a step, a line each."""
    wrong = [step.error] if step.error else []
    return "".join(map(fault, wrong)) + "".join(
        f'<p class="say fault">✗ {text_words(one.words)}</p>' for one in step.faults
    )


def head(trace: Trace, n: int) -> str:
    """Which message this is, and in a word what became of it."""
    message = trace.messages[n]
    parts = [
        f"<b>Message {n + 1} of {len(trace.messages)}</b>",
        f"<span>token <code>{message.token}</code></span>",
    ]
    if len(trace.uids) > 1:
        parts.append(f"<span>request {message.uid}</span>")
    together = sum(m.drain == message.drain for m in trace.messages)
    if together > 1:
        parts.append(f'<span class="soft">drain {message.drain + 1}, with {together - 1} more</span>')
    if message.finished:
        parts.append("<span>the last of its request</span>")
    if n < len(trace.steps):
        parts.append(tag(trace.steps[n]))
    parts.append(f'<span class="soft">{escape(trace.manager)}</span>')
    return f'<div class="head">{" ".join(parts)}</div>'


def tag(step: Step) -> str:
    sign, word = words.verdict(step)
    kind = {"✓": "ok", "◌": "wait", "✗": "bad"}[sign]
    return f'<span class="tag {kind}">{sign} {escape(word)}</span>'


# ------------------------------------------------------------------ what was decoded and sent


def decoded(trace: Trace, n: int) -> str:
    """The two windows with their difference, and the sentence that explains it."""
    step = trace.steps[n]
    body = ""
    if step.windows is not None and step.before is not None:
        body = _subtraction(step, step.before.surr, step.before.read)
    elif trace.messages[n].alone:
        body = f'<span class="soft">the token alone decodes to</span> <code>{text(trace.messages[n].alone)}</code>'
    moved = step.before != step.after and step.before and step.after and step.before.read != step.after.read
    body += f'<p class="say{" moved" if moved else ""}">{text_words(words.why(trace, n))}</p>'
    body += faults(step)
    return panel("What is decoded, and what follows from it", body)


def _subtraction(step: Step, surr: int | None, read: int | None) -> str:
    """The windows one under the other, cut where the manager cuts them."""
    windows = step.windows
    assert windows is not None
    cut = len(windows.surr_text)
    same = windows.read_text[:cut]
    differs = "" if same == windows.surr_text else ' <b class="half">≠ the line above</b>'
    rows = [
        (f"ids[{surr}:]", _ctx(same), _new(windows.new_text), ""),
        (f"ids[{surr}:{read}]", _ctx(windows.surr_text), differs, ""),
        ("new text", "", _new(windows.new_text) or '<span class="faint">nothing</span>', ' class="result"'),
    ]
    lines = "".join(
        f"<tr{kind}><th><code>{name}</code></th><td>{a}</td><td>{b}</td></tr>" for name, a, b, kind in rows
    )
    return f'<table class="sub"><tbody>{lines}</tbody></table>'


def _ctx(raw: str) -> str:
    return f'<span class="ctx">{text(shorten(raw))}</span>' if raw else ""


def _new(raw: str) -> str:
    return f'<mark class="new">{text(shorten(raw))}</mark>' if raw else ""


def frontend(trace: Trace, n: int) -> str:
    """What has left so far, the new part marked, and what has not."""
    step = trace.steps[n]
    had = trace.received(n)
    kind = ' class="bad"' if step.faults and step.delta else ""
    new = f"<mark{kind}>{text(shorten(step.delta, 160))}</mark>" if step.delta else ""
    body = f'<p class="got">{text(shorten(had, 120)) if had else ""}{new}<span class="soft">▏</span></p>'
    if step.after is not None:
        before = step.before.sent if step.before else 0
        body += f'<span class="soft">sent_offset</span> {before} → {step.after.sent} characters<br>'
    else:
        body += f'<span class="soft">characters</span> {len(had)} → {len(had) + len(step.delta)}<br>'
    body += f'<span class="soft">held</span> {_held(step)}'
    return panel("The frontend has", body)


def _held(step: Step) -> str:
    boxes = "".join(f'<span class="byte">{byte:02x}</span>' for byte in step.open)
    if step.open:
        missing = char_length(step.open[0]) - len(step.open)
        boxes += '<span class="byte missing">··</span>' * missing
    return f"{boxes} {text_words(words.held(step))}"


def table(trace: Trace, n: int, rows: int = ROWS) -> str:
    """Messages around n: token, bytes, decoded alone, sent, offsets afterwards, faults."""
    low = max(0, min(n - rows // 2, len(trace.messages) - rows))
    high = min(len(trace.messages), low + rows)
    several, offsets = len(trace.uids) > 1, any(step.after for step in trace.steps)
    titles = ["", *["request"] * several, "token", "bytes", "alone", "sent", *["surr·read·sent"] * offsets]
    head_ = "".join(f"<th>{title}</th>" for title in titles)
    body = "".join(_message(trace, k, n, several, offsets) for k in range(low, high))
    note = f'<div class="key">messages {low + 1} to {high} of {len(trace.messages)}</div>'
    note = note if high - low < len(trace.messages) else ""
    return f'<table class="list"><thead><tr>{head_}</tr></thead><tbody>{body}</tbody></table>{note}'


def _message(trace: Trace, k: int, n: int, several: bool, offsets: bool) -> str:
    message = trace.messages[k]
    step = trace.steps[k] if k < len(trace.steps) and k <= n else None
    mark = "▸" if k == n else "✗" if step and (step.faults or step.error) else ""
    cells = [f"{mark}{k + 1}", *[str(message.uid)] * several, f"<code>{message.token}</code>"]
    cells += [f"<code>{_hex(message.data)}</code>", text(shorten(message.alone, 12))]
    cells += [_sent(step)] if step else [""]
    cells += [_offsets(step)] * offsets
    kind = "now" if k == n else "future" if k > n else ""
    return f'<tr class="{kind}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _hex(data: bytes | None) -> str:
    if data is None:
        return "?"
    return data.hex(" ") if len(data) <= 6 else f"{data[:5].hex(' ')} … {len(data)}"


def _sent(step: Step) -> str:
    if step.error:
        return '<mark class="bad">✗ error</mark>'
    body = f"<mark>{text(shorten(step.delta, 16))}</mark>" if step.delta else ""
    if step.faults:
        names = ", ".join(words.NAMES[fault.kind] for fault in step.faults)
        body = body.replace("<mark>", '<mark class="bad">') + f' <b class="half">✗ {names}</b>'
    return body


def _offsets(step: Step | None) -> str:
    if step is None or step.after is None:
        return ""
    return (
        "<code>"
        + "·".join("?" if x is None else str(x) for x in (step.after.surr, step.after.read, step.after.sent))
        + "</code>"
    )


# ------------------------------------------------------------------ the film strip


def film(trace: Trace, at: int | None = None, *, style: bool = True) -> str:
    """The key steps one under the other, for a page on which nothing runs."""
    frames = "".join(_frame(trace, n) for n in key_steps(trace, at))
    listing = panel("All messages", table(trace, len(trace.messages), rows=40)) if trace.messages else ""
    return page((frames or picture(trace, 0)) + listing, style=style)


def _frame(trace: Trace, n: int) -> str:
    said = ""
    if n < len(trace.steps):
        said = f'<p class="say">{text_words(words.why(trace, n))}</p>{faults(trace.steps[n])}'
    return f'<div class="film">{head(trace, n)}{ribbon(trace, n).replace(KEY, "")}{said}</div>'


def key_steps(trace: Trace, at: int | None = None, most: int = 5) -> list[int]:
    """The steps worth a frame: what was asked for, the first fault, and the first of each kind."""
    wanted = [at, trace.first_fault()]
    steps = trace.steps
    wanted.append(next((n for n, s in enumerate(steps) if s.open), None))
    wanted.append(next((n for n in range(1, len(steps)) if steps[n - 1].open and not steps[n].open), None))
    wanted.append(next((n for n, s in enumerate(steps) if s.delta and s.open), None))
    wanted.append(next((n for n, s in enumerate(steps) if s.after and s.after.surr), None))
    wanted.append(len(steps) - 1 if steps else None)
    kept = [n for n in dict.fromkeys(wanted) if n is not None and 0 <= n < len(trace.messages)]
    return sorted(kept[:most])
