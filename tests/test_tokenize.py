"""From text and conversations to ids."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
import torch

from minisgl_tok import SamplingParams, TokenizeManager, TokenizeMsg, load_tokenizer

CHATS = json.loads((Path(__file__).parent / "cases" / "qwen3_chats.json").read_text("utf-8"))
HELLO = [{"role": "user", "content": "Hello"}]


def messages(*texts):
    return [TokenizeMsg(uid, text, SamplingParams()) for uid, text in enumerate(texts)]


def with_bos(adds: bool, writes: bool, bos: bool = True):
    """The toy with and without a BOS added by its post-processor and written by its template."""
    from tokenizers.processors import ByteLevel

    from minisgl_tok import toy

    tokenizer = toy.build()
    if not adds:
        tokenizer.backend_tokenizer.post_processor = ByteLevel(trim_offsets=False)
    if not writes:
        tokenizer.chat_template = tokenizer.chat_template.replace("{{ bos_token }}", "")
    if not bos:
        tokenizer.bos_token = None
    return tokenizer


@pytest.mark.parametrize("case", CHATS, ids=lambda case: case["prompt"][:40])
def test_a_chat_becomes_the_ids_of_the_real_one(case):
    manager = TokenizeManager(load_tokenizer("qwen3"))
    msg = TokenizeMsg(1, case["messages"], SamplingParams(), template_options=case["options"])
    [ids] = manager.tokenize([msg])
    assert ids.tolist() == case["ids"]


def test_a_result_is_one_dimensional_int32_in_the_order_of_the_messages():
    manager = TokenizeManager(load_tokenizer("qwen3"))
    results = manager.tokenize(messages("推理", HELLO, "", "x" * 50))
    assert [ids.tolist() for ids in results] == [
        manager.encode(manager.render(text)) for text in ("推理", HELLO, "", "x" * 50)
    ]
    assert all(ids.dtype == torch.int32 and ids.dim() == 1 for ids in results)
    assert manager.tokenize([]) == []


@pytest.mark.parametrize(("adds", "writes"), [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("text", ["to be", "", "<s>to be", "one <s> two", HELLO])
def test_a_prompt_begins_with_exactly_one_bos(adds, writes, text):
    manager = TokenizeManager(with_bos(adds, writes))
    [ids] = [ids.tolist() for ids in manager.tokenize(messages(text))]
    assert ids[:1] == [1] and ids[1:2] != [1]
    inside = text.count("<s>") - text.startswith("<s>") if isinstance(text, str) else 0
    assert ids.count(1) == 1 + inside
    assert manager.encode(manager.render(text)) == ids


@pytest.mark.parametrize("tokenizer", [with_bos(False, False), with_bos(False, False, bos=False)])
def test_a_tokenizer_that_writes_no_bos_gets_none(tokenizer):
    [ids] = TokenizeManager(tokenizer).tokenize(messages("to be"))
    assert 1 not in ids.tolist()


def test_an_end_that_the_tokenizer_would_add_is_left_out():
    from tokenizers.processors import TemplateProcessing

    tokenizer = with_bos(True, True)
    specials = [("<s>", 1), ("</s>", 2)]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing("<s> $A </s>", special_tokens=specials)
    [ids] = TokenizeManager(tokenizer).tokenize(messages("to be"))
    assert ids.tolist() == [1, *tokenizer.encode("to be", add_special_tokens=False)]


def test_text_parts_are_joined_and_the_callers_list_stays():
    chat = [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]
    before = copy.deepcopy(chat)
    prompt = TokenizeManager(load_tokenizer("qwen3")).render(chat)
    assert prompt == "<|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\n"
    assert chat == before


@pytest.mark.parametrize(
    ("chat", "named"),
    [
        ([], "empty"),
        ([{"content": "x"}], "role"),
        ([{"role": "user"}], "NoneType"),
        ([{"role": "user", "content": 5}], "int"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], "image_url"),
        ([{"role": "user", "content": ["text"]}], "str"),
        ([*HELLO, {"role": "user", "content": [{"type": "text"}]}], "message 1"),
    ],
)
def test_a_chat_that_is_none_says_which_message_and_why(chat, named):
    with pytest.raises(ValueError, match=named):
        TokenizeManager(load_tokenizer("qwen3")).render(chat)


def test_no_template_is_said_in_words():
    tokenizer = with_bos(True, False)
    tokenizer.chat_template = None
    manager = TokenizeManager(tokenizer)
    with pytest.raises(ValueError, match="no chat template"):
        manager.render(HELLO)
    assert manager.render("plain") == "plain"


def test_padding_left_behind_by_another_caller_does_no_harm():
    tokenizer = with_bos(True, True)
    tokenizer.pad_token = tokenizer.eos_token
    manager = TokenizeManager(tokenizer)
    tokenizer(["a", "a b c d"], padding=True, truncation=True, max_length=3)
    short, long = manager.tokenize(messages("a", "a b c d e f"))
    assert short.tolist() == manager.encode("a") and long.tolist() == manager.encode("a b c d e f")


def test_the_library_is_entered_once_for_a_batch(monkeypatch):
    manager = TokenizeManager(load_tokenizer("qwen3"))
    calls = []
    once = manager.encode_batch
    monkeypatch.setattr(manager, "encode_batch", lambda prompts: calls.append(len(prompts)) or once(prompts))
    manager.tokenize(messages("a", HELLO, "b"))
    assert calls == [3]
