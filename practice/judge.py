"""The judge's front door.

In a terminal, from any folder:

    python practice/judge.py              all exercises
    python practice/judge.py d3           one of them
    python practice/judge.py --help       and what else there is

In a notebook:

    from practice import judge
    judge.start("03")
"""

from __future__ import annotations

import sys


def _with_the_environment() -> None:
    """Goes on in the project's own environment where this Python lacks what the judge needs."""
    import importlib.util
    import os
    from pathlib import Path

    root = Path(__file__).resolve().parent.parent
    sys.path[0] = str(root)  # else practice/ itself would come first, and hide other packages
    needed = ("msgspec", "rich", "tokenizers")
    if sys.version_info >= (3, 11) and all(importlib.util.find_spec(name) for name in needed):
        return
    for python in (root / ".venv/bin/python", root / ".venv/Scripts/python.exe"):
        if python.is_file() and not os.environ.get("JUDGE_REEXECUTED"):
            os.environ["JUDGE_REEXECUTED"] = "1"
            sys.stdout.flush()
            os.execv(python, [str(python), str(Path(__file__).resolve()), *sys.argv[1:]])
    sys.exit("judge.py needs the project's environment, which is not there yet: run `make lab` once.")


if __name__ == "__main__":
    _with_the_environment()
    from practice.desk.commands import main

    sys.exit(main(sys.argv[1:]))
else:
    from practice.lesson.cells import (
        JAPANESE,
        KOREAN,
        both,
        closing,
        entry,
        hint,
        managers,
        predict,
        predicted,
        reference,
        results,
        reveal,
        scaffold,
        show,
        speed,
        start,
        yours,
    )

    __all__ = [
        "JAPANESE",
        "KOREAN",
        "both",
        "closing",
        "entry",
        "hint",
        "managers",
        "predict",
        "predicted",
        "reference",
        "results",
        "reveal",
        "scaffold",
        "show",
        "speed",
        "start",
        "yours",
    ]
