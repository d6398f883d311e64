"""Pictures that are not stepped, as a notebook shows them: HTML where it can, text where not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import context as _context
from . import conveyor as _conveyor
from . import fuse as _fuse
from . import halves as _halves
from .heatmap import heatmap_html, heatmap_text
from .timeline import timeline_html, timeline_text

if TYPE_CHECKING:
    from ..events import Event


@dataclass(frozen=True)
class Still:
    """One picture in two forms.

    >>> Still("<b>3</b>", "3")._repr_mimebundle_()
    {'text/plain': '3', 'text/html': '<b>3</b>'}
    """

    html: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}


def heatmap(rows: Iterable[Mapping[str, Any]]) -> Still:
    """Faults by manager and kind of input; rows as `benchmarks.conformance` saves them."""
    rows = list(rows)
    return Still(heatmap_html(rows), heatmap_text(rows))


def timeline(events: Sequence[Event], *, times: bool = False) -> Still:
    """Who sent what to whom, in time, and how many messages at once."""
    return Still(timeline_html(events, times=times), timeline_text(events, times=times))


def context(tokenizer: Any, ids: Sequence[int], read: int) -> Still:
    """The ids from `read` on, decoded with some context and without any."""
    readings = _context.run(tokenizer, ids, read)
    return Still(_context.draw(readings, ids), _context.as_text(readings, ids))


def conveyor(frames: Sequence[tuple[int, int]], local_bs: int, *, busy: int = 2) -> Still:
    """The drains of a worker that is `busy` ticks with each; `frames` are (tick, messages)."""
    drains = _conveyor.run(frames, local_bs, busy)
    return Still(_conveyor.draw(drains, local_bs), _conveyor.as_text(drains, local_bs))


def fuse(deltas: Sequence[str], stops: Sequence[str]) -> Still:
    """What is held of each delta because it may become a stop."""
    sparks = _fuse.run(deltas, stops)
    return Still(_fuse.draw(sparks, stops), _fuse.as_text(sparks, stops))


def halves(tokenizer: Any, ids: Sequence[int], route: Callable[[int], int], **options: Any) -> Still:
    """One request's tokens in several processes: the k-th goes to process `route(k)`."""
    parts = _halves.run(tokenizer, ids, route, **options)
    return Still(_halves.draw(parts), _halves.as_text(parts))
