"""The processes that serve a model, lit up one message at a time."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from .player import Choices, Player
from .theme import STYLE

CLIENT, SERVER, TOKENIZER, SCHEDULER = "client", "API server", "tokenizer", "scheduler"
BOXES = {
    CLIENT: "asks and reads",
    SERVER: "speaks HTTP",
    TOKENIZER: "text ⇄ tokens",
    SCHEDULER: "runs the model",
}


@dataclass(frozen=True)
class Hop:
    """One message from a process to another."""

    sender: str
    receiver: str
    message: str
    content: str
    words: str


HOPS = (
    Hop(
        CLIENT,
        SERVER,
        "a request",
        "“Did you see it?”",
        "A chat comes in by HTTP and gets a number, its uid.",
    ),
    Hop(
        SERVER,
        TOKENIZER,
        "TokenizeMsg",
        "uid 1, the chat",
        "The tokenizer makes one text of the chat and token ids of the text.",
    ),
    Hop(
        TOKENIZER,
        SCHEDULER,
        "UserMsg",
        "uid 1, [151644, 872, …]",
        "The scheduler knows only ids. It runs the model for all open requests in step.",
    ),
    Hop(
        SCHEDULER,
        TOKENIZER,
        "DetokenizeMsg",
        "uid 1, token 123918",
        "The model wrote one token: three of the four bytes of 🦩. Nothing may leave yet.",
    ),
    Hop(TOKENIZER, SERVER, "UserReply", "uid 1, “”", "An empty reply: the half character is held."),
    Hop(SCHEDULER, TOKENIZER, "DetokenizeMsg", "uid 1, token 102", "The next token brings the missing byte."),
    Hop(TOKENIZER, SERVER, "UserReply", "uid 1, “🦩”", "Now the character is whole and leaves at once."),
    Hop(
        SERVER,
        CLIENT,
        "an event",
        "🦩",
        "The client sees a flamingo, and never saw anything else in its place.",
    ),
    Hop(
        SCHEDULER,
        TOKENIZER,
        "DetokenizeMsg",
        "uid 1, token 151645, finished",
        "The end token: no text of the answer. What is still held leaves, and the state is freed.",
    ),
    Hop(
        TOKENIZER,
        SERVER,
        "UserReply",
        "uid 1, “”, finished",
        "The last reply. The client's connection closes.",
    ),
)


class Processes:
    """The hops as a picture for a `Player`."""

    def steps(self) -> int:
        return len(HOPS)

    def caption(self, step: int) -> str:
        return f"message {step + 1} of {len(HOPS)}"

    def html(self, step: int) -> str:
        return f'<div class="mt">{_boxes(HOPS[step])}<p class="say">{escape(HOPS[step].words)}</p>{_log(step)}</div>'

    def text(self, step: int) -> str:
        return "\n".join([_line(step, HOPS[step]), f"    {HOPS[step].words}"])

    def film(self, step: int) -> str:
        rows = "".join(
            f"<tr><td>{n}</td><td>{hop.sender} → {hop.receiver}</td><td><b>{hop.message}</b></td>"
            f"<td>{escape(hop.content)}</td><td>{escape(hop.words)}</td></tr>"
            for n, hop in enumerate(HOPS, start=1)
        )
        return f'{STYLE}<div class="mt">{_boxes(None)}<table class="list">{rows}</table></div>'

    def plain(self) -> str:
        return "\n".join(_line(n, hop) for n, hop in enumerate(HOPS))


def processes() -> Player:
    """One request on its way through the four processes, message by message."""

    def make(_: Choices) -> Processes:
        return Processes()

    return Player(make, fixed=True)


def _line(n: int, hop: Hop) -> str:
    return f"{n + 1:2}  {hop.sender:>10} → {hop.receiver:<10}  {hop.message:<14} {hop.content}"


def _boxes(hop: Hop | None) -> str:
    names = list(BOXES)
    cells = []
    for n, name in enumerate(names):
        lit = hop is not None and name in (hop.sender, hop.receiver)
        border = "3px solid var(--mt-new)" if lit else "1px solid var(--mt-line)"
        cells.append(
            f'<td style="border:{border};border-radius:6px;padding:8px 14px;text-align:center;'
            f'background:var(--mt-panel)"><b>{name}</b><br><span class="soft">{BOXES[name]}</span></td>'
        )
        if n + 1 < len(names):
            cells.append(
                f'<td style="padding:0 10px;text-align:center;min-width:120px">{_arrow(hop, n)}</td>'
            )
    return f'<div class="scroll"><table><tr>{"".join(cells)}</tr></table></div>'


def _arrow(hop: Hop | None, gap: int) -> str:
    """What stands between the boxes `gap` and `gap + 1`."""
    names = list(BOXES)
    if hop is None or {names.index(hop.sender), names.index(hop.receiver)} != {gap, gap + 1}:
        return '<span class="faint">⇄</span>'
    forward = names.index(hop.sender) == gap
    return f'<b>{hop.message}</b><br><span style="font-size:18px">{"──▶" if forward else "◀──"}</span><br>{escape(hop.content)}'


def _log(step: int) -> str:
    rows = []
    for n, hop in enumerate(HOPS):
        kind = "now" if n == step else "future" if n > step else ""
        cells = (str(n + 1), f"{hop.sender} → {hop.receiver}", hop.message, hop.content)
        rows.append(f'<tr class="{kind}">' + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f'<table class="list">{"".join(rows)}</table>'
