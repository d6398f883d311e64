"""Pictures of streaming: recorded once, drawn as HTML and as text, stepped in a notebook.

`trace.record` writes down what a manager does; `html` and `text` draw it; `stepper` puts
widgets around that. `race` and `microscope` are stepped alike; `cost` and the heat map are
single pictures. The functions take the place of modules of the same name.
"""

from __future__ import annotations

from . import cost
from .compare import compare_html, compare_text
from .heatmap import heatmap_html, heatmap_text
from .microscope import microscope
from .pieces import PieceTokenizer
from .race import race
from .stepper import stepper
from .trace import Trace, first_fault, interleave, messages_of, record

__all__ = [
    "PieceTokenizer",
    "Trace",
    "compare_html",
    "compare_text",
    "cost",
    "first_fault",
    "heatmap_html",
    "heatmap_text",
    "interleave",
    "messages_of",
    "microscope",
    "race",
    "record",
    "stepper",
]
