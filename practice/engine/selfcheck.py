"""What `judge.py check` proves of the course itself: every exercise can be judged, and only right answers pass.

For each exercise: the hole is "not written yet"; the reference passes, fresh cases included;
no wrong answer passes, each is named as itself and no two behave alike; the words are there
(statement, hints, minutes), and no sentence gives the code away.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import time
import tokenize
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from practice.engine import answers, overlay
from practice.engine.cases import cases_of
from practice.engine.runner.client import RunnerTrouble
from practice.engine.verdict import Judge, alike, is_right
from practice.exercise import FOLDER, BadExercise, Exercise, Wrong, exercise_ids, load

FEWEST_WRONG, FEWEST_HINTS = 3, 3
SEEDS = (1, 2, 3)  # for the fresh cases on which the reference must be right
SLOW = 0.5  # part of an exercise's time limit that the reference may take on one case


@dataclass
class Report:
    """What was found. The course is in order where `problems` is empty."""

    problems: list[tuple[str, str]] = field(default_factory=list)  # exercise (or file), what is wrong
    exercises: int = 0
    wrong_answers: int = 0
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return not self.problems


def check(
    ids: Iterable[str] | None = None,
    *,
    judge: Judge | None = None,
    progress: Callable[[str], None] = lambda id_: None,
) -> Report:
    """Checks the exercises (all of them, and the folder, where `ids` is None).

    `progress` is called with the id of each exercise before it is checked.
    """
    began = time.monotonic()
    report = Report()
    if judge is None:
        with Judge() as judge:
            _check(ids, judge, report, progress)
    else:
        _check(ids, judge, report, progress)
    report.seconds = time.monotonic() - began
    return report


def _check(ids: Iterable[str] | None, judge: Judge, report: Report, progress: Callable[[str], None]) -> None:
    judge.warm()
    if ids is None:
        report.problems += [(name, "is no exercise: what is it doing here?") for name in strays()]
        ids, unreadable = _readable()
        report.problems += unreadable
    for id_ in ids:
        progress(id_)
        report.exercises += 1
        try:
            exercise = load(id_)
            problems = [*problems_of_words(exercise), *problems_of_code(exercise, judge)]
            report.wrong_answers += len(exercise.wrong)
        except (BadExercise, RunnerTrouble) as error:
            problems = [str(error)]
        except Exception as error:  # a file that does not even load, or an id that is none
            problems = [f"cannot be read: {type(error).__name__}: {error}"]
        report.problems += [(id_, problem) for problem in problems]


def _readable() -> tuple[list[str], list[tuple[str, str]]]:
    """The ids in their order; where one file is broken, all that load, and the others as problems."""
    try:
        return exercise_ids(), []
    except Exception:
        good, bad = [], []
        for path in sorted(FOLDER.glob("*.py")):
            if path.stem != "__init__":
                try:
                    load(path.stem)
                    good.append(path.stem)
                except Exception as error:
                    bad.append((path.stem, f"cannot be read: {type(error).__name__}: {error}"))
        return good, bad


def strays() -> list[str]:
    """What lies in `exercises/` and is no exercise: an id is a letter and a number."""
    return [
        path.name
        for path in sorted(FOLDER.iterdir())
        if path.name not in ("__init__.py", "__pycache__")
        and not (path.is_file() and re.fullmatch(r"[a-z]\d{1,2}\.py", path.name))
    ]


# ------------------------------------------------------------------ code


def problems_of_code(exercise: Exercise, judge: Judge) -> list[str]:
    """What hole, reference and wrong answers do that they should not."""
    reference = overlay.reference_source(exercise)
    if problem := _hole(exercise):
        return [problem]
    starter = judge.judge(exercise.id, answers.starter(exercise, scaffold=True))
    if starter.kind != "not written yet":
        return [f"the starter is judged as {starter.kind!r}. {starter.note}"]
    if problem := _reference(exercise, reference, judge):
        return [problem]  # nothing else can be right then
    return _wrong_answers(exercise, judge)


def _hole(exercise: Exercise) -> str:
    hole = overlay.hole(exercise)
    places = [p for p in inspect.signature(hole).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    names = [p.name for p in inspect.signature(hole).parameters.values() if p.kind is p.KEYWORD_ONLY]
    try:
        hole(*[None for p in places if p.kind is not p.VAR_KEYWORD], **dict.fromkeys(names))
    except overlay.NotWritten as error:
        return "" if exercise.id in str(error) else f"the hole does not say which it is: {error}"
    return "the hole does not raise NotWritten"


def _reference(exercise: Exercise, reference: str, judge: Judge) -> str:
    tries = [cases_of(exercise, seed) for seed in SEEDS]
    cases = tries[0].fixed + [case for some in tries for case in some.fresh]
    expected = tries[0].expected[: len(tries[0].fixed)]
    expected += [value for some in tries for value in some.expected[len(some.fixed) :]]
    run = judge.client.run(exercise, reference, "<reference>", cases)
    if run.unloadable is not None:
        return f"the reference cannot be put in its place: {run.unloadable.message}"
    for case, right, outcome in zip(cases, expected, run.outcomes, strict=True):
        where = f"on the case {case['name']!r}"
        if not is_right(outcome, right):
            given = f"{outcome.raised}: {outcome.message}" if outcome.raised else f"{outcome.value!r:.300}"
            return f"the reference fails {where}: {given}, expected {right!r:.300}"
        if outcome.seconds > SLOW * exercise.seconds:
            return (
                f"the reference takes {outcome.seconds:.1f} s {where}; the limit is {exercise.seconds:g} s"
                " (does it import what nobody has warmed up?)"
            )
    return ""


def _wrong_answers(exercise: Exercise, judge: Judge) -> list[str]:
    problems: list[str] = []
    cases = cases_of(exercise, SEEDS[0])
    behaviours = judge.outcomes_of_wrong_answers(exercise)
    for number, (wrong, outcomes) in enumerate(behaviours):
        if not outcomes:
            problems.append(f"{wrong.name} cannot be put in the target's place")
        elif all(map(is_right, outcomes, cases.expected)):
            problems.append(f"{wrong.name} passes all fixed cases: nobody can be told of it")
        for other, others in behaviours[:number]:
            if outcomes and alike(outcomes, others):
                problems.append(f"{wrong.name} and {other.name} do the same on all fixed cases")
    return problems


# ------------------------------------------------------------------ words


def problems_of_words(exercise: Exercise) -> list[str]:
    """What is missing of a statement, hints and numbers, and sentences that give the code away."""
    problems = []
    if len(exercise.hints) < FEWEST_HINTS or not all(hint.strip() for hint in exercise.hints):
        problems.append(f"there are {len(exercise.hints)} hints; {FEWEST_HINTS} are the least, none empty")
    if exercise.minutes <= 0:
        problems.append("the minutes are missing")
    if exercise.difficulty not in (1, 2, 3, 4):
        problems.append(f"the difficulty is {exercise.difficulty}; it goes from 1 to 4")
    if len(exercise.wrong) < FEWEST_WRONG:
        problems.append(f"there are {len(exercise.wrong)} wrong answers; {FEWEST_WRONG} are the least")
    for wrong in exercise.wrong:
        if not wrong.sentence.strip():
            problems.append(f"{wrong.name} has no sentence")
        if given_away := shared_tokens(exercise, wrong):
            problems.append(f"the sentence of {wrong.name} gives code away: {', '.join(sorted(given_away))}")
    return problems


WORDS = re.compile(r"[^\W\d]\w*(?:\.\w+)*|\d+(?:\.\d+)?|0[xX][0-9a-fA-F]+")
SIGNS = re.compile(r"==|!=|<=|>=|\+=|-=|\*\*|//|->|:=|<<|>>|\[:|:\]|\[-|[<>&|^~%@+*/=]")
NO_CODE = re.compile(r"U\+[0-9A-F]{4,6}|<[^<>\s]*>")  # a code point, a special token
COMMON_NUMBERS = {"0", "1", "2"}  # a sentence may say "1" of anything


def shared_tokens(exercise: Exercise, wrong: Wrong) -> set[str]:
    """Code tokens of a sentence that only the reference's body has.

    A code token of a sentence is a word that no English text holds (with an underscore, a
    digit, an inner dot or an inner capital), any word inside backticks, an operator, and a
    number other than 0, 1 and 2. What the statement or the starter holds is no secret.
    """
    known = _code_tokens(exercise.statement) | _tokens(answers.starter(exercise, scaffold=True))
    known |= {word for name in list(known) for word in name.split(".")}
    return (_code_tokens(wrong.sentence) & _tokens(overlay.reference_source(exercise))) - known


def _code_tokens(text: str) -> set[str]:
    text = NO_CODE.sub(" ", text)
    quoted = " ".join(re.findall(r"`([^`]*)`", text))
    found = {word for word in WORDS.findall(text) if _looks_like_code(word)}
    found |= set(WORDS.findall(quoted)) | set(SIGNS.findall(text))
    found |= {part for word in found for part in word.split(".") if part}
    return found - COMMON_NUMBERS


def _looks_like_code(word: str) -> bool:
    inside = word[1:]
    return bool(re.search(r"[_\d.]", word) or (re.search(r"[A-Z]", inside) and re.search(r"[a-z]", word)))


def _tokens(source: str) -> set[str]:
    """Names, operators, numbers and the words of texts in a function's code; docstrings are none of it."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None and len(node.body) > 1:
            del node.body[0]
    found: set[str] = set()
    for token in tokenize.generate_tokens(io.StringIO(ast.unparse(tree)).readline):
        if token.type == tokenize.STRING:
            found |= set(WORDS.findall(token.string))
        elif token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER):
            found.add(token.string)
    return found | set(SIGNS.findall(ast.unparse(tree)))
