"""Pictures of streaming: recorded once, drawn as HTML and as text, stepped in a notebook.

`trace.record` writes down what a manager does; `html` and `text` draw it; `stepper` puts
widgets around that. The functions take the place of modules of the same name.
"""

from __future__ import annotations

from .compare import compare_html, compare_text
from .pieces import PieceTokenizer
from .stepper import stepper
from .trace import Trace, first_fault, interleave, messages_of, record

__all__ = [
    "PieceTokenizer",
    "Trace",
    "compare_html",
    "compare_text",
    "first_fault",
    "interleave",
    "messages_of",
    "record",
    "stepper",
]
