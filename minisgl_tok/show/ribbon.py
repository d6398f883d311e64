"""Characters over bytes over tokens, with the window's brackets under them, as a table."""

from __future__ import annotations

from html import escape

from .layout import Strip, clip, strip
from .trace import Offsets, Trace
from .utf8 import char_length
from .visible import visible, visible_alone

BUDGET = 32  # columns that fit beside each other on a small screen


def ribbon(trace: Trace, n: int) -> str:
    """Characters over bytes over tokens around message n, and under them its window."""
    whole = strip(trace, n)
    before = trace.steps[n].before if n < len(trace.steps) else None
    cut = trace.steps[n].cut if before else 0
    surr = before.surr + cut if before and before.surr is not None else whole.current
    low, high = clip(whole, max(0, min(surr, whole.current)), BUDGET)
    first, last = whole.tokens[low].start, whole.tokens[high - 1].end
    rows = [
        _row("chars", "characters", _chars(whole, first, last)),
        _row("bytes", "bytes", _bytes(whole, first, last)),
        _row("gap", "", f'<td colspan="{last - first}"></td>'),
        _row("tokens", "tokens", _tokens(trace, n, whole, low, high)),
        *_window(trace, n, whole, low, high),
    ]
    more = [f"{low} earlier token{'s' * (low != 1)} to the left"] if low else []
    rest = len(whole.tokens) - high
    more += [f"{rest} more to the right"] if rest else []
    note = f'<div class="key">… {" · ".join(more)}</div>' if more else ""
    return f'<div class="scroll"><table class="strip"><tbody>{"".join(rows)}</tbody></table></div>{note}{KEY}'


KEY = (
    '<div class="key">box: <b>solid</b> sent · <b>dashed</b> complete, not sent · <b>dotted</b> bytes missing'
    " · <b>none</b> not here yet &nbsp;|&nbsp; line under a byte: <b>thick</b> opens a character · <b>double</b> follows"
    " · <b>thin</b> a character alone · <b>dots</b> no character</div>"
)


def _row(kind: str, title: str, cells: str) -> str:
    return f'<tr class="{kind}"><th>{title}</th>{cells}</tr>'


# Borders that carry a meaning stand in the cell itself: a notebook that is not trusted yet
# loses its style sheet, but not these.
BORDERS = {
    "c sent": "border-style:solid;border-width:1.5px",
    "c held": "border-style:dashed;border-width:2px",
    "c open": "border-style:dotted;border-width:2px",
    "w context": "border-style:none solid solid;border-width:2px",
    "w new": "border-style:none dashed dashed;border-width:2px",
}


def _cell(kind: str, span: int, body: str, title: str = "") -> str:
    spans = f' colspan="{span}"' if span > 1 else ""
    about = f' title="{escape(title)}"' if title else ""
    border = f' style="{BORDERS[kind]}"' if kind in BORDERS else ""
    return f'<td class="{kind}"{spans}{about}{border}>{body}</td>'


CHAR_TITLES = {
    "sent": "the frontend has it",
    "held": "complete, not sent",
    "open": "not all of its bytes are here",
    "future": "not here yet",
    "here": "this token decoded alone",
}


def _chars(whole: Strip, first: int, last: int) -> str:
    out, at = [], first
    for box in whole.chars:
        start, end = max(box.start, first), min(box.end, last)
        if start >= end:
            continue
        if start > at:
            out.append(_cell("", start - at, ""))
        body = visible_alone(box.text) if len(box.text) == 1 else visible(box.text)
        code = f"U+{ord(box.text):04X}: " if len(box.text) == 1 else ""
        out.append(
            _cell(f"c {box.state}", end - start, f"<bdi>{escape(body)}</bdi>", code + CHAR_TITLES[box.state])
        )
        at = end
    return "".join(out) + (_cell("", last - at, "") if at < last else "")


BYTE_TITLES = {
    "follower": "continues the character",
    "single": "a character of one byte",
    "broken": "no character can have this byte here",
    "stripped": "the tokenizer strips the first space",
    "none": "no bytes of the answer",
}


def _bytes(whole: Strip, first: int, last: int) -> str:
    out = []
    for cell in whole.cells[first:last]:
        title = BYTE_TITLES.get(cell.state) or f"opens a character of {char_length(cell.index)} bytes"
        future = " future" if cell.start >= whole.arrived else ""
        out.append(_cell(f"b {cell.state}{future}", 1, cell.text or "–", title))
    return "".join(out)


def _tokens(trace: Trace, n: int, whole: Strip, low: int, high: int) -> str:
    places = trace.of(trace.messages[n].uid)
    before = trace.steps[n].before if n < len(trace.steps) else None
    out = []
    for box in whole.tokens[low:high]:
        kind = (
            "future"
            if box.state == "future"
            else _region(before, box.index - trace.steps[n].cut if before else 0)
        )
        message = trace.messages[places[box.index]]
        body = f"<b>{box.text}</b>" if box.state == "now" else box.text
        title = f"message {places[box.index] + 1}; alone it decodes to {visible(message.alone)!r}"
        out.append(_cell(f"t {kind} {'now' * (box.state == 'now')}", box.end - box.start, body, title))
    return "".join(out)


def _region(before: Offsets | None, index: int) -> str:
    if before is None or before.surr is None or before.read is None:
        return ""
    return "" if index < before.surr else "context" if index < before.read else "new"


def _window(trace: Trace, n: int, whole: Strip, low: int, high: int) -> list[str]:
    """The brackets of context and new ids, and the three arrows with their names."""
    before = trace.steps[n].before if n < len(trace.steps) else None
    if before is None or before.surr is None or before.read is None:
        return []
    first, last = whole.tokens[low].start, whole.tokens[high - 1].end

    def column(index: int) -> int:
        """The column at which the id of that index begins, within what is shown."""
        tokens = whole.tokens
        at = tokens[index].start if 0 <= index < len(tokens) else whole.columns if index > 0 else 0
        return min(max(at, first), last) - first

    cut = trace.steps[n].cut
    surr, read, end = column(before.surr + cut), column(before.read + cut), column(whole.current + 1)
    brackets = [_cell("", surr, "")] if surr else []
    brackets += [_cell("w context", read - surr, "")] if read > surr else []
    brackets += [_cell("w new", end - max(read, surr), "")] if end > max(read, surr) else []
    rows = [_row("window", "window", "".join(brackets))]
    labels = [
        (surr, "surr", f"surr {before.surr}", "context from here"),
        (read, "read", f"read {before.read}", "new from here"),
        (end, "end", f"end {whole.current + 1 - cut}", ""),
    ]
    if before.surr == before.read:
        labels[:2] = [(read, "read", f"surr = read = {before.read}", "no context, new from here")]
    return rows + [_arrow(last - first, *label) for label in labels]


def _arrow(columns: int, at: int, kind: str, name: str, about: str) -> str:
    if at > columns // 2:
        words_ = f"{about}  <b>{name}</b> ▲" if about else f"<b>{name}</b> ▲"
        cells = _cell(f"arrow to {kind}", at, words_)
    else:
        words_ = f"▲ <b>{name}</b>  {about}"
        cells = (_cell("", at, "") if at else "") + _cell(
            f"arrow {kind}", columns - at, f"<div>{words_}</div>"
        )
    return _row("arrows", "", cells)
