"""A batch brings the ids that one prompt after the other brings."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import texts
from benchmarks.tokenize import loop
from benchmarks.zoo import available, zoo
from minisgl_tok import SamplingParams, TokenizeManager, TokenizeMsg

PROMPTS = [
    "",
    " ",
    "a",
    "\n\n",
    "<|im_start|>user\nHi<|im_end|>",
    "<think>so</think> <tool_call> <|endoftext|>",
    "<s>Hi</s> <unk>",
    "e\u0301 \u1112\u1161\u11ab \ufb01",
    "\x00\u200d\ufffd",
    "word " * 3_000,
    *texts.SCRIPTS.values(),
    *texts.SPEED.values(),
]
NAMES = [name for name in available() if name != "tekken"]


def messages(prompts):
    return [TokenizeMsg(uid, prompt, SamplingParams()) for uid, prompt in enumerate(prompts)]


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_has_the_ids_of_one_prompt_after_the_other(name):
    manager = TokenizeManager(zoo(name))
    got = manager.tokenize(messages(PROMPTS))
    assert [ids.tolist() for ids in got] == [manager.encode(prompt) for prompt in PROMPTS]
    assert {(ids.dim(), ids.dtype) for ids in got} == {(1, torch.int32)}


@pytest.mark.parametrize("name", NAMES)
def test_behind_the_bos_a_batch_has_the_ids_of_the_tokenizer_alone(name):
    tokenizer = zoo(name)
    manager = TokenizeManager(tokenizer)
    front = len(manager.front)
    for prompt, ids in zip(PROMPTS, manager.tokenize(messages(PROMPTS)), strict=True):
        alone = tokenizer.encode(prompt, add_special_tokens=False)
        assert ids.tolist() in (alone, manager.front + alone)
        assert ids.tolist()[:front] == manager.front


def test_with_qwen3_a_batch_equals_the_loop_on_prompts_and_chats():
    tokenizer = zoo("qwen3")
    chats = [[{"role": "user", "content": text}] for text in texts.SPEED.values()]
    msgs = messages([*PROMPTS[:8], *chats, "Hi"])
    batch = TokenizeManager(tokenizer).tokenize(msgs)
    assert [ids.tolist() for ids in batch] == [ids.tolist() for ids in loop(tokenizer, msgs)]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(prompts=st.lists(st.text(max_size=30), max_size=5))
@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_any_batch_has_the_ids_of_its_prompts_alone(name, prompts):
    manager = TokenizeManager(zoo(name))
    got = manager.tokenize(messages(prompts))
    assert [ids.tolist() for ids in got] == [manager.encode(prompt) for prompt in prompts]
