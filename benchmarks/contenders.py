"""How each of those whose speed is measured is run, by its natural call.

A preparation takes a tokenizer and steps, and gives a function and its input. The input is
made before the clock starts: messages, pairs of a streamer and its token, tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minisgl_tok
from minisgl_tok import DetokenizeMsg
from minisgl_tok.exact import table_of

from .streamers import text_streamer

FLOOR, EXACT, WINDOW, STREAM = "floor", "ExactDetokenizeManager", "DetokenizeManager", "DecodeStream"

Steps = list[list[int]]  # one token of each request, step by step
Run = tuple[Callable[[list[Any]], Any], list[Any]]  # what the clock measures, and its input, step by step


def run_of_manager(name: str) -> Callable[[Any, Steps], Run]:
    """How a manager of the package is run."""

    def prepare(tokenizer: Any, steps: Steps) -> Run:
        manager = getattr(minisgl_tok, name)(tokenizer)

        def run(calls: list[list[DetokenizeMsg]]) -> None:
            for msgs in calls:
                manager.detokenize(msgs)

        return run, [[DetokenizeMsg(uid, token, False) for uid, token in enumerate(step)] for step in steps]

    return prepare


def run_of_decode_stream(tokenizer: Any, steps: Steps) -> Run:
    from tokenizers.decoders import DecodeStream

    backend = tokenizer.backend_tokenizer
    streams = [DecodeStream(skip_special_tokens=True) for _ in steps[0]]

    def run(steps: list[list[Any]]) -> None:
        for step in steps:
            for stream, token in step:
                stream.step(backend, token)

    return run, [list(zip(streams, step, strict=True)) for step in steps]


def run_of_text_streamer(tokenizer: Any, steps: Steps) -> Run:
    import torch

    streamers = [text_streamer(tokenizer) for _ in steps[0]]

    def run(steps: list[list[Any]]) -> None:
        for step in steps:
            for streamer, token in step:
                streamer.put(token)

    return run, [
        [(one, torch.tensor([token])) for one, token in zip(streamers, step, strict=True)] for step in steps
    ]


def run_of_floor(tokenizer: Any, steps: Steps) -> Run:
    texts = [entry if isinstance(entry, str) else "" for entry in table_of(tokenizer)]

    def run(steps: Steps) -> None:
        for step in steps:
            [texts[token] for token in step]

    return run, steps


def contenders() -> dict[str, Callable[[Any, Steps], Run]]:
    """Name -> how to prepare its run."""
    own = [EXACT, "SafeDetokenizeManager", WINDOW]
    return {
        FLOOR: run_of_floor,
        **{name: run_of_manager(name) for name in own if hasattr(minisgl_tok, name)},
        STREAM: run_of_decode_stream,
        "TextStreamer": run_of_text_streamer,
    }
