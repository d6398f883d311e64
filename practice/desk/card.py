"""A verdict as HTML, for the notebook. It says all in words and signs; colour only helps."""

from __future__ import annotations

from minisgl_tok.show import compare_html
from practice.desk import wording
from practice.engine.verdict import Failure, Verdict
from practice.exercise import Exercise
from practice.lesson.view import box, escape, prose

CLASSES = {"passed": "passed", "not written yet": "waits"}


def card(exercise: Exercise, verdict: Verdict, *, asked: bool = False, now: str = "") -> str:
    """The whole verdict. `asked`: its name was asked for; `now`: what runs from now on."""
    parts = [_heading(exercise, verdict), _said(verdict, asked)]
    if verdict.failure is not None:
        parts.append(_failure(verdict))
    parts += [_own_lines(verdict), _printed(verdict)]
    if now:
        parts.append(f"<div class='soft'>{escape(now)}</div>")
    return box(*parts)


def _heading(exercise: Exercise, verdict: Verdict) -> str:
    kind = CLASSES.get(verdict.kind, "failed")
    about = " · ".join(filter(None, [f"chapter {exercise.chapter}", wording.count(verdict)]))
    return (
        f"<div><span class='badge {kind}'>{escape(wording.badge(verdict))}</span> "
        f"<b>{escape(wording.heading(exercise))}</b> <span class='soft'>· {about}</span></div>"
    )


def _said(verdict: Verdict, asked: bool) -> str:
    if verdict.mistake:
        sentence = f"<b>{prose(verdict.mistake.sentence)}</b>"
        return (
            f"<div class='said failed'>{sentence}<br><span class='soft'>{verdict.mistake.name}</span></div>"
        )
    said = wording.symptom(verdict)
    unknown = "<b>Not a mistake I know.</b> " if asked and verdict.kind != "passed" else ""
    return f"<div class='said'>{unknown}{prose(said)}</div>" if said or unknown else ""


def _failure(verdict: Verdict) -> str:
    failure = verdict.failure
    assert failure is not None
    signs = f" <span class='marks'>{' '.join(wording.marks(verdict))}</span>" if verdict.marks else ""
    parts = [
        f"<div class='soft'>{escape(wording.case_title(failure))}{signs}</div>",
        f"<div class='wide'>{_table(failure)}</div>",
    ]
    for name, expected, yours in wording.others(failure):
        parts.append(
            f"<div>{escape(name)}: {_cell(yours)}, expected <code>{escape(expected.text)}</code></div>"
        )
    return "".join(parts)


def _table(failure: Failure) -> str:
    if (rows := wording.stream(failure)) is not None:
        return compare_html(*rows, failure.row)
    table = wording.table(failure)
    heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
    body = ""
    for number, row in enumerate(table.rows):
        cells = "".join(f"<td>{_cell(cell)}</td>" for cell in row)
        body += f"<tr class='first'>{cells}</tr>" if number == table.marked else f"<tr>{cells}</tr>"
    return f"<table><tr>{heads}</tr>{body}</table>"


def _cell(cell: wording.Cell) -> str:
    text = f"<code>{escape(cell.text)}</code>"
    return f"<span class='differs' title='differs'>≠ {text}</span>" if cell.differs else text


def _own_lines(verdict: Verdict) -> str:
    lines = [f"line {number:3}   {line}" for number, line in wording.own_lines(verdict)]
    return f"<div class='soft'>in your answer</div><pre>{escape(chr(10).join(lines))}</pre>" if lines else ""


def _printed(verdict: Verdict) -> str:
    printed = wording.printed(verdict)
    return f"<div class='soft'>it printed</div><pre>{escape(printed[:2000])}</pre>" if printed else ""
