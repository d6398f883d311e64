"""A real IPython kernel for tests, and what its cells show."""

from __future__ import annotations

import os
import queue
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Shown:
    """What one cell showed."""

    text: str = ""
    html: str = ""
    error: str | None = None
    widgets: list[str] = field(default_factory=list)


class Kernel:
    """Runs cells one after the other, as a notebook does."""

    def __init__(self, **environment: str) -> None:
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(ROOT / "notebooks"), env={**os.environ, **environment})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def send(self, code: str) -> str:
        """Starts a cell and does not wait for it."""
        return self.client.execute(code, store_history=True)

    def run(self, code: str, timeout: float = 60) -> Shown:
        return self.wait(self.send(code), timeout)

    def wait(self, cell: str, timeout: float = 60) -> Shown:
        """What a cell that was sent has shown when it is over."""
        shown = Shown()
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=timeout)
            except queue.Empty:
                raise AssertionError(f"the cell did not end within {timeout} s") from None
            if message["parent_header"].get("msg_id") != cell:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return shown
            _add(shown, message["msg_type"], message["content"])

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def _add(shown: Shown, kind: str, content: dict[str, Any]) -> None:
    if kind == "stream":
        shown.text += content["text"]
    elif kind in {"display_data", "execute_result"}:
        data = content["data"]
        shown.text += data.get("text/plain", "")
        shown.html += data.get("text/html", "")
        if view := data.get("application/vnd.jupyter.widget-view+json"):
            shown.widgets.append(view["model_id"])
    elif kind == "error":
        shown.error = f"{content['ename']}: {content['evalue']}"
