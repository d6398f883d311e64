"""The command line: `python practice/judge.py …`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from practice.desk import course, finished, terminal, wording
from practice.desk.chapters import chapter_title
from practice.desk.course import UnknownExercise
from practice.desk.terminal import Judged
from practice.engine import answers
from practice.engine.verdict import Judge, Verdict
from practice.exercise import BadExercise, Exercise, exercise_ids, load

COMMANDS = {
    "hint": "one hint more for an exercise",
    "edit": "make the file of an answer from its starter",
    "reveal": "a solution, once yours has passed",
    "check": "does the course hold? hole, reference and every wrong answer get their own verdict",
    "sync": "write statements and starters into the notebooks, and what the pages say of them",
    "grade": "judge the answers of a class, one folder a student",
    "teacher": "goals, minutes and usual misconceptions of all exercises, as Markdown",
}


def main(argv: list[str]) -> int:
    """Runs one command. Returns the exit status: 0 only if all that was asked for passed."""
    try:
        if argv and argv[0] in COMMANDS:
            return _run_command(argv[0], argv[1:])
        return _judge(_judge_parser().parse_args(argv))
    except UnknownExercise as error:
        return _say(str(error))
    except BadExercise as error:
        return _say(f"course fault: {error}")
    except KeyboardInterrupt:
        return _say("interrupted, not judged", 130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the pipe has gone; nothing is left to say
        return 1


def _say(message: str, status: int = 2) -> int:
    print(f"judge.py: {message}", file=sys.stderr)
    return status


# ------------------------------------------------------------------ judging


def _judge_parser() -> argparse.ArgumentParser:
    others = "\n".join(f"  judge.py {name:8} {about}" for name, about in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="judge.py",
        description="Judges answers in practice/answers/ (or in the folder that JUDGE_ANSWERS names).",
        epilog=f"other commands (each has its own --help):\n{others}\n\n"
        "exit status: 0 if all that was asked for passed, 1 if not, 2 if the question was wrong\n"
        "The judge guards against accidents: endless loops, memory, a crash. It is no sandbox\n"
        "against an attacker, so read code of others before you judge it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="exercises, as d3; none: all of them")
    parser.add_argument("--file", metavar="F", type=Path, help="judge this file as the answer to the one ID")
    parser.add_argument("--name", action="store_true", help="name the mistake at once")
    parser.add_argument("--watch", action="store_true", help="go on, and judge each answer that changes")
    return parser


def _judge(asked: argparse.Namespace) -> int:
    if asked.file is not None and len(asked.ids) != 1:
        return _say("--file needs exactly one ID, as in: judge.py d3 --file mine.py")
    if asked.file is not None and asked.watch:
        return _say("--watch looks at the answers folder; it does not go with --file")
    exercises = [course.find(id_) for id_ in dict.fromkeys(asked.ids)] or list(map(load, exercise_ids()))
    with Judge() as judge:
        if asked.file is not None:
            try:
                source = asked.file.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                return _say(f"{asked.file} cannot be read: {error}")
            verdict = _verdict(judge, exercises[0], source, str(asked.file), asked.name)
            return _show([(exercises[0], verdict)], asked.name)
        if asked.watch:
            from practice.desk.watch import watch

            return watch(judge, exercises, asked.name)
        return _show(judge_saved(judge, exercises, asked.name), asked.name, everything=not asked.ids)


def judge_saved(judge: Judge, exercises: list[Exercise], name: bool) -> list[Judged]:
    """The verdict on the saved answer of each exercise; finished work is not judged again."""
    judged = []
    with Console(stderr=True).status("judging …") as status:
        for exercise in exercises:
            status.update(f"judging {exercise.id} …")
            judged.append((exercise, judge_one(judge, exercise, name)))
    return judged


def judge_one(judge: Judge, exercise: Exercise, name: bool) -> Verdict:
    source = answers.read(exercise)
    if source is None:
        return Verdict(exercise.id, "not written yet")
    if finished.is_finished(exercise, source):
        return finished.verdict(exercise, source)
    verdict = _verdict(judge, exercise, source, str(answers.path(exercise)), name)
    course.settle(judge, exercise, verdict, asked=name)
    return verdict


def _verdict(judge: Judge, exercise: Exercise, source: str, filename: str, name: bool) -> Verdict:
    verdict = judge.judge(exercise.id, source, filename)
    if name and verdict.kind in course.FAILED:
        judge.name(verdict)
    return verdict


def _show(judged: list[Judged], asked: bool, everything: bool = False) -> int:
    """Prints verdicts; the exit status is 0 if all of them passed."""
    passed = all(verdict.kind == "passed" for _, verdict in judged)
    if not sys.stdout.isatty():
        for exercise, verdict in judged:
            print(terminal.plain_line(exercise, verdict, asked))
        return 0 if passed else 1
    console = Console()
    unfinished = [(exercise, verdict) for exercise, verdict in judged if verdict.kind != "passed"]
    if everything:
        done = len(judged) - len(unfinished)
        at = (unfinished or judged)[0][0].chapter
        console.print()
        console.print(terminal.progress_bar(chapter_title(at), done, len(judged)))
        console.print()
    if len(judged) > 1:
        console.print(terminal.overview(judged))
        shown = next(((e, v) for e, v in unfinished if v.kind != "not written yet"), None)
    else:
        shown = judged[0]
    if shown:
        console.print()
        console.print(terminal.details(*shown, asked=asked))
    if unfinished:
        console.print()
        console.print(terminal.next_steps(*(shown if shown in unfinished else unfinished[0])))
    return 0 if passed else 1


# ------------------------------------------------------------------ the other commands


def _run_command(name: str, argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"judge.py {name}", description=COMMANDS[name].capitalize() + ".")
    if name in {"hint", "edit", "reveal"}:
        parser.add_argument("id", metavar="ID", help="an exercise, as d3")
    if name == "edit":
        parser.add_argument("--scaffold", action="store_true", help="with the steps of the body as comments")
    elif name == "reveal":
        parser.add_argument("--sure", action="store_true", help="also before yours has passed")
    elif name == "check":
        parser.add_argument("ids", nargs="*", metavar="ID", help="exercises; none: all of them")
    elif name == "sync":
        parser.add_argument(
            "--check", action="store_true", help="write nothing; status 1 if anything is stale"
        )
    elif name == "grade":
        parser.add_argument(
            "folders", nargs="+", metavar="FOLDER", type=Path, help="one student's answers each"
        )
        parser.add_argument("--only", metavar="ID", action="append", help="this exercise (may be repeated)")
        parser.add_argument("--junit", metavar="FILE", type=Path, help="also write JUnit XML")
        parser.add_argument("--csv", metavar="FILE", type=Path, help="also write CSV")
    return _ACTIONS[name](parser.parse_args(argv))


def _hint(asked: argparse.Namespace) -> int:
    exercise = course.find(asked.id)
    shown, hints = course.next_hint(exercise)
    print(f"{exercise.id}  hint {shown} of {len(exercise.hints)}  {hints[-1]}")
    return 0


def _edit(asked: argparse.Namespace) -> int:
    """Makes practice/answers/d3.py, unless an answer is there."""
    exercise = course.find(asked.id)
    path, there = answers.path(exercise), answers.read(exercise)
    if there is not None and not answers.is_unwritten(exercise, there):
        print(f"{course.shown_path(path)} holds an answer already; it stays as it is.")
        return 0
    answers.save(exercise, answers.starter(exercise, scaffold=asked.scaffold))
    print(f"{wording.heading(exercise)}\n\n{exercise.statement}\n")
    print(f"Now write {course.shown_path(path)}, then: python practice/judge.py {exercise.id}")
    return 0


def _reveal(asked: argparse.Namespace) -> int:
    exercise = course.find(asked.id)
    if not asked.sure and answers.passed(exercise) is None:
        return _say(
            f"{exercise.id} has not passed yet. A hint first? judge.py hint {exercise.id}."
            f" If you are sure: judge.py reveal {exercise.id} --sure",
            1,
        )
    print(course.solution(exercise), end="")
    return 0


def _check(asked: argparse.Namespace) -> int:
    from practice.engine.selfcheck import check

    ids = [course.find(id_).id for id_ in asked.ids] or None
    with Console(stderr=True).status("checking …") as status:
        report = check(ids, progress=lambda id_: status.update(f"checking {id_} …"))
    for name, problem in report.problems:
        print(f"{name}: {problem}")
    found = f"{len(report.problems)} problems" if report.problems else "all is as it should be"
    print(
        f"{report.exercises} exercises, {report.wrong_answers} wrong answers, {report.seconds:.0f} s: {found}"
    )
    return 0 if report.ok else 1


def _sync(asked: argparse.Namespace) -> int:
    from practice.desk import pages
    from practice.desk.chapters import notebooks
    from practice.desk.sync import sync

    findings = sync(notebooks(), write=not asked.check)
    for finding in findings:
        done = ": written" if finding.stale and not asked.check else ""
        print(f"{finding}{done}")
    stale = pages.sync(write=not asked.check)
    for line in stale:
        print(line)
    bad = [f for f in findings if f.broken or (f.stale and asked.check)]
    if not findings and not stale:
        print("statements and starters in the notebooks are up to date, and so are the pages")
    return 1 if bad or (stale and asked.check) else 0


def _grade(asked: argparse.Namespace) -> int:
    from practice.desk.grade import grade

    exercises = [course.find(id_) for id_ in asked.only or []] or list(map(load, exercise_ids()))
    missing = [folder for folder in asked.folders if not folder.is_dir()]
    if missing:
        return _say(f"no such folder: {', '.join(map(str, missing))}")
    return grade(asked.folders, exercises, csv_file=asked.csv, junit_file=asked.junit)


def _teacher(asked: argparse.Namespace) -> int:
    from practice.desk.teacher import page

    print(page(list(map(load, exercise_ids()))), end="")
    return 0


_ACTIONS = {
    "hint": _hint,
    "edit": _edit,
    "reveal": _reveal,
    "check": _check,
    "sync": _sync,
    "grade": _grade,
    "teacher": _teacher,
}
