"""JupyterLab in a real browser, for tests and for pictures of it.

    with Lab(folder, answers=folder) as lab:
        page = lab.open("03_incremental_detokenization.ipynb")
        lab.run_all(page)

The server has folders of its own and reaches nothing but this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

START = 90  # seconds for the server
CELLS = 180_000  # milliseconds for a notebook's cells
VIEW = {"width": 1366, "height": 768}  # a 13-inch screen


def chromium() -> str | None:
    """The path of a Chromium, or None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


class Lab:
    """A running JupyterLab and a browser that looks at it."""

    def __init__(self, folder: Path, *, answers: Path, dark: bool = False) -> None:
        self.folder, self.answers, self.dark = folder, answers, dark
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> Lab:
        try:
            self._serve()
            self._browse()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    # -------------------------------------------------------------- server

    def _serve(self) -> None:
        home = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self._settings(home / "settings")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.token = secrets.token_hex(16)
        own = {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
        own["JUPYTERLAB_SETTINGS_DIR"] = str(home / "settings")
        own["JUPYTERLAB_WORKSPACES_DIR"] = str(home / "workspaces")
        own["IPYTHONDIR"] = str(home / "ipython")
        own |= {"JUDGE_ANSWERS": str(self.answers), "JUDGE": "", "HF_HUB_OFFLINE": "1"}
        self.log = open(home / "log", "w+")  # noqa: SIM115
        self.stack.callback(self.log.close)
        flags = [
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            f"--port={self.port}",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.folder}",
            "--expose-app-in-browser",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ]
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *flags],
            env={**os.environ, **own},
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.stack.callback(_end, server)
        self._wait(server)

    def _settings(self, folder: Path) -> None:
        notices = folder / "@jupyterlab" / "apputils-extension"
        notices.mkdir(parents=True)
        quiet = {"fetchNews": "false", "checkForUpdates": False}
        (notices / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
        theme = {"theme": "JupyterLab Dark" if self.dark else "JupyterLab Light"}
        (notices / "themes.jupyterlab-settings").write_text(json.dumps(theme))

    def _wait(self, server: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + START
        while time.monotonic() < until and server.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.url}/api?token={self.token}", timeout=2).close()
                return
            time.sleep(0.2)
        self.log.seek(0)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read()[-3000:]}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    # -------------------------------------------------------------- browser

    def _browse(self) -> None:
        from playwright.sync_api import sync_playwright

        playwright = self.stack.enter_context(sync_playwright())
        # A root user, as in a container, has no sandbox.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        self.stack.callback(browser.close)
        scheme = "dark" if self.dark else "light"
        self.context = browser.new_context(viewport=VIEW, color_scheme=scheme)  # type: ignore[arg-type]

    def open(self, notebook: str) -> Any:
        """A page with the notebook, its kernel ready."""
        page = self.context.new_page()
        page.goto(f"{self.url}/lab/tree/{notebook}?token={self.token}")
        page.set_default_timeout(60_000)  # ms; a busy machine is slow, not wrong
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
            timeout=60_000,
        )
        with contextlib.suppress(Exception):  # more room; the file browser is not needed
            page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        return page

    def run_all(self, page: Any) -> None:
        """Runs all cells and waits until each has been run."""
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.wait_idle(page)

    def wait_idle(self, page: Any) -> None:
        """Waits until no cell is running or queued."""
        page.wait_for_function(
            "() => !window.jupyterapp.shell.currentWidget.content.widgets.some("
            "cell => cell.promptNode?.textContent?.includes('*'))"
            " && window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'",
            timeout=CELLS,
        )

    def run_cell(self, page: Any, number: int, source: str | None = None) -> None:
        """Types a source into a cell, if one is given, and runs it as Shift-Enter does."""
        page.evaluate(
            "number => { const book = window.jupyterapp.shell.currentWidget.content;"
            " book.activeCellIndex = number; book.mode = 'command';"
            " return book.scrollToItem?.(number, 'start'); }",
            number,
        )
        cell = page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{number}"]')
        editor = cell.locator(".cm-content")
        editor.click()
        if source is not None:
            page.keyboard.press("Control+A")
            page.keyboard.insert_text(source)
        page.keyboard.press("Shift+Enter")
        self.wait_idle(page)


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(15)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
