"""What a notebook shows: a widget where a kernel runs, HTML and plain text everywhere else."""

from __future__ import annotations

import functools
import html
import re
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisgl_tok.show.theme import THEMES

if TYPE_CHECKING:
    import ipywidgets

WIDGET = "application/vnd.jupyter.widget-view+json"

# Colours come from the pictures' theme; these are the shapes of the judge's own words.
STYLE = f"""<style>
{THEMES}.mt.mt.mt.pj{{background:var(--mt-panel);color:var(--mt-text);border:1px solid var(--mt-line);border-radius:6px;
padding:10px 14px;font:14px/1.5 system-ui,"Segoe UI",Roboto,sans-serif;max-width:1180px}}
.mt.mt.mt.pj .soft{{color:var(--mt-soft)}}
.mt.mt.mt.pj .badge{{border:1.5px solid;border-radius:12px;padding:1px 10px;font-weight:600;background:var(--mt-ground)}}
.mt.mt.mt.pj .passed{{color:var(--mt-sent)}}.mt.mt.mt.pj .failed{{color:var(--mt-fault)}}.mt.mt.mt.pj .waits{{color:var(--mt-soft);border-style:dashed}}
.mt.mt.mt.pj .said{{border-left:3px solid var(--mt-line);padding-left:10px;margin:8px 0;color:var(--mt-text)}}
.mt.mt.mt.pj .said.failed{{border-color:var(--mt-fault)}}
.mt.mt.mt.pj code,.mt.mt.mt.pj pre{{font:13px/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,"Noto Sans CJK SC",monospace;background:none;color:inherit;padding:0}}
.mt.mt.mt.pj pre{{margin:4px 0 8px;padding:6px 10px;white-space:pre-wrap;background:var(--mt-ground);border:1px solid var(--mt-line);border-radius:4px}}
.mt.mt.mt.pj .wide{{overflow-x:auto}}
.mt.mt.mt.pj table{{border-collapse:collapse;margin:6px 0;font-size:13px;color:inherit}}
.mt.mt.mt.pj table td,.mt.mt.mt.pj table th{{text-align:left;padding:3px 18px 3px 4px;border:0;border-bottom:1px solid var(--mt-line);white-space:pre-wrap;background:none}}
.mt.mt.mt.pj table th{{color:var(--mt-soft);font-weight:600}}
.mt.mt.mt.pj table tr.first td{{background:var(--mt-new-ground)}}
.mt.mt.mt.pj .differs{{background:var(--mt-fault-ground);border-bottom:2px solid var(--mt-fault)}}
.mt.mt.mt.pj ul,.mt.mt.mt.pj ol{{margin:4px 0 4px 22px;padding:0}}
.mt.mt.mt.pj summary{{cursor:pointer}}
.mt.mt.mt.pj .mt{{background:none;padding:0}}
</style>"""


class View:
    """A display with three forms of one content.

    A stock widget shows nothing where no kernel runs; this brings its HTML along.

    >>> View("3 of 8", "<b>3</b> of 8")._repr_mimebundle_()
    {'text/plain': '3 of 8', 'text/html': '<b>3</b> of 8'}
    """

    def __init__(
        self, text: str, html: str, make_widget: Callable[[], ipywidgets.Widget] | None = None
    ) -> None:
        self.text = text
        self.html = html
        self._make_widget = make_widget

    @functools.cached_property
    def widget(self) -> ipywidgets.Widget | None:
        return self._make_widget() if self._make_widget else None

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        if self.widget is not None:
            bundle[WIDGET] = self.widget._repr_mimebundle_()[WIDGET]
        return bundle


def box(*parts: str) -> str:
    """HTML in the frame and colours of everything that the judge shows."""
    return f'{STYLE}<div class="mt pj">{"".join(parts)}</div>'


def escape(text: object) -> str:
    return html.escape(str(text))


def prose(text: object) -> str:
    """Words as HTML; what stands between backticks is code.

    >>> prose("ask `a < b` first")
    'ask <code>a &lt; b</code> first'
    """
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))


def safely(callback: Callable[..., None], place: ipywidgets.HTML) -> Callable[..., None]:
    """The callback; what it raises is shown in `place`, since a widget's own failure is invisible."""

    @functools.wraps(callback)
    def run(*arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception:
            place.value = box(f"<b>This failed.</b><pre>{escape(traceback.format_exc())}</pre>")

    return run


def button(label: str, action: Callable[[], None], place: ipywidgets.HTML) -> ipywidgets.Button:
    """A button; what its action raises is shown in `place`."""
    import ipywidgets

    made = ipywidgets.Button(description=label, layout=ipywidgets.Layout(width="auto"), tooltip=label)
    made.on_click(safely(lambda _: action(), place))
    return made
