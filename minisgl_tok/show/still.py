"""Pictures that are not stepped, as a notebook shows them: HTML where it can, text where not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
