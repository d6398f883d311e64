"""The race: the same tokens through several streamers, side by side, message by message.

Each cell says what a streamer sends with a message, how many characters it is behind, and
what it does wrong. Nothing is timed here; that is the cost picture's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from . import words
from .marks import page, panel, shorten, text, text_words
from .peers import HubDecodeStream, HubTextStreamer, TokenByToken
from .player import Choices, Player
from .stepper import default_managers, request_messages, tokenizer_menu
from .trace import Message, Step, Trace, record
from .visible import pad, sentence, visible, width

ROWS = 16  # messages around the current one
TEXT = "鱻 推hi, 🦩 is rare"


@dataclass(frozen=True)
class Race:
    """One trace for each runner, all of the same messages."""

    traces: dict[str, Trace]

    @property
    def messages(self) -> tuple[Message, ...]:
        return next(iter(self.traces.values())).messages if self.traces else ()

    def step(self, name: str, n: int) -> Step | None:
        """What a runner did with message n; None behind an error."""
        steps = self.traces[name].steps
        return steps[n] if n < len(steps) else None


def run(tokenizer: Any, runners: Mapping[str, Any], messages: Sequence[Any], pieces: Any = None) -> Race:
    """Let all runners stream the same messages."""
    return Race({name: record(tokenizer, one, messages, pieces=pieces) for name, one in runners.items()})


def default_runners() -> dict[str, Any]:
    """The package's managers, two libraries' streamers, and the first idea."""
    ours = default_managers()
    first: dict[str, Any] = {name: ours.pop(name) for name in ("exact", "safe window") if name in ours}
    peers = {"DecodeStream": HubDecodeStream, "TextStreamer": HubTextStreamer}
    return {**first, **ours, **peers, "token by token": TokenByToken}


def behind(step: Step) -> int:
    """Characters that are complete and have not left."""
    return len(step.due)


def summary(trace: Trace) -> str:
    """How a runner did, over all its messages."""
    if trace.steps and trace.steps[-1].error:
        return f"✗ error at message {len(trace.steps)}"
    late = [behind(step) for step in trace.steps]
    mean = sum(late) / len(late) if late else 0
    held = f"behind {mean:.2f} on average, {max(late, default=0)} at most" if any(late) else "never behind"
    first = trace.first_fault()
    if first is None:
        return f"✓ right; {held}"
    kinds = ", ".join(dict.fromkeys(words.NAMES[f.kind] for s in trace.steps for f in s.faults))
    return f"✗ from message {first + 1}: {kinds}; {held}"


# ------------------------------------------------------------------ HTML


def draw(race: Race, n: int, *, style: bool = True) -> str:
    """The race up to message n, and how each runner did in the end."""
    if not race.messages:
        return page('<p class="soft">No token: there is nothing to race with.</p>', style=style)
    title = "The same tokens: what each one sends with each message"
    return page(panel(title, _table(race, n)) + panel("With this message", _said(race, n)), style=style)


def _table(race: Race, n: int) -> str:
    total = len(race.messages)
    low = max(0, min(n - ROWS // 2, total - ROWS))
    high = min(total, low + ROWS)
    head = "".join(f"<th>{escape(title)}</th>" for title in ("", "token", "bytes", *race.traces))
    body = "".join(_row(race, k, n) for k in range(low, high))
    if n >= total - 1:
        ends = "".join(f"<td>{_ending(trace)}</td>" for trace in race.traces.values())
        body += f'<tr class="end"><td colspan="3"><b>in the end</b></td>{ends}</tr>'
    note = f'<div class="key">messages {low + 1} to {high} of {total}</div>' if high - low < total else ""
    return f'<table class="list race"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}'


def _row(race: Race, k: int, n: int) -> str:
    message = race.messages[k]
    data = "?" if message.data is None else message.data[:6].hex(" ") + " …" * (len(message.data) > 6)
    cells = [f"{'▸' * (k == n)}{k + 1}", f"<code>{message.token}</code>", f"<code>{data}</code>"]
    cells += [_cell(race.step(name, k)) if k <= n else "" for name in race.traces]
    kind = "now" if k == n else "future" if k > n else ""
    return f'<tr class="{kind}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _cell(step: Step | None) -> str:
    if step is None:
        return '<span class="faint">out</span>'
    if step.error:
        return '<mark class="bad">✗ error</mark>'
    kind = ' class="bad"' if step.faults else ""
    sent = f"<mark{kind}>{text(shorten(step.delta, 14))}</mark>" if step.delta else ""
    wrong = ", ".join(fault.kind for fault in step.faults)
    late = f'<span class="soft">◌ {behind(step)} behind</span>' if behind(step) else ""
    return " ".join(filter(None, (sent, f'<b class="half">✗ {wrong}</b>' if wrong else "", late)))


def _ending(trace: Trace) -> str:
    """The verdict in short; the words stand in the panel below."""
    first = trace.first_fault()
    if first is None:
        return '<b class="ok">✓ right</b>'
    return f'<b class="half">✗ wrong from {first + 1}</b>'


def _said(race: Race, n: int) -> str:
    lines = []
    for name, trace in race.traces.items():
        step = race.step(name, n)
        said = text_words(_words(step))
        if n >= len(race.messages) - 1:
            said += f' <span class="soft">In the end: {escape(summary(trace))}.</span>'
        lines.append(f"<tr><th>{escape(name)}</th><td>{said}</td></tr>")
    return f'<table class="sub wrap"><tbody>{"".join(lines)}</tbody></table>'


def _words(step: Step | None) -> str:
    if step is None:
        return "is out of the race."
    if step.error:
        return "✗ " + sentence(step.error)
    if step.faults:
        return "✗ " + " ".join(fault.words for fault in step.faults)
    sent = f"sends {words.quoted(step.delta)}" if step.delta else "sends nothing"
    return f"{sent}; held: {words.held(step)}."


# ------------------------------------------------------------------ plain text


def as_text(race: Race, n: int | None = None) -> str:
    """The race up to message n (all of it without one), one line a message."""
    last = len(race.messages) - 1 if n is None else n
    rows: list[tuple[str, ...]] = [("", "token", "bytes", *race.traces)]
    for k, message in enumerate(race.messages[: last + 1]):
        data = "?" if message.data is None else message.data.hex(" ")
        cells = (_text_cell(race.step(name, k)) for name in race.traces)
        rows.append((str(k + 1), str(message.token), data, *cells))
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(pad, row, widths)).rstrip() for row in rows]
    if last >= len(race.messages) - 1:
        lines += [f"{name}: {summary(trace)}" for name, trace in race.traces.items()]
    return "\n".join(lines)


def _text_cell(step: Step | None) -> str:
    if step is None:
        return "out"
    if step.error:
        return "✗ error"
    wrong = ", ".join(fault.kind for fault in step.faults)
    parts = (visible(step.delta), f"✗ {wrong}" if wrong else "", f"◌{behind(step)}" if behind(step) else "")
    return " ".join(filter(None, parts))


# ------------------------------------------------------------------ in a notebook


class _Laps:
    """A race as a picture for a `Player`."""

    def __init__(self, race: Race) -> None:
        self.race = race

    def steps(self) -> int:
        return len(self.race.messages)

    def caption(self, step: int) -> str:
        return f"message {step + 1} of {self.steps()}" if self.steps() else "no message"

    def html(self, step: int) -> str:
        return draw(self.race, step, style=False)

    def text(self, step: int) -> str:
        return as_text(self.race, step)

    def film(self, step: int) -> str:
        return draw(self.race, max(0, self.steps() - 1))

    def plain(self) -> str:
        return as_text(self.race)


def race(
    text: str = TEXT,
    tokenizer: Any = "qwen3",
    runners: Mapping[str, Any] | Sequence[str] | None = None,
    *,
    at: int | None = None,
    ids: Sequence[Any] | None = None,
    pieces: Mapping[int, bytes] | None = None,
) -> Player:
    """Race streamers over a text, or over `ids`.

    `runners` is name -> manager, as for `stepper`, or some names of `default_runners`.
    """
    tokenizers = tokenizer_menu(tokenizer, pieces)
    chosen = _runners(runners)

    def make(choices: Choices) -> _Laps:
        with_it = tokenizers[choices.tokenizer]()
        return _Laps(run(with_it, chosen, request_messages(with_it, choices.text, ids), pieces))

    menu = list(tokenizers)[:1] if ids is not None else list(tokenizers)
    return Player(make, text=text, tokenizers=menu, fixed=ids is not None, at=None if at is None else at - 1)


def _runners(wanted: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Any]:
    if isinstance(wanted, Mapping):
        return dict(wanted)
    known = default_runners()
    unknown = [name for name in wanted or () if name not in known]
    if unknown:
        raise ValueError(f"no runner {', '.join(unknown)}: there are {', '.join(known)}")
    return {name: known[name] for name in wanted or known}
