"""Pictures of streaming: recorded once, drawn as HTML and as text, stepped in a notebook.

`trace.record` writes down what a manager does; `html` and `text` draw it; `stepper` puts
widgets around that. `race`, `microscope` and `processes` are stepped alike; `cost`
and the functions of `still` are single pictures. The functions take the place of modules of the same name.
"""

from __future__ import annotations

from . import cost
from .compare import compare_html, compare_text
from .microscope import microscope
from .pieces import PieceTokenizer
from .processes import processes
from .race import race
from .stepper import stepper
from .still import Still, context, conveyor, fuse, halves, heatmap, timeline
from .trace import Trace, first_fault, interleave, messages_of, record

__all__ = [
    "PieceTokenizer",
    "Still",
    "Trace",
    "compare_html",
    "compare_text",
    "context",
    "conveyor",
    "cost",
    "first_fault",
    "fuse",
    "halves",
    "heatmap",
    "interleave",
    "messages_of",
    "microscope",
    "processes",
    "race",
    "record",
    "stepper",
    "timeline",
]
