"""The files of the course: have they changed since they were loaded?"""

from __future__ import annotations

import importlib
import os
import sys

from practice.places import ROOT

PACKAGE, PRACTICE = ROOT / "minisgl_tok", ROOT / "practice"

# Modules of `practice` that exercises are made of. The judge's own are not loaded anew: a
# kernel has to be restarted for them, as for any code that it runs.
MATERIAL = ("practice.oracles", "practice.streams")

Stamp = dict[str, tuple[int, int]]  # path -> time of the last change in ns, size


def stamp() -> Stamp:
    """What the source files of the package and of `practice` look like now; answers are no part of it."""
    found: Stamp = {}
    for root in (PACKAGE, PRACTICE):
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in ("__pycache__", "answers")]
            for name in files:
                if name.endswith(".py"):
                    path = os.path.join(folder, name)
                    try:
                        status = os.stat(path)
                    except OSError:  # removed just now
                        continue
                    found[path] = (status.st_mtime_ns, status.st_size)
    return found


class Files:
    """The files as they were when they were loaded."""

    def __init__(self) -> None:
        self.stamp = stamp()

    def changed(self) -> bool:
        """Whether a file was changed, added or removed since the last time this was asked."""
        before, self.stamp = self.stamp, stamp()
        return self.stamp != before

    def reload(self) -> None:
        """Loads exercises anew, with what they are made of. Their errors are met when they are used."""
        importlib.invalidate_caches()
        for name in MATERIAL:
            if name in sys.modules:
                try:
                    importlib.reload(sys.modules[name])
                except Exception:
                    del sys.modules[name]
                    package, _, part = name.rpartition(".")
                    vars(sys.modules[package]).pop(part, None)
        for name in [name for name in sys.modules if name.startswith("practice.exercises.")]:
            del sys.modules[name]
