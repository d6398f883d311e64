"""The small parts that all pictures in HTML are made of."""

from __future__ import annotations

from html import escape

from .theme import STYLE
from .visible import sentence, visible


def page(body: str, *, style: bool = True) -> str:
    """The body in the element that carries the theme."""
    return f'{STYLE if style else ""}<div class="mt">{body}</div>'


def panel(title: str, body: str) -> str:
    return f'<div class="panel"><h4>{escape(title)}</h4>{body}</div>'


def text(raw: str) -> str:
    """Any text as HTML: made visible, escaped, its direction kept to itself."""
    marked = escape(visible(raw)).replace("\ufffd", '<span class="half">\ufffd</span>')
    return "<bdi>" + marked.replace("␣", '<span class="sp">␣</span>') + "</bdi>"


def text_words(words: str) -> str:
    """A words of `words.py`, whose quoted text is visible already."""
    return escape(words).replace("\ufffd", '<span class="half">\ufffd</span>')


def shorten(raw: str, keep: int = 48) -> str:
    """The end of a long text, behind three dots."""
    return raw if len(raw) <= keep else "…" + raw[-keep:]


def fault(words: str) -> str:
    """A line that says what went wrong."""
    return f'<p class="say fault">✗ {escape(sentence(words))}</p>'
