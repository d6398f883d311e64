"""Real processes over ipc: batches, openings, kills, restarts, and how they leave."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from types import SimpleNamespace

import psutil
import pytest

from minisgl_tok import launch
from minisgl_tok.messages import (
    AbortBackendMsg,
    AbortMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    ExitMsg,
    SamplingParams,
    TokenizeMsg,
    UserMsg,
    UserReply,
)
from minisgl_tok.queues import ZmqPullQueue, ZmqPushQueue
from minisgl_tok.server import unpack

HELLO, WORLD, END = 9707, 1879, 151645
SOON = 20  # s within which everything here happens


def until(condition, seconds=SOON):
    """Wait until something is so; fail where it does not become so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def runs(pid):
    """Whether a process does anything yet; a zombie only waits to be counted."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


class Mailbox:
    """Takes single messages out of a queue, and fails instead of waiting for ever."""

    def __init__(self, queue):
        self.queue, self.waiting = queue, []

    def get(self):
        deadline = time.monotonic() + SOON
        while not self.waiting:
            assert time.monotonic() < deadline, "no message came"
            self.waiting += unpack(self.queue.get())
        return self.waiting.pop(0)

    def take(self, count):
        return [self.get() for _ in range(count)]


@contextlib.contextmanager
def server(tokenizers=0, detokenizers=1, **options):
    """The tokenizer's processes, with this test as API server and scheduler."""
    with tempfile.TemporaryDirectory(prefix="mt-") as folder:
        addr = {name: f"ipc://{folder}/{name}" for name in "fbdt"}
        apart = tokenizers > 0
        queues = [ZmqPullQueue(addr["f"], True, tick=50), ZmqPullQueue(addr["b"], True, tick=50)]
        to_detokenizer = ZmqPushQueue(addr["d"], create=apart)
        to_tokenizer = ZmqPushQueue(addr["t"], create=True) if apart else to_detokenizer
        launched = launch(
            tokenizer_path="qwen3",
            frontend_addr=addr["f"],
            backend_addr=addr["b"],
            detokenizer_addr=addr["d"],
            tokenizer_addr=addr["t"] if apart else None,
            num_tokenizer=tokenizers,
            num_detokenizer=detokenizers,
            **options,
        )
        frontend, backend = map(Mailbox, queues)
        with launched:
            yield SimpleNamespace(
                launched=launched,
                frontend=frontend,
                backend=backend,
                scheduler=to_detokenizer,
                api=to_tokenizer,
                folder=folder,
            )
        assert launched.pids == {} and not os.path.exists(launched.folder)
        for queue in {to_detokenizer, to_tokenizer, *queues}:
            queue.close()


@pytest.fixture(scope="module")
def shared():
    with server(extended=False) as running:
        yield running


def prompt(uid, text="Hello world", **params):
    return TokenizeMsg(uid, text, SamplingParams(**params))


# ------------------------------------------------------------------ one process, plain traffic


def test_a_prompt_becomes_ids_and_tokens_become_text(shared):
    shared.api.put(prompt(1, temperature=0.5))
    request = shared.backend.get()
    assert isinstance(request, UserMsg)
    assert (request.input_ids.tolist(), request.sampling_params.temperature) == ([HELLO, WORLD], 0.5)
    shared.scheduler.put(BatchTokenizerMsg([DetokenizeMsg(1, HELLO, False), DetokenizeMsg(1, END, True)]))
    assert shared.frontend.take(2) == [UserReply(1, "Hello", False), UserReply(1, "", True)]


def test_a_drain_is_answered_with_one_frame(shared):
    messages = [DetokenizeMsg(uid, HELLO, True) for uid in range(100, 164)]
    shared.scheduler.put(BatchTokenizerMsg(messages))
    frame = shared.frontend.queue.get()
    while not unpack(frame):
        frame = shared.frontend.queue.get()
    assert [reply.uid for reply in frame.data] == list(range(100, 164))


def test_bad_frames_cost_nobody_anything(shared):
    shared.scheduler.put(DetokenizeMsg(2, 100024, False))
    for frame in (b"", b"\xc1", b"\x91" * 9_999, b"\x81\xa8__type__\xa8Nonsense"):
        shared.scheduler.put_frame(frame)
    shared.scheduler.put(UserReply(2, "not for you", True))
    shared.scheduler.put(DetokenizeMsg(2, 119, True))
    assert shared.frontend.take(2) == [UserReply(2, "", False), UserReply(2, "鱻", True)]


@pytest.mark.parametrize(
    "text", [[], [{"role": "user"}], [{"role": "user", "content": [{"type": "image"}]}], "word " * 2_000_000]
)
def test_a_bad_prompt_gets_one_finished_reply(shared, text):
    shared.api.put(BatchTokenizerMsg([prompt(3), prompt(4, text), prompt(5), AbortMsg(3), AbortMsg(5)]))
    assert shared.frontend.get() == UserReply(4, "", True)
    assert [msg.uid for msg in shared.backend.take(4)] == [3, 5, 3, 5]


def test_a_negative_id_gets_one_finished_reply_and_an_abort(shared):
    shared.scheduler.put(DetokenizeMsg(6, -1, False))
    assert shared.frontend.get() == UserReply(6, "", True)
    assert shared.backend.get() == AbortBackendMsg(6)


def test_a_stop_string_ends_a_request(shared):
    shared.api.put(prompt(7, stop=["wor"]))
    shared.backend.get()
    shared.scheduler.put(BatchTokenizerMsg([DetokenizeMsg(7, HELLO, False), DetokenizeMsg(7, WORLD, False)]))
    assert shared.frontend.take(2) == [UserReply(7, "Hello", False), UserReply(7, " ", True)]
    assert shared.backend.get() == AbortBackendMsg(7)


# ------------------------------------------------------------------ processes that die and leave


def test_a_killed_worker_is_started_again_and_ends_what_it_has_not_seen_begin():
    with server(extended=True) as running:
        running.api.put(prompt(1))
        running.backend.get()
        running.scheduler.put(DetokenizeMsg(1, HELLO, False))
        assert running.frontend.get().incremental_output == "Hello"
        [pid] = running.launched.pids.values()
        os.kill(pid, signal.SIGKILL)
        until(lambda: running.launched.restarts == 1)
        running.launched.wait_ready()
        running.scheduler.put(DetokenizeMsg(1, WORLD, False))
        assert running.frontend.get() == UserReply(1, "", True, finish_reason="error")
        assert running.backend.get() == AbortBackendMsg(1)
        running.scheduler.put(DetokenizeMsg(1, WORLD, True))
        running.api.put(prompt(2))
        assert running.backend.get().uid == 2
        running.scheduler.put(DetokenizeMsg(2, HELLO, True))
        assert running.frontend.get() == UserReply(2, "Hello", True, finish_reason="length")


def test_an_exit_message_is_obeyed_after_what_came_before_it():
    with server() as running:
        running.scheduler.put(DetokenizeMsg(1, HELLO, False))
        running.scheduler.put(ExitMsg())
        assert running.frontend.get().incremental_output == "Hello"
        until(lambda: not running.launched.pids)
        assert running.launched.restarts == 0


def test_a_worker_that_is_asked_to_leave_answers_what_has_arrived():
    with server(local_bs=1, restart=False) as running:
        [pid] = running.launched.pids.values()
        os.kill(pid, signal.SIGSTOP)
        for uid in range(50):
            running.scheduler.put(DetokenizeMsg(uid, HELLO, True))
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGCONT)
        assert [reply.uid for reply in running.frontend.take(50)] == list(range(50))
        until(lambda: not running.launched.pids)


SCRIPT = """
import sys, time
from minisgl_tok.demo import playground
play = playground("toy", num_tokenizer=1)
folders = play.launched.folder, play.scheduler.launched.folder
print(*play.launched.pids.values(), play.scheduler.pid, *folders, flush=True)
{ending}
"""


@pytest.mark.parametrize("death", ["killed", "its whole group terminated", "its end reached"])
def test_nothing_is_left_when_the_parent_dies_or_just_ends(death):
    code = textwrap.dedent(
        SCRIPT.format(ending="sys.exit(0)" if death == "its end reached" else "time.sleep(60)")
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        *pids, folder, play_folder = parent.stdout.readline().split()
        assert len(pids) == 3
        if death == "killed":
            parent.kill()
        elif death == "its whole group terminated":
            os.killpg(parent.pid, signal.SIGTERM)
    until(lambda: not any(runs(int(pid)) for pid in pids))
    until(lambda: not os.path.exists(folder) and not os.path.exists(play_folder))


def test_a_script_without_a_guard_runs_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(ending="play.stop()")))
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout.count("\n")) == (0, 1), run.stderr


def test_a_worker_that_cannot_start_is_an_error_that_says_where_to_look(capfd):
    with pytest.raises(RuntimeError, match=r"tokenizer 0 died before it was ready \(exit status 1\)"):
        launch(
            tokenizer_path="/no/such/folder",
            backend_addr="ipc:///tmp/b",
            frontend_addr="ipc:///tmp/f",
            detokenizer_addr="tcp://127.0.0.1:*",
        )
    assert 'no tokenizer at "/no/such/folder"' in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"num_tokenizer": 1}, "tokenizer_addr"),
        ({"num_detokenizer": 0}, "1 or more detokenizers"),
        ({"detokenizer": "magic"}, "no detokenizer 'magic'"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_starts(options, said):
    addr = dict.fromkeys(("backend_addr", "frontend_addr", "detokenizer_addr"), "ipc:///tmp/x")
    with pytest.raises(ValueError, match=said):
        launch(tokenizer_path="qwen3", **addr, **options)


def test_the_command_line_starts_and_stops_the_process():
    with tempfile.TemporaryDirectory(prefix="mt-") as folder:
        frontend = Mailbox(ZmqPullQueue(f"ipc://{folder}/f", True, tick=50))
        command = [sys.executable, "-m", "minisgl_tok.server", "--tokenizer", "toy"]
        for name in ("backend", "frontend", "detokenizer"):
            command += [f"--{name}-addr", f"ipc://{folder}/{name[0]}"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert "ready: tokenizer 0" in process.stderr.readline()
            scheduler = ZmqPushQueue(f"ipc://{folder}/d", create=False)
            scheduler.put(DetokenizeMsg(1, 300, True))
            assert frontend.get().finished
            process.terminate()
            assert process.wait(SOON) == 0


# ------------------------------------------------------------------ several processes


@pytest.mark.parametrize(("tokenizers", "detokenizers"), [(0, 2), (2, 1), (1, 2)])
def test_requests_are_whole_however_many_processes_share_them(tokenizers, detokenizers):
    with server(tokenizers, detokenizers, extended=True) as running:
        uids = range(20)
        for uid in uids:
            running.api.put(prompt(uid, stop=["wor"] if uid % 2 else []))
        assert sorted(msg.uid for msg in running.backend.take(20)) == list(uids)
        for token in (HELLO, 100024, 119, WORLD):
            running.scheduler.put(BatchTokenizerMsg([DetokenizeMsg(uid, token, False) for uid in uids]))
        texts, reasons = dict.fromkeys(uids, ""), {}

        def read(count):
            while len(reasons) < count:
                reply = running.frontend.get()
                texts[reply.uid] += reply.incremental_output
                if reply.finished:
                    assert reply.uid not in reasons
                    reasons[reply.uid] = reply.finish_reason

        read(10)
        assert sorted(msg.uid for msg in running.backend.take(10)) == list(range(1, 20, 2))
        running.scheduler.put(BatchTokenizerMsg([DetokenizeMsg(uid, END, True) for uid in uids]))
        read(20)
        assert all(texts[uid] == ("Hello鱻 " if uid % 2 else "Hello鱻 world") for uid in uids)
        assert set(reasons.values()) == {"stop"}
        running.api.put(prompt(77))
        running.backend.get()
        running.api.put(AbortMsg(77))
        assert running.frontend.get() == UserReply(77, "", True, finish_reason="abort")
        assert running.backend.get() == AbortBackendMsg(77)


def test_when_the_forwarder_dies_no_text_gets_a_gap():
    with server(0, 2, extended=True) as running:
        running.api.put(prompt(1))
        running.backend.get()
        running.scheduler.put(DetokenizeMsg(1, HELLO, False))
        assert running.frontend.get().incremental_output == "Hello"
        os.kill(running.launched.pids["forwarder"], signal.SIGKILL)
        until(lambda: running.launched.restarts == 3, 60)
        running.launched.wait_ready()
        running.scheduler.put(DetokenizeMsg(1, WORLD, True))
        assert running.frontend.get() == UserReply(1, "", True, finish_reason="error")
