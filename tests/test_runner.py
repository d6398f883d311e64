"""The judge's process: it lives as long as its client, and no answer outlives its verdict."""

from __future__ import annotations

import _thread
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from practice.engine import overlay
from practice.engine.runner import frames
from practice.engine.runner.client import Client
from practice.engine.verdict import Judge
from practice.exercise import load

ROOT = Path(__file__).parents[1]
D1 = load("d1")
RIGHT = overlay.reference_source(D1)
ENDLESS = "def find_printable_text(text):\n    while True: pass\n"


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as one:
        one.files.changed = lambda: False  # type: ignore[method-assign]  # somebody may be at work
        yield one


def pid_of(judge: Judge) -> int:
    judge.client.wait_until_ready()
    assert judge.client.process is not None
    return judge.client.process.pid


def gone(pid: int, within: float = 10.0) -> bool:
    """Waits until a process that is no child of ours has ended."""
    try:
        psutil.Process(pid).wait(within)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True


def test_an_interrupt_ends_the_answer_and_not_the_process(judge: Judge) -> None:
    before = pid_of(judge)
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        judge.judge("d1", ENDLESS)
    timer.join()
    assert psutil.Process(before).children(recursive=True) == []
    assert judge.judge("d1", RIGHT).kind == "passed"
    assert pid_of(judge) == before


def test_an_interrupt_of_the_kernels_group_does_not_reach_it(judge: Judge) -> None:
    pid = pid_of(judge)
    assert os.getsid(pid) == pid != os.getsid(0)
    os.kill(pid, signal.SIGINT)  # and it does not mind one
    assert judge.judge("d1", RIGHT).kind == "passed" and pid_of(judge) == pid


def test_a_process_that_was_killed_is_started_again(judge: Judge) -> None:
    os.kill(pid_of(judge), signal.SIGKILL)
    assert judge.judge("d1", RIGHT).kind == "passed"


def test_an_answer_that_kills_the_judges_process_is_an_error(judge: Judge) -> None:
    source = "def find_printable_text(text):\n    import os\n    os.kill(os.getppid(), 9)\n"
    found = judge.judge("d1", source)
    assert found.kind == "error" and found.failure is not None
    assert "the judge's own process ended while this answer ran" in found.failure.message
    assert judge.judge("d1", RIGHT).kind == "passed"


def test_close_ends_everything() -> None:
    with Judge() as judge:
        pid = pid_of(judge)
    assert gone(pid)


@pytest.mark.parametrize("busy", [False, True])
def test_a_killed_kernel_takes_its_process_and_the_answer_along(busy: bool) -> None:
    kernel = f"""
from practice.engine.verdict import Judge
judge = Judge()
judge.client.wait_until_ready()
print(judge.client.process.pid, flush=True)
if {busy}:
    judge.judge("d1", {ENDLESS!r})
else:
    input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", kernel], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None and process.stdin is not None
    server = psutil.Process(int(process.stdout.readline()))
    until = time.monotonic() + 10
    while busy and not server.children() and time.monotonic() < until:
        threading.Event().wait(0.01)
    children = server.children()
    assert bool(children) is busy
    process.kill()
    process.wait()
    assert gone(server.pid) and all(gone(child.pid) for child in children)
    process.stdout.close()
    process.stdin.close()


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], str]:
    """Runs a script with a copy of the package and of `practice`, which it may break."""
    for name in ("minisgl_tok", "practice"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "answers"))

    def run(script: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-c", script],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_changed_file_starts_it_again_with_new_cases(copy: Callable[[str], str]) -> None:
    out = copy("""
from pathlib import Path
from practice.engine.verdict import Judge
from practice.engine import overlay
from practice.exercise import load
judge = Judge()
right = overlay.reference_source(load("a0"))
first = judge.judge("a0", right); pid = judge.client.process.pid
judge.judge("a0", right); assert judge.client.process.pid == pid
Path("practice/answers").mkdir(); Path("practice/answers/a0.py").write_text("x")
judge.judge("a0", right); assert judge.client.process.pid == pid, "answers are no part of the course"
file = Path("practice/exercises/a0.py")
file.write_text(file.read_text() + "\\ndef fixed():\\n    return [_case('only one', b'a')]\\n")
second = judge.judge("a0", right); assert judge.client.process.pid != pid
print(first.kind, first.total > 1, second.kind, second.total)
file = Path("practice/exercises/a0.py")
file.write_text("a syntax error")
print(judge.judge("a0", right).kind)
judge.close()
""")
    assert out.split() == ["passed", "True", "passed", "1", "course", "fault"]


def test_a_reference_broken_on_purpose_fails_the_check(copy: Callable[[str], str]) -> None:
    out = copy("""
from pathlib import Path
file = Path("minisgl_tok/detokenize.py")
text = file.read_text()
assert text.count("return text.endswith(REPLACEMENT)") == 1
file.write_text(text.replace("return text.endswith(REPLACEMENT)", "return REPLACEMENT in text"))
from practice.engine.selfcheck import check
from practice.engine.verdict import Judge
with Judge() as judge:
    for id_, problem in check(["a0"], judge=judge).problems:
        print(id_, problem)
    found = judge.judge("a0", "def ends_in_half(text):\\n    return chr(0xFFFD) in text")
    print(found.kind, found.note)
""")
    assert "a0 the reference fails on the case" in out
    assert "course fault" in out


def test_where_nothing_forks_children_are_spawned(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    judge.close()
    monkeypatch.setenv("JUDGE_SPAWN", "1")
    assert judge.judge("d1", RIGHT).kind == "passed"
    found = judge.judge(
        "a0", "def ends_in_half(text):\n    print('seen', text)\n    return text == '\\ufffd'"
    )
    assert found.kind == "wrong" and found.failure is not None
    assert found.failure.printed.startswith("seen ") and found.failure.printed.count("seen") == 1
    ended = judge.judge("a0", "def ends_in_half(text):\n    import os\n    if not text: os._exit(0)\n")
    assert ended.failure is not None and ended.failure.raised == "ended"
    timer = threading.Timer(1.0, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        judge.judge("d1", ENDLESS)
    assert judge.judge("d1", RIGHT).kind == "passed"
    judge.close()


def test_a_process_that_cannot_start_is_the_courses_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judge.close()
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho a library is missing >&2\nexit 3\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    found = judge.judge("d1", RIGHT)
    assert found.kind == "course fault" and "a library is missing" in found.note


def test_warming_up_returns_before_the_process_is_ready() -> None:
    with Judge() as judge:
        judge.warm(["d1"])
        assert judge.client.process is not None and not judge.client.ready


def test_torch_is_imported_before_the_fork_where_an_exercise_needs_it() -> None:
    client = Client()
    try:
        client.start(torch=True)
        client.wait_until_ready()
        source = "import sys\ndef find_printable_text(text):\n    return str('torch' in sys.modules)"
        run = client.run(D1, source, "<answer>", D1.fixed()[:1])
        assert run.outcomes[0].value == "True"
    finally:
        client.close()


# ------------------------------------------------------------------ frames


@pytest.fixture(params=[frames.Inbox, frames.ThreadedInbox])
def pipe(request: pytest.FixtureRequest) -> Iterator[tuple[frames.Inbox, int]]:
    out, into = os.pipe()
    inbox = request.param(out)
    yield inbox, into
    inbox.close()


def receive(inbox: frames.Inbox) -> object:
    until = time.monotonic() + 5
    while (message := inbox.frame()) is None and not inbox.closed and time.monotonic() < until:
        frames.wait([inbox], 1)
        inbox.pump()
    return message


def test_frames_arrive_whole_and_in_order(pipe: tuple[frames.Inbox, int]) -> None:
    inbox, into = pipe
    for message in ({"a": "推"}, {}, [1, b"\xff", None]):
        frames.send(into, message)
    os.close(into)
    assert [receive(inbox) for _ in range(4)] == [{"a": "推"}, {}, [1, b"\xff", None], None]
    assert inbox.closed


@pytest.mark.parametrize("garbage", [b"\xff" * 100, b"\x00\x00\x00\x02\xc1\xc1"])
def test_garbage_is_no_frame(pipe: tuple[frames.Inbox, int], garbage: bytes) -> None:
    inbox, into = pipe
    os.write(into, garbage)
    os.close(into)
    with pytest.raises(frames.BadFrame):
        receive(inbox)


def test_a_pipe_that_nobody_reads_is_closed() -> None:
    out, into = os.pipe()
    os.close(out)
    with pytest.raises(frames.Closed):
        frames.send(into, {})
    os.close(into)
