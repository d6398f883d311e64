"""Tokenizers by name, and the bytes behind their tokens."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import UnsupportedTokenizer, load_tokenizer, qwen3, token_bytes, vocab
from minisgl_tok.vocab import BYTE_OF, end_ids, open_bytes, piece_bytes

CASES = Path(__file__).parent / "cases"
QWEN3_IDS = json.loads((CASES / "qwen3_ids.json").read_text("utf-8"))
QWEN3_CHATS = json.loads((CASES / "qwen3_chats.json").read_text("utf-8"))
QWEN3_ADDED = json.loads((CASES / "qwen3_added_tokens.json").read_text("utf-8"))
NAMES = ["qwen3", "toy"]


def test_qwen3_encodes_as_the_real_one():
    tokenizer = load_tokenizer("qwen3")
    wrong = [case["text"] for case in QWEN3_IDS if tokenizer.encode(case["text"]) != case["ids"]]
    assert not wrong


@pytest.mark.parametrize("case", QWEN3_CHATS, ids=lambda case: case["prompt"][:40])
def test_qwen3_renders_chats_as_the_real_one(case):
    tokenizer = load_tokenizer("qwen3")
    options = {"add_generation_prompt": True, **case["options"]}
    assert tokenizer.apply_chat_template(case["messages"], tokenize=False, **options) == case["prompt"]


@pytest.mark.parametrize("case", QWEN3_ADDED, ids=lambda case: case["content"])
def test_qwen3_has_the_added_tokens_of_the_real_one(case):
    tokenizer = load_tokenizer("qwen3")
    assert tokenizer.convert_ids_to_tokens(case["id"]) == case["content"]
    assert tokenizer.added_tokens_decoder[case["id"]].special == case["special"]
    assert tokenizer.encode(f"a{case['content']}b")[1] == case["id"]


def test_qwen3_shows_tools_and_thoughts():
    chat = [
        {"role": "user", "content": "1+1?"},
        {
            "role": "assistant",
            "content": "<think>\nadd\n</think>\n\n",
            "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}],
        },
        {"role": "tool", "content": "2"},
        {"role": "tool", "content": "two"},
    ]
    prompt = load_tokenizer("qwen3").apply_chat_template(chat, tools=[{"name": "add"}], tokenize=False)
    assert (
        prompt.startswith("<|im_start|>system\n# Tools\n\n")
        and '<tools>\n{"name": "add"}\n</tools>' in prompt
    )
    thought = "<|im_start|>assistant\n<think>\nadd\n</think>\n\n"
    assert thought + '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call><|im_end|>\n' in prompt
    responses = "\n<tool_response>\n2\n</tool_response>\n<tool_response>\ntwo\n</tool_response><|im_end|>\n"
    assert prompt.endswith("<|im_start|>user" + responses)


def test_a_thought_before_the_last_question_is_not_shown_again():
    chat = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "<think>\nlong\n</think>\n\nb"},
        {"role": "user", "content": "c"},
    ]
    prompt = load_tokenizer("qwen3").apply_chat_template(chat, tokenize=False)
    assert "long" not in prompt and "<|im_start|>assistant\nb<|im_end|>" in prompt


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_tokenizer_is_made_once(name):
    assert load_tokenizer(name) is load_tokenizer(name)


def test_a_file_of_ranks_that_is_not_the_known_one_is_refused(monkeypatch, tmp_path):
    other = tmp_path / "qwen.tiktoken"
    other.write_bytes(b"IQ== 0\n")
    monkeypatch.setattr(qwen3, "data_file", lambda: other)
    with pytest.raises(ValueError, match="SHA-256"):
        qwen3._build()


def test_a_cache_that_is_broken_or_cannot_be_written_is_no_fault(monkeypatch, tmp_path):
    small = load_tokenizer("toy").backend_tokenizer  # stands for the one that takes seconds
    monkeypatch.setattr(qwen3, "_build", lambda: small)
    (tmp_path / "file").write_text("not a folder")
    for folder in (tmp_path, tmp_path, tmp_path / "file" / "below"):
        monkeypatch.setattr(qwen3.platformdirs, "user_cache_dir", lambda *_, folder=folder: str(folder))
        for file in tmp_path.glob("qwen3-*.json"):
            file.write_text("{ cut short")
        assert qwen3._cached().get_vocab_size() == small.get_vocab_size()
    assert len(list(tmp_path.glob("qwen3-*.json"))) == 1 and not list(tmp_path.glob("*.part"))


def test_without_the_data_package_the_hub_is_asked(monkeypatch):
    asked = []
    monkeypatch.setattr(qwen3, "data_file", lambda: None)
    monkeypatch.setattr(vocab, "load_tokenizer", asked.append)
    vocab._qwen3()
    assert asked == ["Qwen/Qwen3-0.6B"]


@pytest.mark.parametrize("name", ["qwen33", "no/such-model", "/no/such/folder", "./nor-this"])
def test_a_name_that_is_nothing_says_what_was_looked_for(monkeypatch, name):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    started = time.monotonic()
    with pytest.raises(ValueError) as refused:
        load_tokenizer(name)
    message = str(refused.value)
    assert f'no tokenizer at "{name}"' in message and "qwen3, toy" in message and "Hub" in message
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_refused(name):
    with pytest.raises(ValueError, match="empty"):
        load_tokenizer(name)


def test_an_empty_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="no tokenizer in the folder") as refused:
        load_tokenizer(tmp_path)
    assert str(tmp_path) in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_works_as_a_name_does(name, tmp_path):
    tokenizer = load_tokenizer(name)
    tokenizer.save_pretrained(tmp_path)
    again = load_tokenizer(tmp_path)
    text = "推理 naïve 🦩 x"
    assert again.encode(text) == tokenizer.encode(text)
    assert [token_bytes(again, id_) for id_ in range(300)] == [
        token_bytes(tokenizer, id_) for id_ in range(300)
    ]


@pytest.mark.parametrize("ids", [7, [7, 9], None])
def test_end_ids_come_from_the_generation_config_too(tmp_path, ids):
    load_tokenizer("toy").save_pretrained(tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    config.pop("generation_end_ids", None)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": ids}))
    expected = {2, *([] if ids is None else ids if isinstance(ids, list) else [ids])}
    assert end_ids(load_tokenizer(tmp_path)) == expected


def test_qwen3_has_two_end_ids():
    assert end_ids(load_tokenizer("qwen3")) == {151643, 151645}


# ------------------------------------------------------------------ bytes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text", ["", "a", " a  b", "ひらがな", "한국어", "👩‍🔬🏽", "a\n\n\tb", "\x00\x7f", "<s>x", "鱻 推"]
)
def test_joined_token_bytes_are_the_texts_bytes(name, text):
    tokenizer = load_tokenizer(name)
    ids = tokenizer.encode(text, add_special_tokens=False)
    data = b"".join(token_bytes(tokenizer, id_) for id_ in ids).decode("utf-8")
    assert (data[1:] if name == "toy" and data[:1] == " " else data.replace("<s> ", "<s>")) == text


def test_every_id_has_the_bytes_that_its_decoder_shows():
    tokenizer = load_tokenizer("qwen3")
    for id_ in range(0, len(tokenizer), 7):
        assert token_bytes(tokenizer, id_).decode("utf-8", "replace") == tokenizer.decode([id_])


def test_special_tokens_have_bytes_and_ids_outside_have_none():
    tokenizer = load_tokenizer("qwen3")
    assert token_bytes(tokenizer, 151645) == b"<|im_end|>"
    assert token_bytes(tokenizer, len(tokenizer)) == token_bytes(tokenizer, 10**12) == b""
    with pytest.raises(ValueError, match="-1"):
        token_bytes(tokenizer, -1)


def test_a_decoder_that_does_more_is_named():
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    backend.decoder = decoders.WordPiece()
    with pytest.raises(UnsupportedTokenizer, match="WordPiece") as refused:
        token_bytes(PreTrainedTokenizerFast(tokenizer_object=backend), 1)
    assert "SafeDetokenizeManager" in str(refused.value)


def test_the_byte_map_covers_each_byte_once():
    assert sorted(BYTE_OF.values()) == list(range(256)) and len(BYTE_OF) == 256


@given(st.binary(max_size=40))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_a_byte_level_piece_gives_its_bytes_back(data):
    char_of = {byte: char for char, byte in BYTE_OF.items()}
    assert piece_bytes("".join(char_of[byte] for byte in data), BYTE_OF) == data


@pytest.mark.parametrize("piece", ["<｜end▁of▁sentence｜>", "Ġ推", "a b"])
def test_a_piece_with_a_foreign_character_stands_for_itself(piece):
    assert piece_bytes(piece, BYTE_OF) == piece.encode()


@given(st.text(max_size=12), st.integers(0, 50))
@settings(max_examples=400, derandomize=True, deadline=None)
def test_open_bytes_are_those_of_the_last_unfinished_character(text, cut):
    data = text.encode("utf-8", "ignore")[:cut]
    whole = data.decode("utf-8", "ignore").encode()
    assert open_bytes(data) == len(data) - len(whole)
