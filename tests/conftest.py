"""For all tests: nobody's answers, no network, and the project's own scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.pop("JUDGE", None)


@pytest.fixture(autouse=True)
def answers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty answers folder: no test reads or changes the one of whoever runs it."""
    folder = tmp_path / "answers"
    folder.mkdir()
    monkeypatch.setenv("JUDGE_ANSWERS", str(folder))
    return folder


@pytest.fixture
def judge_py() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `judge.py` as a reader does, its output piped."""

    def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "practice" / "judge.py"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)  # type: ignore[call-overload, no-any-return]

    return run


@pytest.fixture
def source_of() -> Callable[..., str]:
    """An answer's source: `source_of("d3")` is right, `source_of("d3", "moves_on_half")` that mistake."""
    from practice import overlay
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
