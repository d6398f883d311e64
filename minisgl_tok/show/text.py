"""One step of a trace as plain text: the twin of the picture, for a terminal or a reader's ear."""

from __future__ import annotations

from . import words
from .layout import strip
from .trace import Step, Trace
from .visible import pad, quoted, sentence, visible, width

AROUND = 6  # tokens shown before and after the current one


def draw(trace: Trace, n: int) -> str:
    """Message n (from 0) of a trace in a few lines."""
    if not trace.messages:
        return "No token: there is nothing to stream."
    lines = [head(trace, n), *_strip(trace, n)]
    if n < len(trace.steps):
        lines += _step(trace, n)
    else:
        lines.append(f"The recording ended at message {len(trace.steps)}: {_error(trace)}")
    return "\n".join(line.rstrip() for line in lines)


def _error(trace: Trace) -> str:
    return sentence(trace.steps[-1].error or "") if trace.steps else ""


def head(trace: Trace, n: int) -> str:
    message = trace.messages[n]
    request = f", request {message.uid}" if len(trace.uids) > 1 else ""
    last = ", the last of its request" if message.finished else ""
    state = " ".join(words.verdict(trace.steps[n])) if n < len(trace.steps) else "not reached"
    return f"message {n + 1} of {len(trace.messages)}: token {message.token}{request}{last}: {state} ({trace.manager})"


def _strip(trace: Trace, n: int) -> list[str]:
    """Tokens around the current one: text, bytes, id, and their place in the window."""
    whole = strip(trace, n)
    places = trace.of(trace.messages[n].uid)
    before = trace.steps[n].before if n < len(trace.steps) else None
    cut = trace.steps[n].cut if before else 0
    low, high = max(0, whole.current - AROUND), min(len(whole.tokens), whole.current + AROUND + 1)
    columns = []
    for box in whole.tokens[low:high]:
        message = trace.messages[places[box.index]]
        ends = [c.text if c.state != "open" else "…" for c in whole.chars if box.start < c.end <= box.end]
        data = "?" if message.data is None else message.data.hex(" ")
        number = f"[{box.text}]" if box.state == "now" else box.text
        columns.append(
            ("".join(map(visible, ends)), data, number, _place(before, box.index - cut, box.state))
        )
    rows = zip(*[[pad(cell, max(map(width, column))) for cell in column] for column in columns], strict=True)
    more = (" …" if high < len(whole.tokens) else "", "… " if low else "")
    names = ("completes", "bytes", "tokens", "window")
    lines = [f"{name:<10}{more[1]}" + "  ".join(row) + more[0] for name, row in zip(names, rows, strict=True)]
    return lines if before else lines[:-1]


def _place(before, index: int, state: str) -> str:
    if state == "future" or before is None or before.surr is None or before.read is None:
        return ""
    return "" if index < before.surr else "context" if index < before.read else "new"


def _step(trace: Trace, n: int) -> list[str]:
    step = trace.steps[n]
    lines = []
    if step.windows is not None and step.before is not None:
        surr, read = step.before.surr, step.before.read
        lines += [
            f"offsets   surr {surr}, read {read}, end {strip(trace, n).current + 1 - step.cut}",
            f"ids[{surr}:] decodes to {quoted(step.windows.read_text)}",
            f"ids[{surr}:{read}] decodes to {quoted(step.windows.surr_text)}",
            f"new text  {quoted(step.windows.new_text)}",
        ]
    lines.append(f"why       {words.why(trace, n)}")
    lines += [f"error     {sentence(step.error)}"] if step.error else []
    had = trace.received(n)
    lines.append(f"sends     {quoted(step.delta)}")
    lines.append(
        f"frontend  {quoted(had + step.delta)}, {len(had)} → {len(had) + len(step.delta)} characters"
    )
    if step.before and step.after:
        lines.append(f"sent_offset {step.before.sent} → {step.after.sent}")
    lines.append(f"held      {words.held(step)}")
    lines += [f"fault     ✗ {words.NAMES[fault.kind]}: {fault.words}" for fault in step.faults]
    return lines


def table(trace: Trace, most: int = 200) -> str:
    """All messages, one a line: token, bytes, decoded alone, sent, offsets afterwards, faults."""
    rows: list[tuple[str, ...]] = [("", "request", "token", "bytes", "alone", "sent", "surr·read·sent", "")]
    for n, message in enumerate(trace.messages[:most]):
        step = trace.steps[n] if n < len(trace.steps) else None
        data = "?" if message.data is None else message.data.hex(" ")
        row = (str(n + 1), str(message.uid), str(message.token), data, visible(message.alone))
        rows.append((*row, *_outcome(step)))
    if len(trace.uids) <= 1:
        rows = [row[:1] + row[2:] for row in rows]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(pad(cell, w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    left = len(trace.messages) - most
    return "\n".join(lines + [f"… and {left} more"] * (left > 0))


def _outcome(step: Step | None) -> tuple[str, str, str]:
    if step is None:
        return "", "", ""
    after = step.after
    offsets = (
        "·".join("?" if x is None else str(x) for x in (after.surr, after.read, after.sent)) if after else ""
    )
    wrong = step.error or ", ".join(words.NAMES[fault.kind] for fault in step.faults)
    return visible(step.delta), offsets, f"✗ {sentence(wrong)}" if wrong else ""
