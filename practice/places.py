"""Where things are: the one place for paths."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "practice" / "exercises"
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "benchmarks" / "results"  # what the benchmarks have saved last


def answers_folder() -> Path:
    """What the reader wrote; JUDGE_ANSWERS names another folder."""
    return Path(os.environ.get("JUDGE_ANSWERS") or ROOT / "practice" / "answers")
