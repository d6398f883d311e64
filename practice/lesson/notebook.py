"""The judge in a notebook: `%%answer`, `%%explain`, and a verdict with buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from practice.desk import card, course, terminal, wording
from practice.desk.chapters import ABLE, chapter_title, in_chapter
from practice.desk.course import Session, UnknownExercise
from practice.engine import answers
from practice.engine.overlay import Installed
from practice.engine.verdict import Verdict
from practice.exercise import BadExercise, Exercise
from practice.lesson import predict, replay
from practice.lesson.view import View, box, button, escape, prose

if TYPE_CHECKING:
    import ipywidgets
    from IPython.core.interactiveshell import InteractiveShell


class NotPassed(Exception):
    """An answer did not pass while a notebook was checked (JUDGE is set)."""


class VerdictView(View):
    """A verdict, with buttons where a kernel runs.

    The buttons: the mistake's name, the failed case in the stepper, a hint, the solution.
    """

    def __init__(self, session: Session, exercise: Exercise, verdict: Verdict, now: str = "") -> None:
        self.session, self.exercise, self.verdict, self.now = session, exercise, verdict, now
        self.asked = verdict.mistake is not None
        text = terminal.as_text(terminal.details(exercise, verdict, asked=self.asked)) + (
            f"\n  {now}" if now else ""
        )
        super().__init__(text, self._card(), self._widget)

    def _card(self) -> str:
        return card.card(self.exercise, self.verdict, asked=self.asked, now=self.now)

    def _widget(self) -> ipywidgets.Widget:
        import ipywidgets

        self.page = ipywidgets.HTML(self._card())
        self.note = ipywidgets.HTML()  # hints, the solution, a button's failure
        self.below = ipywidgets.VBox()  # the stepper
        self.buttons = ipywidgets.HBox(self._buttons(), layout={"flex_flow": "row wrap"})
        return ipywidgets.VBox([self.page, self.buttons, self.note, self.below])

    def _buttons(self) -> list[ipywidgets.Button]:
        verdict, made = self.verdict, []
        if verdict.kind in course.FAILED and not self.asked:
            made.append(button("what is it?", self.ask_name, self.note))
        if replay.possible(self.exercise, verdict):
            label = f"▶ replay at message {replay.message(verdict) + 1}"
            made.append(button(label, self.replay, self.note))
        if verdict.kind != "passed" and self.exercise.hints:
            made.append(button(self._hint_label(), self.hint, self.note))
        made.append(button("solution", self.solution, self.note))
        return made

    def _hint_label(self) -> str:
        shown, of = answers.load_state().hints.get(self.exercise.id, 0), len(self.exercise.hints)
        return f"hint {min(shown + 1, of)} of {of}"

    def ask_name(self) -> None:
        self.session.judge.name(self.verdict)
        self.asked = True
        self.page.value = self.html = self._card()
        self.buttons.children = self._buttons()

    def replay(self) -> None:
        self.player = replay.stepper(self.exercise, self.verdict)
        self.below.children = [self.player.box]

    def hint(self) -> None:
        self.note.value = hint(self.exercise).html
        self.buttons.children = self._buttons()

    def solution(self) -> None:
        if self.verdict.kind == "passed" or answers.passed(self.exercise) is not None:
            self.note.value = solution(self.exercise, sure=True).html
            return
        self.note.value = box(
            "The solution ends the thinking. Do you want to see it before yours has passed?"
        )
        sure = button("yes, show it", self._show_solution, self.note)
        self.buttons.children = [*self._buttons(), sure]

    def _show_solution(self) -> None:
        self.note.value = solution(self.exercise, sure=True).html
        self.buttons.children = self._buttons()


# ------------------------------------------------------------------ hints and solutions


def hint(exercise: Exercise) -> View:
    """One hint more than the last time, below those shown before."""
    shown, hints = course.next_hint(exercise)
    head = f"{exercise.id}: hint {shown} of {len(exercise.hints)}"
    text = "\n".join([head, *(f"  {n}  {line}" for n, line in enumerate(hints, 1))])
    items = "".join(f"<li>{prose(line)}</li>" for line in hints)
    return View(text, box(f"<b>{head}</b><ol>{items}</ol>"))


def solution(exercise: Exercise, *, sure: bool) -> View:
    """The reference's source, after the reader's own has passed or when they are sure."""
    if not sure and answers.passed(exercise) is None:
        text = (
            f"{exercise.id} has not passed yet, and the solution ends the thinking. A hint first?"
            f' judge.hint("{exercise.id}"). If you are sure: judge.reveal("{exercise.id}", sure=True)'
        )
        return View(text, box(escape(text)))
    source = course.solution(exercise)
    place = f"One solution of {exercise.id}; in the package it is {exercise.target}."
    return View(f"{place}\n\n{source}", box(escape(place), f"<pre>{escape(source)}</pre>"))


def scaffold(exercise: Exercise) -> View:
    """The starter with the steps of its body as comments, to be copied."""
    if not exercise.scaffold:
        text = f"{exercise.id} has no scaffold; it is short enough."
        return View(text, box(escape(text)))
    source = f"%%answer {exercise.id}\n{answers.starter(exercise, scaffold=True)}"
    return View(source, box("Copy this over your cell.", f"<pre>{escape(source)}</pre>"))


# ------------------------------------------------------------------ the magics


def load_magics(shell: InteractiveShell, session: Session) -> None:
    """Makes `%%answer` and `%%explain` known to a notebook."""
    for function in (answer, explain):
        shell.magics_manager.register_function(_magic(function, session), "cell", function.__name__)


def _magic(function: Callable[[Session, str, str], None], session: Session) -> Callable[..., None]:
    def magic(line: str, cell: str = "") -> None:
        function(session, line, cell)

    magic.__name__, magic.__doc__ = function.__name__, function.__doc__
    return magic


def answer(session: Session, line: str, cell: str) -> None:
    """%%answer d3: keep the cell as the answer to d3, judge it, and use it once it has passed."""
    from IPython.display import display

    try:
        exercise = _one_exercise(line)
        if not cell.strip() and course.mode() == "":
            raise UnknownExercise(
                f"the cell is empty: write `{exercise.function_name}` below %%answer {exercise.id}"
            )
        verdict = session.answer(exercise, cell)
    except (UnknownExercise, BadExercise) as error:
        _refuse(str(error), error)
        return
    except KeyboardInterrupt:
        if course.mode():
            raise
        display(
            View("interrupted, not judged", box("Interrupted, not judged. Run the cell again when you like."))
        )
        return
    except Exception as error:  # the folder, the judge itself: a reader's cell is never red for that
        _refuse(f"{type(error).__name__}: {error}", error)
        return
    view = VerdictView(session, exercise, verdict, session.what_now(exercise, verdict))
    display(view)
    if course.mode() and verdict.kind != "passed":
        raise NotPassed(f"{exercise.id}: {verdict.kind}\n{view.text}")


def explain(session: Session, line: str, cell: str) -> None:
    """%%explain 03: keep three sentences on a chapter, then tick four points."""
    from IPython.display import display

    try:
        display(predict.explain(line.strip(), cell))
    except KeyError as error:
        _refuse(error.args[0], error)


def _one_exercise(line: str) -> Exercise:
    ids = line.partition("#")[0].split()
    if not ids:
        raise UnknownExercise("%%answer needs the id of an exercise, as in: %%answer d3")
    if len(ids) > 1:
        raise UnknownExercise(f"%%answer takes one id, and here are {len(ids)}: {', '.join(ids)}")
    return course.find(ids[0])


def _refuse(message: str, error: Exception) -> None:
    from IPython.display import display

    display(View(message, box(f"<b>Not judged:</b> {escape(message)}")))
    if course.mode():
        raise NotPassed(message) from error


# ------------------------------------------------------------------ a chapter's first and last cell


def opening(session: Session, installed: dict[str, Installed]) -> View:
    """Which code runs where, after `judge.start`."""
    assert session.chapter is not None
    own = in_chapter(session.chapter)
    earlier = [course.find(id_) for id_ in installed if course.find(id_).chapter < session.chapter]
    title = chapter_title(session.chapter)
    lines = [
        ("to write", [exercise.id for exercise in own if installed[exercise.id] == "hole"]),
        ("yours", [exercise.id for exercise in [*earlier, *own] if installed[exercise.id] == "yours"]),
        ("the package's own", [exercise.id for exercise in earlier if installed[exercise.id] == "reference"]),
    ]
    lines = [(name, ids) for name, ids in lines if ids] or [("nothing to write", [])]
    done, of = course.progress()
    text = "\n".join(
        [
            title,
            *(f"  {name}: {' '.join(ids)}" for name, ids in lines),
            f"  {done} of {of} exercises have passed",
            *(f"  {trouble}" for trouble in session.troubles),
        ]
    )
    rows = "".join(
        f"<tr><td class='soft'>{name}</td><td><code>{' '.join(ids)}</code></td></tr>" for name, ids in lines
    )
    return View(
        text,
        box(
            f"<b>{escape(title)}</b> <span class='soft'>· {done} of {of} exercises have passed</span>",
            f"<table>{rows}</table>",
            *(f"<div>{escape(trouble)}</div>" for trouble in session.troubles),
        ),
    )


def closing(session: Session, chapter: str, verdicts: list[tuple[Exercise, Verdict]]) -> View:
    """How the reader's own answers of a chapter do together."""
    exercises = in_chapter(chapter)
    together = {exercise.id: verdict for exercise, verdict in verdicts}
    passed = [id_ for id_, verdict in together.items() if verdict.kind == "passed"]
    missing = [exercise.id for exercise in exercises if exercise.id not in together]
    failed = {id_: verdict for id_, verdict in together.items() if verdict.kind != "passed"}
    lines = []
    if passed and not failed:
        lines.append(f"On your own code alone, all together: ✓ {' '.join(passed)}")
    for id_, verdict in failed.items():
        lines.append(
            f"On your own code alone, all together: {wording.badge(verdict)} {id_}: {wording.symptom(verdict)}"
        )
    if missing:
        lines.append(f"Not yours yet: {' '.join(missing)}. The package's own code stands in for it.")
    if not missing and not failed:
        lines.append(ABLE.get(chapter, ""))
    head = f"{chapter_title(chapter)}: {len(passed)} of {len(exercises)} yours"
    page = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return View("\n".join([head, *(f"  {line}" for line in lines)]), box(f"<b>{escape(head)}</b>", page))
