"""A class at a glance: every student's folder of answers, judged one after the other."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console

from practice.desk import course, terminal, wording
from practice.desk.terminal import Judged
from practice.engine.verdict import Judge, Verdict
from practice.exercise import Exercise

Row = tuple[str, list[Judged]]


def grade(
    folders: list[Path],
    exercises: list[Exercise],
    *,
    csv_file: Path | None = None,
    junit_file: Path | None = None,
) -> int:
    """Judges the answers in each folder (`d3.py` and so on) and prints a summary.

    Returns 0 only if every answer asked for passed.
    """
    rows: list[Row] = []
    with Judge() as judge:
        for name, folder in zip(names(folders), folders, strict=True):
            rows.append((name, [(exercise, _judge(judge, folder, exercise)) for exercise in exercises]))
            if sys.stderr.isatty():
                print(f"{name}: judged", file=sys.stderr)
    Console(width=None if sys.stdout.isatty() else 200).print(terminal.matrix(rows))
    if csv_file:
        _write_csv(csv_file, rows)
    if junit_file:
        _write_junit(junit_file, rows)
    return 0 if all(verdict.kind == "passed" for _, row in rows for _, verdict in row) else 1


def names(folders: list[Path]) -> list[str]:
    """What to call each student: the folder's name, or its whole path where two have the same.

    >>> names([Path("class/ada"), Path("class/bob")])
    ['ada', 'bob']
    """
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]


def _judge(judge: Judge, folder: Path, exercise: Exercise) -> Verdict:
    path = folder / f"{exercise.id}.py"
    try:
        source = path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return Verdict(exercise.id, "not written yet")
    except OSError as error:
        return Verdict(exercise.id, "error", note=f"{path.name} cannot be read: {error.strerror}")
    verdict = judge.judge(exercise.id, source, str(path))
    if verdict.kind in course.FAILED:
        judge.name(verdict)
    return verdict


def _write_csv(path: Path, rows: list[Row]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["student", "exercise", "verdict", "cases passed", "cases", "mistake"])
        for name, judged in rows:
            for exercise, verdict in judged:
                mistake = verdict.mistake.name if verdict.mistake else ""
                writer.writerow([name, exercise.id, verdict.kind, verdict.passed, verdict.total, mistake])


def _write_junit(path: Path, rows: list[Row]) -> None:
    root = ElementTree.Element("testsuites")
    for name, judged in rows:
        failed = [verdict for _, verdict in judged if verdict.kind != "passed"]
        waiting = [verdict for verdict in failed if verdict.kind == "not written yet"]
        suite = ElementTree.SubElement(root, "testsuite", name=name, tests=str(len(judged)))
        suite.set("failures", str(len(failed) - len(waiting)))
        suite.set("skipped", str(len(waiting)))
        for exercise, verdict in judged:
            title = wording.heading(exercise)
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=title)
            case.set("time", f"{verdict.seconds:.3f}")
            if verdict.kind == "not written yet":
                ElementTree.SubElement(case, "skipped", message=verdict.kind)
            elif verdict.kind != "passed":
                said = verdict.mistake.sentence if verdict.mistake else wording.symptom(verdict)
                failure = ElementTree.SubElement(case, "failure", type=verdict.kind, message=_xml(said))
                failure.text = _xml(terminal.as_text(terminal.details(exercise, verdict)))
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _xml(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return "".join(
        char for char in text if char in "\n\t" or (char >= " " and not "\ud800" <= char <= "\udfff")
    )
