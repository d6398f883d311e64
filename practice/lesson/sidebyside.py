"""The same lines on the reference and on the reader's own code, one result below the other."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from practice.engine.overlay import NotWritten
from practice.lesson.view import View, box, escape


def side_by_side(function: Callable[[Any], Any], reference: ModuleType, yours: ModuleType) -> View:
    """What `function` returns for each of the two packages; a hole or an error is shown, not raised."""
    results = [("reference", _result(function, reference)), ("yours", _result(function, yours))]
    text = "\n".join(f"{name:<10} {result}" for name, result in results)
    rows = "".join(
        f"<tr><td class='soft'>{name}</td><td><code>{escape(result)}</code></td></tr>"
        for name, result in results
    )
    return View(text, box(f"<table>{rows}</table>"))


def _result(function: Callable[[Any], Any], package: ModuleType) -> str:
    try:
        return repr(function(package))
    except NotWritten as hole:
        return f"· {hole}"
    except Exception as error:  # the reader's own code: shown where they look
        return f"✗ {type(error).__name__}: {error}"
