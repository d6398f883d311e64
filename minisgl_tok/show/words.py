"""Sentences about one step: why the window moved or stayed, what is held, what was sent."""

from __future__ import annotations

from .trace import Message, Step, Trace
from .utf8 import COUNT, char_length, characters, hexes
from .visible import quoted

REPLACEMENT = "\ufffd"


def why(trace: Trace, n: int) -> str:
    """What this message did, and why, in a sentence or two."""
    message, step = trace.messages[n], trace.steps[n]
    if step.error:
        return "The manager did not answer this message. What stands below is what was known before it."
    if step.windows is None or step.before is None or step.after is None:
        return _without_window(message, step)
    return f"{_new_text(message, step)} {_move(step)}".strip()


def _new_text(message: Message, step: Step) -> str:
    assert step.windows is not None
    new = step.windows.new_text
    if not step.windows.read_ids:
        return "There is no id to decode."
    if not new:
        return f"The new ids bring no text{_ends(message)}."
    if not new.endswith(REPLACEMENT):
        return f"{quoted(new)} ends in a whole character."
    return f"The new text ends in �: {_mark(message, step)}."


def _mark(message: Message, step: Step) -> str:
    """Why the last character is U+FFFD."""
    if step.open:
        return _opens(step.open)
    if message.data is None:
        return "it is no whole character yet, or no character at all"
    tail = characters(message.data)[-1:]
    if tail and tail[0].state == "whole":
        return (
            "the bytes ef bf bd really spell it, which a look at the text cannot tell from half a character"
        )
    if message.finished:
        return "the answer was cut in the middle of a character"
    return "these bytes can never become a character"


def _opens(open_: bytes) -> str:
    need, here = char_length(open_[0]), len(open_)
    verb = "is" if here == 1 else "are"
    return f"byte {open_[0]:02x} opens a character of {COUNT[need]} bytes, {COUNT[here]} {verb} here"


def _ends(message: Message) -> str:
    return "; this id ends the answer and is not decoded" if message.finished and message.hidden else ""


def _move(step: Step) -> str:
    """How the offsets changed."""
    before, after = step.before, step.after
    assert before is not None and after is not None
    if (before.surr, before.read) == (after.surr, after.read):
        ahead = (
            f" Sent ahead, as already certain: {quoted(step.delta)}."
            if step.delta
            else " Nothing is certain yet."
        )
        return "The window stays." + ahead
    moved = ", ".join(
        f"{name} {'stays ' + str(old) if old == new else f'{old} → {new}'}"
        for name, old, new in (("surr", before.surr, after.surr), ("read", before.read, after.read))
    )
    return f"So it is confirmed and the window moves: {moved}."


def _without_window(message: Message, step: Step) -> str:
    """A manager without a window: only bytes decide."""
    if message.hidden:
        return "This id is no text of the answer."
    if message.data == b"":
        return "This id brings no bytes."
    here = f"It sends {quoted(step.delta)}." if step.delta else "It sends nothing."
    return here + (f" Still open: {_opens(step.open)}." if step.open else " No character is open.")


def held(step: Step) -> str:
    """What is known and has not left, in words."""
    parts = []
    if step.due:
        parts.append(f"{quoted(step.due)} is complete and has not left")
    if step.open:
        need = char_length(step.open[0])
        parts.append(f"{hexes(step.open)}: {COUNT[len(step.open)]} of {COUNT[need]} bytes of a character")
    return "; ".join(parts) or "nothing"


def verdict(step: Step) -> tuple[str, str]:
    """A sign and a word for a step: what it sent, held, or did wrong."""
    if step.error:
        return "✗", "error"
    if step.faults:
        return "✗", ", ".join(NAMES[fault.kind] for fault in step.faults)
    if step.delta:
        sent = f"sent {_count(len(step.delta), 'character')}"
        return "✓", sent + (f", holds {_count(len(step.open), 'byte')}" if step.open else "")
    if step.open and not step.due:
        return "◌", f"holds {_count(len(step.open), 'byte')}"
    return "◌", f"holds {_count(len(step.due), 'character')}" if step.due else "nothing to send"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


NAMES = {
    "early": "� sent too early",
    "twice": "sent twice",
    "lost": "text lost",
    "extra": "text from nowhere",
}
