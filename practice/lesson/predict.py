"""Understanding beyond code: predictions before a key cell, and a chapter in one's own words.

Nothing here blocks and nothing is graded. What a reader chose or wrote is kept in the
answers folder; without it every display is the same on each run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from practice.engine import answers
from practice.lesson.predictions import POINTS, PREDICTIONS, Prediction
from practice.lesson.view import View, box, button, escape, prose, safely

if TYPE_CHECKING:
    import ipywidgets

SENTENCES = 3


# ------------------------------------------------------------------ predictions


def predict(id_: str) -> View:
    """Asks for a prediction. It is kept, and `predicted` shows it beside the truth."""
    asked = _prediction(id_)
    options = asked.choices or asked.blanks
    many = " (more than one may be right)" if asked.several else ""
    title = f"Before you run the next cell: {asked.question}{many}"
    text = "\n".join([title, *(f"  ○ {option}" for option in options)])
    marks = "".join(f"<li>{escape(option)}</li>" for option in options)
    page = box(f"<b>Predict.</b> {prose(asked.question)}{many}<ul>{marks}</ul>")
    return View(text, page, lambda: _form(asked, many))


def predicted(id_: str) -> View:
    """The prediction of that id beside the truth."""
    asked = _prediction(id_)
    yours, truth = _kept(id_), asked.truth()
    if yours is None:
        verdict, said = "you made no prediction", "–"
    else:
        verdict = "✓ as you said" if same(asked, yours, truth) else "✗ not as you said"
        said = _joined(asked, yours)
    lines = [("you said", said), ("so it is", _joined(asked, truth))]
    text = "\n".join([asked.question, *(f"  {name}: {value}" for name, value in lines), verdict, asked.why])
    rows = "".join(
        f"<tr><td class='soft'>{name}</td><td><b>{escape(value)}</b></td></tr>" for name, value in lines
    )
    page = box(
        f"{prose(asked.question)}<table>{rows}</table><b>{verdict}</b><p class='said'>{prose(asked.why)}</p>"
    )
    return View(text, page)


def same(asked: Prediction, yours: list[str], truth: list[str]) -> bool:
    """Whether a prediction is right. In typed lines only the numbers count, if there are any.

    >>> same(PREDICTIONS["p3rows"], ["0,0,0", "0 2 1", "2 4 2"], ["0 · 0 · 0", "0 · 2 · 1", "2 · 4 · 2"])
    True
    """
    if asked.choices:
        return set(yours) == set(truth)
    return [_bare(line) for line in yours] == [_bare(line) for line in truth]


def _bare(line: str) -> Any:
    return re.findall(r"-?\d+", line) or line.strip().casefold()


def _joined(asked: Prediction, values: list[str]) -> str:
    if asked.blanks:
        return "; ".join(f"{blank}: {value}" for blank, value in zip(asked.blanks, values, strict=False))
    return ", ".join(values) or "none of them"


def _kept(id_: str) -> list[str] | None:
    kept = answers.load_state().predictions.get(id_)
    return None if kept is None else kept.split("\n")


def _prediction(id_: str) -> Prediction:
    if id_ not in PREDICTIONS:
        raise KeyError(f"there is no prediction {id_!r}; there are {', '.join(PREDICTIONS)}")
    return PREDICTIONS[id_]


def _form(asked: Prediction, many: str) -> ipywidgets.Widget:
    import ipywidgets

    kept = _kept(asked.id)
    note = ipywidgets.HTML()
    fields: list[Any]
    if asked.several:
        fields = [
            ipywidgets.Checkbox(description=choice, value=choice in (kept or []), indent=False)
            for choice in asked.choices
        ]
    elif asked.choices:
        value = kept[0] if kept and kept[0] in asked.choices else None
        layout = ipywidgets.Layout(width="max-content")
        fields = [ipywidgets.RadioButtons(options=asked.choices, value=value, layout=layout)]
    else:
        filled = [*(kept or []), *[""] * len(asked.blanks)]
        fields = [
            ipywidgets.Text(description=blank, value=value, style={"description_width": "initial"})
            for blank, value in zip(asked.blanks, filled, strict=False)
        ]

    def keep() -> None:
        if asked.several:
            values = [field.description for field in fields if field.value]
        else:
            values = [field.value or "" for field in fields]
        if not asked.several and not any(value.strip() for value in values):
            note.value = box("Nothing chosen yet.")
            return
        with answers.changing() as state:
            state.predictions[asked.id] = "\n".join(values)
        note.value = box(f"Kept: <b>{escape(_joined(asked, values))}</b>. Go on; the truth comes below.")

    title = ipywidgets.HTML(box(f"<b>Predict.</b> {prose(asked.question)}{many}"))
    return ipywidgets.VBox([title, *fields, button("keep my prediction", keep, note), note])


# ------------------------------------------------------------------ in one's own words


def explain(chapter: str, text: str) -> View:
    """Keeps a reader's three sentences on a chapter, then shows four points to tick.

    Raises KeyError where the chapter has no points.
    """
    if chapter not in POINTS:
        raise KeyError(f"there is nothing to explain for {chapter!r}; there is for {', '.join(POINTS)}")
    sentences = [line for line in text.splitlines() if line.strip(" .…#") and not line.startswith("#")]
    said = re.findall(r"\w[^.!?。！？]*[.!?。！？]?", " ".join(sentences))
    if not said:
        message = (
            f"Not written yet: {SENTENCES} sentences in your own words, in the place of the dots;"
            " then four points appear that you can tick yourself."
        )
        return View(message, box(message))
    with answers.changing() as state:
        state.explanations[chapter] = text.strip()
    heading = "Saved with your answers."
    if len(said) < SENTENCES:
        heading += f" That is {len(said)} of {SENTENCES} sentences; here are the points all the same."
    points = POINTS[chapter]
    plain = "\n".join([heading, "Did you say this?", *(f"  ☐ {point}" for point in points)])
    folded = "".join(
        f"<details><summary>☐ point {n}</summary>{prose(p)}</details>" for n, p in enumerate(points, 1)
    )
    return View(plain, box(f"{heading} Did you say this?{folded}"), lambda: _ticks(chapter, heading))


def _ticks(chapter: str, heading: str) -> ipywidgets.Widget:
    import ipywidgets

    key = f"{chapter} ticked"
    ticked = set(answers.load_state().explanations.get(key, "").split())
    failed = ipywidgets.HTML()
    rows = []

    def remember(number: str, now: bool) -> None:
        (ticked.add if now else ticked.discard)(number)
        with answers.changing() as state:
            state.explanations[key] = " ".join(sorted(ticked))

    for number, point in enumerate(POINTS[chapter], 1):
        about = {"description": f"point {number}", "indent": False, "layout": {"width": "120px"}}
        tick = ipywidgets.Checkbox(value=str(number) in ticked, **about)
        tick.observe(safely(lambda change, n=str(number): remember(n, change.new), failed), "value")
        opened = ipywidgets.HTML(f"<details><summary>show</summary>{prose(point)}</details>")
        rows.append(ipywidgets.HBox([tick, opened]))
    title = ipywidgets.HTML(box(f"{escape(heading)} Unfold the four points; tick what you said."))
    return ipywidgets.VBox([title, *rows, failed])
