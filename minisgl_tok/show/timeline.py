"""The log of a server's messages as a timeline: who sent what to whom, and how much at once.

A pure function of the log: `demo.Event` in, HTML or plain text out. Times are left out
unless asked for, since they differ from run to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..demo import Event
from .theme import STYLE, outweighing

LANES = ("client", "tokenizer", "scheduler")
SHOWN = 40  # frames; of a longer log the first and the last ones
MANY = 8  # marks for a batch; a larger one ends in "+"
NAMED = 6  # uids that are named

SHAPES = """\
.mt table.timeline{border-spacing:0}
.mt .timeline td,.mt .timeline th{padding:2px 6px}
.mt .timeline th{font-weight:600;padding:2px 18px 2px 0;border-bottom:2px solid var(--mt-soft)}
.mt .timeline td.lane{border-left:2px solid var(--mt-line);padding:0;width:1px}
.mt .timeline td.hop{min-width:230px;text-align:center;border-bottom:2px solid var(--mt-context)}
.mt .timeline td.hop.left{border-bottom:2px dashed var(--mt-new)}
.mt .timeline td.count{text-align:right;color:var(--mt-soft)}
.mt .timeline .batch{letter-spacing:1px;margin-left:6px}
"""
CSS = f"<style>{outweighing(SHAPES)}</style>"


@dataclass(frozen=True)
class Row:
    """A frame on its way between two lanes, or a place where frames were left out."""

    number: int
    start: int  # lane of the sender
    end: int  # lane of the receiver
    kind: str
    uids: tuple[int, ...]
    time: float  # s since the first frame
    left_out: int = 0  # frames; then nothing else counts


def rows(events: Sequence[Event], lanes: Sequence[str] = LANES, shown: int = SHOWN) -> list[Row]:
    """The frames to draw, numbered from 1; the middle of a long log is one row.

    Raises ValueError where an end of a frame has no lane.
    """
    result = []
    for number, event in enumerate(events, start=1):
        for name in (event.sender, event.receiver):
            if name not in lanes:
                raise ValueError(f"no lane for {name!r}: there are {', '.join(lanes)}")
        start, end = lanes.index(event.sender), lanes.index(event.receiver)
        since = event.time - events[0].time
        result.append(Row(number, start, end, event.kind, tuple(event.uids), since))
    if len(result) <= shown:
        return result
    tail = shown // 4
    head = shown - tail
    gap = Row(head + 1, 0, 0, "", (), 0.0, left_out=len(result) - head - tail)
    return [*result[:head], gap, *result[len(result) - tail :]]


def batch_marks(count: int) -> str:
    """One mark a message of a batch.

    >>> batch_marks(3), batch_marks(256)
    ('▪▪▪', '▪▪▪▪▪▪▪▪+')
    """
    return "▪" * min(count, MANY) + ("+" if count > MANY else "")


def label(row: Row) -> str:
    """What a frame holds: the kind of its messages, and how many where it is a batch."""
    return f"{row.kind} × {len(row.uids)}" if len(row.uids) > 1 else row.kind


def named(uids: Sequence[int]) -> str:
    """The uids of a frame, shortened: requests in their order, each once.

    >>> named([3, 1, 3]), named(range(9))
    ('uid 3, 1', 'uid 0, 1, 2, 3, 4, 5 and 3 more')
    """
    each = list(dict.fromkeys(uid for uid in uids if uid >= 0))
    if not each:
        return ""
    more = f" and {len(each) - NAMED} more" if len(each) > NAMED else ""
    return "uid " + ", ".join(map(str, each[:NAMED])) + more


def sums(events: Sequence[Event]) -> list[tuple[str, int, int, int]]:
    """For each kind of message: its name, frames, messages, and those of the largest frame."""
    sizes: dict[str, list[int]] = {}
    for event in events:
        sizes.setdefault(event.kind, []).append(len(event.uids))
    return [(kind, len(counts), sum(counts), max(counts)) for kind, counts in sizes.items()]


# ------------------------------------------------------------------ HTML


def timeline_html(
    events: Sequence[Event],
    *,
    lanes: Sequence[str] = LANES,
    shown: int = SHOWN,
    times: bool = False,
) -> str:
    """The timeline as HTML: a line a process, an arrow a frame, time runs down."""
    head = "".join(
        f'<th colspan="{2 if n < len(lanes) - 1 else 1}">{escape(name)}</th>' for n, name in enumerate(lanes)
    )
    width = 2 * len(lanes) - 1
    body = "".join(_row_html(row, len(lanes), width, times) for row in rows(events, lanes, shown))
    table = f'<table class="timeline"><tr><th>{"ms" if times else "frame"}</th>{head}<th>requests</th></tr>{body}</table>'
    return f'{STYLE}{CSS}<div class="mt"><div class="scroll">{table}</div>{_sums_html(events)}</div>'


def _row_html(row: Row, lanes: int, width: int, times: bool) -> str:
    if row.left_out:
        words = f"… {row.left_out} frames more …"
        return f'<tr><td></td><td class="soft" colspan="{width}" style="text-align:center">{words}</td><td></td></tr>'
    first = f"{row.time * 1_000:.1f}" if times else str(row.number)
    low, high = sorted((row.start, row.end))
    cells = []
    for lane in range(lanes):
        cells.append('<td class="lane"></td>')
        if lane == low and low < high:
            cells.append(_hop_html(row, 2 * (high - low) - 1))
        elif lane < lanes - 1 and not low <= lane < high:
            cells.append("<td></td>")
        if low < lane < high:
            cells.pop()  # the arrow runs across this line
    return f'<tr><td class="count">{first}</td>{"".join(cells)}<td class="soft">{named(row.uids)}</td></tr>'


def _hop_html(row: Row, span: int) -> str:
    text = escape(label(row))
    marks = f'<span class="batch">{batch_marks(len(row.uids))}</span>' if len(row.uids) > 1 else ""
    right = row.end > row.start
    words = f"{text}{marks} ▶" if right else f"◀ {text}{marks}"
    return f'<td class="hop{"" if right else " left"}" colspan="{span}">{words}</td>'


def _sums_html(events: Sequence[Event]) -> str:
    body = "".join(
        f"<tr><td>{escape(kind)}</td><td>{frames}</td><td>{messages}</td><td>{largest}</td></tr>"
        for kind, frames, messages, largest in sums(events)
    )
    head = "<tr><th>messages</th><th>frames</th><th>in all</th><th>largest frame</th></tr>"
    return f'<div class="panel"><table class="list">{head}{body}</table></div>'


# ------------------------------------------------------------------ plain text


def timeline_text(
    events: Sequence[Event],
    *,
    lanes: Sequence[str] = LANES,
    shown: int = SHOWN,
    times: bool = False,
) -> str:
    """The timeline in plain text, a line a frame.

    >>> print(timeline_text([Event(0.0, "client", "tokenizer", "TokenizeMsg", [1, 2])]))
      1  client ▶ tokenizer    TokenizeMsg × 2  uid 1, 2
    TokenizeMsg: 2 messages in 1 frame, at most 2 at once
    """
    lines = []
    longest = max(map(len, lanes))
    for row in rows(events, lanes, shown):
        if row.left_out:
            lines.append(f"     … {row.left_out} frames more …")
            continue
        first = f"{row.time * 1_000:8.1f} ms" if times else f"{row.number:3d}"
        way = f"{lanes[row.start]} ▶ {lanes[row.end]}"
        lines.append(f"{first}  {way:{2 * longest + 3}} {label(row)}  {named(row.uids)}".rstrip())
    for kind, frames, messages, largest in sums(events):
        lines.append(
            f"{kind}: {_counted(messages, 'message')} in {_counted(frames, 'frame')}, at most {largest} at once"
        )
    return "\n".join(lines)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
