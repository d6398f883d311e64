"""A worker without sockets, for tests: what is said to it, and everything that it has said."""

from collections import deque

from minisgl_tok import load_tokenizer
from minisgl_tok.ledger import parts
from minisgl_tok.messages import (
    SamplingParams,
    TokenizeMsg,
)
from minisgl_tok.server import unpack
from minisgl_tok.worker import Worker

QWEN3 = load_tokenizer("qwen3")
HELLO, WORLD, END = 9707, 1879, 151645
MANAGERS = ["exact", "safe", "window"]


def prompt(uid, text="Hello", **params):
    return TokenizeMsg(uid, text, SamplingParams(**params))


def flat(frames):
    return [msg for frame in frames for msg in unpack(frame)]


class Talk:
    """A worker and everything that it has said."""

    def __init__(self, **options):
        self.worker = Worker(options.pop("tokenizer", QWEN3), **options)
        self.replies, self.backend, self.detokenizer = [], [], []

    def __call__(self, *msgs, faults=()):
        frames = self.worker.serve(list(msgs), deque(faults))
        assert len(frames.frontend) <= len(list(parts(list(msgs)))) + len(faults)
        replies, backend = flat(frames.frontend), flat(frames.backend)
        self.replies += replies
        self.backend += backend
        self.detokenizer += flat(frames.detokenizer)
        return replies, backend

    def text(self, uid):
        return "".join(reply.incremental_output for reply in self.replies if reply.uid == uid)

    def ends(self, uid):
        return [reply.finish_reason for reply in self.replies if reply.uid == uid and reply.finished]
