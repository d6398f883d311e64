"""For all tests: nobody's answers, no network, and the project's own scripts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kernel import Kernel

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.pop("JUDGE", None)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it


@pytest.fixture(autouse=True)
def answers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty answers folder: no test reads or changes the one of whoever runs it."""
    folder = tmp_path / "answers"
    folder.mkdir()
    monkeypatch.setenv("JUDGE_ANSWERS", str(folder))
    return folder


@pytest.fixture
def judge_py(capsys: pytest.CaptureFixture[str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`judge.py` with its output piped, without the start of another Python."""
    from practice.desk.commands import main

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run


@pytest.fixture
def source_of() -> Callable[..., str]:
    """An answer's source: `source_of("d3")` is right, `source_of("d3", "moves_on_half")` that mistake."""
    from practice.engine import overlay
    from practice.exercise import load

    def source(id_: str, mistake: str | None = None) -> str:
        exercise = load(id_)
        right = overlay.reference_source(exercise)
        if mistake is None:
            return right
        [wrong] = [wrong for wrong in exercise.wrong if wrong.name == mistake]
        return wrong.source(exercise, right)

    return source


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small chapter, executed and stored as the real ones are. Nobody may change it."""
    import small_notebook

    from notebooks import store

    path = small_notebook.write(tmp_path_factory.mktemp("small") / "00_small.ipynb")
    store(path)
    return path


@pytest.fixture(scope="session")
def shared() -> Iterator[Kernel]:
    kernel = Kernel(JUDGE="")
    kernel.run("import os; from practice import judge")
    yield kernel
    kernel.close()


@pytest.fixture
def kernel(shared: Kernel, answers_folder: Path) -> Kernel:
    """The one kernel, with an empty answers folder, in chapter 00."""
    shared.run(f"os.environ['JUDGE_ANSWERS'] = {str(answers_folder)!r}; os.environ['JUDGE'] = ''")
    shared.run("judge.start('00')")
    return shared


@pytest.fixture
def write(answers_folder: Path, source_of: Callable[..., str]) -> Callable[..., Path]:
    """Writes an answer: right, or a named mistake."""

    def answer(id_: str, mistake: str | None = None, folder: Path = answers_folder) -> Path:
        path = folder / f"{id_}.py"
        path.write_text(source_of(id_, mistake), "utf-8")
        return path

    return answer
