"""The exercises: their oracles are right by other measures, and any right answer passes."""

from __future__ import annotations

import ast
import functools
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from practice import oracles, streams
from practice.engine import overlay
from practice.engine.outcome import plain, same
from practice.engine.verdict import Judge
from practice.exercise import FOLDER, Exercise, exercise_ids, load

CASES = Path(__file__).parent / "cases"
CHAPTERS = {
    "00": ["a0"],
    "01": ["t1", "t2", "t3"],
    "02": ["b1", "b2", "b3"],
    "03": ["d1", "d2", "d3", "d4", "d5"],
    "04": ["w1", "w2", "w3", "w4"],
    "05": ["s1", "s2", "s3", "s4"],
    "06": ["x0", "x1", "x2", "x3", "x4", "x5"],
    "07": ["f1", "f2", "f3"],
}
COURSE = [id_ for ids in CHAPTERS.values() for id_ in ids]
CORE = {"a0", "t1", "b1", "b2", "b3", "d2", "d3", "d5", "w2", "w3", "x0", "x3", "f1", "f2", "f3"}
SEEDS = 20

each = pytest.mark.parametrize("id_", COURSE)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as one:
        yield one


@functools.cache
def exercise_of(id_: str) -> Exercise:
    return load(id_)


def cases(name: str) -> Any:
    return json.loads((CASES / name).read_text("utf-8"))


# ------------------------------------------------------------------ all of them


def test_the_course_has_these_exercises_in_this_order() -> None:
    assert exercise_ids() == COURSE
    assert [exercise_of(id_).chapter for id_ in COURSE] == [ch for ch, ids in CHAPTERS.items() for _ in ids]
    assert {id_ for id_ in COURSE if exercise_of(id_).core} == CORE


@each
def test_the_reference_is_right_on_fixed_and_fresh_cases(id_: str) -> None:
    exercise = exercise_of(id_)
    if exercise.needs_torch:
        import torch  # noqa: F401
    drawn = [case for seed in range(SEEDS) for case in exercise.fresh(random.Random(seed))]
    for case in [*exercise.fixed(), *drawn]:
        assert same(plain(exercise.run(case)), plain(exercise.oracle(case))), case


@each
def test_fixed_cases_are_always_the_same_and_have_names(id_: str) -> None:
    fixed = exercise_of(id_).fixed()
    assert fixed == exercise_of(id_).fixed() == json.loads(json.dumps(fixed))
    assert len({case["name"] for case in fixed}) == len(fixed)


@each
def test_fresh_cases_differ_from_the_visible_ones(id_: str) -> None:
    """So that no answer passes that was copied from what a verdict shows."""
    exercise = exercise_of(id_)

    def without_name(case: dict[str, Any]) -> str:
        return json.dumps({**case, "name": ""}, sort_keys=True)

    known = set(map(without_name, exercise.fixed()))
    for seed in range(5):
        drawn = set(map(without_name, exercise.fresh(random.Random(seed))))
        assert drawn - known, seed
        known |= drawn


@each
def test_no_oracle_touches_the_package(id_: str) -> None:
    tree = ast.parse((FOLDER / f"{id_}.py").read_text("utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    wrong = {wrong.name for wrong in exercise_of(id_).wrong}
    for function in functions:
        if function.name not in {"run", "replay", *wrong} and not function.name.startswith("_"):
            assert not _imports(function), function.name
    assert not any(name.startswith("minisgl_tok") for node in tree.body for name in _imported(node))


def test_the_oracles_import_only_the_standard_library() -> None:
    tree = ast.parse(Path(oracles.__file__).read_text("utf-8"))
    names = {name.partition(".")[0] for node in tree.body for name in _imported(node)}
    assert names <= sys.stdlib_module_names


def _imports(tree: ast.AST) -> list[ast.AST]:
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


@each
def test_a_statement_says_why_it_matters_and_shows_values(id_: str) -> None:
    statement = exercise_of(id_).statement
    assert "**Why it matters.**" in statement
    assert "| --- |" in statement or "```" in statement or "\n    " in statement or "gives" in statement
    assert len(statement.split()) < 330, "too long to read before writing"


@each
def test_hints_go_from_vague_to_near(id_: str) -> None:
    """The near ones name what the code needs; the first one names none of it."""
    exercise = exercise_of(id_)
    assert 3 <= len(exercise.hints) <= 4
    assert len(exercise.hints[0]) < 260


@pytest.mark.parametrize("id_", ["b3", "d2", "d3", "d5", "x3", "f3"])
def test_the_fixed_cases_can_be_replayed(id_: str) -> None:
    from minisgl_tok import show

    exercise = exercise_of(id_)
    assert exercise.replay is not None
    for case in exercise.fixed():
        assert show.stepper(**exercise.replay(case)) is not None


# ------------------------------------------------------------------ the oracles by other measures


def test_the_oracles_prompt_is_that_of_the_real_qwen3() -> None:
    looked_at = 0
    for case in cases("qwen3_chats.json"):
        simple = all(set(message) == {"role", "content"} for message in case["messages"])
        if simple and set(case["options"]) <= {"enable_thinking"}:
            thinking = case["options"].get("enable_thinking", True)
            assert oracles.qwen3_prompt(case["messages"], thinking=thinking) == case["prompt"]
            looked_at += 1
    assert looked_at >= 14


def test_the_oracles_alphabet_of_bytes_is_that_of_the_vocabulary() -> None:
    from minisgl_tok.vocab import BYTE_OF

    assert oracles.BYTE_OF == BYTE_OF


def test_the_oracle_of_arriving_text_agrees_with_the_streams_that_must_hold() -> None:
    looked_at = 0
    for stream in cases("streams.json")["streams"]:
        if set(stream) <= {"name", "why", "pieces", "deltas", "text", "finish"}:
            pieces = streams.unhex(stream["pieces"])
            assert oracles.as_they_arrive(pieces) == stream["deltas"], stream["name"]
            looked_at += 1
    assert looked_at >= 5


def test_the_figures_of_the_table_are_those_of_qwen3() -> None:
    """f1 says: of 151,669 tokens 1,448 are no whole characters."""
    from minisgl_tok import load_tokenizer

    backend = load_tokenizer("qwen3").backend_tokenizer
    pieces = [backend.id_to_token(token) for token in range(151_669)]
    halves = [
        piece for piece in pieces if isinstance(oracles.text_or_bytes(oracles.byte_level_bytes(piece)), bytes)
    ]
    assert len(halves) == 1_448


@pytest.mark.parametrize("end", ["c2", "e0 a0", "ed 9f", "ef bf", "f0 90 80", "f4 8f bf"])
def test_what_can_become_a_character_stays_open(end: str) -> None:
    assert oracles.feed(b"a", bytes.fromhex(end)) == ("a", bytes.fromhex(end))


@pytest.mark.parametrize("end", ["80", "c1", "e0 9f", "ed a0", "f0 8f", "f4 90", "f5", "ff"])
def test_what_cannot_become_a_character_is_marked_at_once(end: str) -> None:
    text, open_ = oracles.feed(b"a", bytes.fromhex(end))
    assert open_ == b"" and text == "a" + "\ufffd" * len(bytes.fromhex(end))


# ------------------------------------------------------------------ right by another road

ANOTHER_ROAD = {
    "a0": """
import re

def ends_in_half(text):
    return re.search("\\ufffd$", text) is not None
""",
    "b1": """
import codecs

def open_bytes(data):
    decoder = codecs.getincrementaldecoder("utf-8")()
    decoder.decode(data)
    return len(decoder.getstate()[0])
""",
    "b1, by trying": """
def open_bytes(data):
    for n in range(4):
        try:
            data[: len(data) - n].decode()
            return n
        except UnicodeDecodeError:
            pass
""",
    "b2": """
def piece_bytes(piece, byte_of):
    data = bytearray()
    for char in piece:
        if char not in byte_of:
            return bytes(piece, "utf-8")
        data.append(byte_of[char])
    return bytes(data)
""",
    "b3": """
def push(self, token):
    self.ids = self.ids + [token]
    text = self.tokenizer.decode(self.ids)
    while text and text[-1] == chr(0xFFFD):
        text = text[:-1]
    new, self.sent_offset = text[self.sent_offset:], len(text)
    return new
""",
    "d1": """
def find_printable_text(text):
    chinese = [any(a <= ord(c) <= b for a, b in CHINESE_RANGES) for c in text]
    if text[-1:] == "\\n" or chinese[-1:] == [True]:
        return text
    if chinese[-2:-1] == [True]:
        return text[:-1]
    head, space, _ = text.rpartition(" ")
    return head + space
""",
    "d2": """
def windows(self, status):
    end = len(status.decoded_ids)
    return (
        [status.decoded_ids[n] for n in range(status.surr_offset, end)],
        [status.decoded_ids[n] for n in range(status.surr_offset, status.read_offset)],
    )
""",
    "d3": """
def advance(self, status, read_text, surr_text):
    new = read_text.removeprefix(surr_text)
    whole = len(new) > 0 and new[-1] != "\\ufffd"
    output = status.decoded_str + (new if whole else find_printable_text(new))
    if whole:
        status.decoded_str = output
        status.surr_offset = status.read_offset
        status.read_offset = len(status.decoded_ids)
    sent, status.sent_offset = status.sent_offset, len(output)
    return output[sent:]
""",
    "d4": """
def take(self, msg):
    if msg.uid not in self.decode_map:
        self.decode_map[msg.uid] = DecodeStatus()
    status = self.decode_map[msg.uid]
    is_end = msg.finished and msg.next_token == self.eos_token_id
    status.decoded_ids += [] if is_end else [msg.next_token]
    return status
""",
    "d5, in one decode": """
def detokenize(self, msgs):
    statuses = [self.take(msg) for msg in msgs]
    both = [ids for status in statuses for ids in self.windows(status)]
    texts = self.tokenizer.batch_decode(both)
    deltas = []
    for n, (msg, status) in enumerate(zip(msgs, statuses)):
        deltas.append(self.advance(status, texts[2 * n], texts[2 * n + 1]))
        if msg.finished:
            self.decode_map.pop(msg.uid)
    return deltas
""",
    "t1": """
def render(self, text, **options):
    if type(text) is list:
        options = dict(options, tokenize=False, add_generation_prompt=True)
        text = self.tokenizer.apply_chat_template(plain_messages(text), **options)
    return text
""",
    "t2": """
def encode(self, prompt):
    ids = self.tokenizer(prompt, add_special_tokens=False)["input_ids"]
    if self.front and ids[:1] != self.front:
        ids = self.front + ids
    return ids
""",
    "t3": """
def tokenize(self, msgs):
    import torch

    prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
    rows = self.tokenizer(prompts, add_special_tokens=False)["input_ids"] if prompts else []
    result = []
    for ids in rows:
        if ids[: len(self.front)] != self.front:
            ids = self.front + ids
        result.append(torch.tensor(ids).to(torch.int32))
    return result
""",
    "w1": """
def pack(msgs, batch):
    if len(msgs) > 1:
        return batch(list(msgs))
    [msg] = msgs
    return msg
""",
    "w2": """
def drain(queue, local_bs):
    pending = []
    while True:
        pending.extend(unpack(queue.get()))
        if len(pending) >= local_bs or queue.empty():
            return pending
""",
    "w3": """
def handle(pending, tokenizing, detokenizing):
    kinds = {DetokenizeMsg: [], TokenizeMsg: [], AbortMsg: []}
    for msg in pending:
        kinds[type(msg)].append(msg)
    tokens, prompts, aborts = kinds.values()
    texts = detokenizing.detokenize(tokens) if tokens else []
    ids = tokenizing.tokenize(prompts) if prompts else []
    replies = [UserReply(m.uid, t, m.finished) for m, t in zip(tokens, texts)]
    requests = [UserMsg(m.uid, Tensor.of(i), m.sampling_params) for m, i in zip(prompts, ids)]
    ends = [AbortBackendMsg(m.uid) for m in aborts]
    front = [pack(replies, BatchFrontendMsg)] if replies else []
    return front, [pack(some, BatchBackendMsg) for some in (requests, ends) if some]
""",
    "w4": """
import zlib

def route(uid, n):
    return zlib.crc32(str(uid).encode()) % n
""",
    "s1, by a regular expression": """
import re

def earliest(text, stops):
    some = sorted(filter(None, stops), key=len, reverse=True)
    match = re.search("|".join(map(re.escape, some)), text) if some else None
    return (match.start(), match.group()) if match else None
""",
    "s2": """
def held(text, stops):
    fits = [n for stop in stops for n in range(1, len(stop)) if text.endswith(stop[:n])]
    return max(fits, default=0)
""",
    "s3": """
def push(self, delta, finished):
    if self.matched:
        return "", None
    self.waiting += delta
    keep = 0 if finished else held(self.waiting, self.stops)
    found = earliest(self.waiting, self.stops)
    if found is not None and (finished or found[0] + keep < len(self.waiting)):
        place, self.matched = found
        return self.waiting[:place], self.matched
    cut = len(self.waiting) - keep
    leaves, self.waiting = self.waiting[:cut], self.waiting[cut:]
    return leaves, None
""",
    "s4": """
def on_stop(uid, text, matched, ended):
    ended.add(uid)
    return (
        UserReply(uid=uid, incremental_output=text, finished=True, matched_stop=matched, finish_reason="stop"),
        AbortBackendMsg(uid=uid),
    )
""",
    "x0": """
import codecs

def first_fault(deltas, pieces):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    truth = sent = ""
    last = len(deltas) - 1
    for n in range(len(deltas)):
        truth += decoder.decode(pieces[n], n == last)
        if not truth.startswith(sent + deltas[n]):
            return n, fault_kind(deltas[n], truth[len(sent):])
        sent += deltas[n]
    return None if truth == sent else (last, "lost")
""",
    "x1": """
def cut(self, status, output):
    if len(output) <= status.sent_offset:
        return ""
    delta, status.sent_offset = output[status.sent_offset:], len(output)
    return delta
""",
    "x2, later rounds first filled": """
def rounds(msgs):
    left = {}
    for place, msg in enumerate(msgs):
        left.setdefault(msg.uid, []).append(place)
    result = []
    while left:
        result.append([places.pop(0) for places in left.values()])
        left = {uid: places for uid, places in left.items() if places}
    return result
""",
    "x3": """
def flush(self, status, new_text):
    ids = self.windows(status)[0]
    if self.is_whole(new_text, ids) or self.on_cut == "replace":
        return self.cut(status, status.decoded_str + new_text)
    return self.cut(status, (status.decoded_str + new_text)[:-1])
""",
    "x4": """
import codecs

def is_complete(self, ids):
    if self.rule is None:
        return False
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for id_ in ids:
        decoder.decode(self.bytes_of(id_))
    return decoder.getstate()[0] == b""
""",
    "x5": """
def accept(self, msg):
    if msg.uid not in self.decode_map and msg.uid not in self.ended:
        self.open(msg.uid)
    return msg.uid in self.decode_map
""",
    "f1": """
def build_table(tokenizer, *, skip_special_tokens=True):
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    rule = piece_rule_of(tokenizer)

    def entry(token, piece):
        if token in hidden or piece is None:
            return ""
        data = rule.bytes_of(piece)
        text = data.decode("utf-8", "ignore")
        return text if len(text.encode()) == len(data) else data

    return [entry(*pair) for pair in enumerate(pieces(tokenizer))]
""",
    "f2": """
def feed(open_, new):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(open_) + decoder.decode(new)
    rest = decoder.getstate()[0]
    if rest[:1] == b"\\xed" and rest[1:] > b"\\x9f":
        return text + decoder.decode(b"", True), b""
    return text, rest
""",
    "f2, by the functions of other chapters": """
from minisgl_tok.safe import can_grow, open_bytes

def feed(open_, new):
    data = open_ + new
    tail = data[len(data) - open_bytes(data) :]
    if tail and not can_grow(tail):
        tail = b""
    return data[: len(data) - len(tail)].decode("utf-8", "replace"), tail
""",
    "f3": """
def detokenize(self, msgs):
    if msgs and min(msg.next_token for msg in msgs) < 0:
        raise ValueError("a negative id")
    deltas = []
    for msg in msgs:
        late = msg.uid in self.ended
        entry, open_ = self.look_closer(msg)
        text, open_ = self.step(open_, entry)
        if not late:
            self.decode_map[msg.uid] = open_
            text += self.close(msg.uid) if msg.finished else ""
        deltas.append(text)
    return deltas
""",
}


def test_each_exercise_has_another_road() -> None:
    assert {name.partition(",")[0] for name in ANOTHER_ROAD} == set(COURSE)


@pytest.mark.parametrize("name", ANOTHER_ROAD)
def test_a_right_answer_by_another_road_passes(judge: Judge, name: str) -> None:
    verdict = judge.judge(name.partition(",")[0], ANOTHER_ROAD[name], seed=1)
    assert verdict.kind == "passed", (verdict.note, verdict.failure)


# ------------------------------------------------------------------ the same mistake in other words

OTHER_WORDS = {
    ("a0", "looks_anywhere"): "def ends_in_half(text):\n    return text.count(REPLACEMENT) > 0\n",
    ("a0", "fails_on_nothing"): "def ends_in_half(text):\n    return ord(text[len(text) - 1]) == 65533\n",
    ("b1", "last_byte_only"): "def open_bytes(data):\n    return int(bool(data) and data[-1] > 191)\n",
    ("b2", "mixes_rules"): """
def piece_bytes(piece, byte_of):
    data = b""
    for char in piece:
        try:
            data += byte_of[char].to_bytes(1, "big")
        except KeyError:
            data += char.encode("utf-8")
    return data
""",
    ("b3", "token_by_token"): """
def push(self, token):
    delta = self.tokenizer.decode([token])
    self.sent_offset = self.sent_offset + len(delta)
    return delta
""",
    ("d1", "before_the_space"): """
def find_printable_text(text):
    if text.endswith("\\n") or (text and is_chinese(text[-1])):
        return text
    if len(text) > 1 and is_chinese(text[-2]):
        return text[:-1]
    return " ".join(text.split(" ")[:-1])
""",
    ("d3", "moves_on_half"): """
def advance(self, status, read_text, surr_text):
    new = read_text[len(surr_text):]
    if new == "":
        return ""
    status.decoded_str += new
    status.surr_offset = status.read_offset
    status.read_offset = len(status.decoded_ids)
    delta = status.decoded_str[status.sent_offset:]
    status.sent_offset = len(status.decoded_str)
    return delta
""",
    ("d5", "never_freed"): """
def detokenize(self, msgs):
    statuses = [self.take(msg) for msg in msgs]
    reads = self.tokenizer.batch_decode([self.windows(s)[0] for s in statuses])
    surrs = self.tokenizer.batch_decode([self.windows(s)[1] for s in statuses])
    return [self.advance(*three) for three in zip(statuses, reads, surrs)]
""",
    ("t1", "no_generation_prompt"): """
def render(self, text, **options):
    if isinstance(text, list):
        return self.tokenizer.apply_chat_template(
            plain_messages(text), add_generation_prompt=False, tokenize=False, **options)
    return text
""",
    ("w2", "throws_the_rest_away"): """
def drain(queue, local_bs):
    pending = []
    for msg in unpack(queue.get()):
        if len(pending) < local_bs:
            pending.append(msg)
    while len(pending) < local_bs and not queue.empty():
        for msg in unpack(queue.get()):
            if len(pending) < local_bs:
                pending.append(msg)
    return pending
""",
    ("w4", "in_turn"): """
import itertools

turn = itertools.count()

def route(uid, n):
    return next(turn) % n
""",
    ("s2", "holds_the_longest_stop"): """
def held(text, stops):
    if not stops:
        return 0
    return min(max(len(stop) for stop in stops) - 1, len(text))
""",
    ("x1", "remembers_the_shorter"): """
def cut(self, status, output):
    sent, status.sent_offset = status.sent_offset, len(output)
    return output[sent:]
""",
    ("x5", "brings_it_back"): """
def accept(self, msg):
    if msg.uid not in self.decode_map:
        self.open(msg.uid)
    return True
""",
    ("f2", "never_waits"): """
def feed(open_, new):
    return (open_ + new).decode(errors="replace"), b""
""",
}


@pytest.mark.parametrize(("id_", "name"), OTHER_WORDS)
def test_a_mistake_is_known_by_what_it_does(judge: Judge, id_: str, name: str) -> None:
    verdict = judge.judge(id_, OTHER_WORDS[id_, name], seed=1)
    found = judge.name(verdict)
    assert verdict.kind in ("wrong", "error") and found is not None and found.name == name


# ------------------------------------------------------------------ not only for this package


def test_an_oracle_notices_a_broken_reference(source_of: Callable[..., str]) -> None:
    """The reference is no measure: with any mistake in its place the oracle says so."""
    for id_ in ("b1", "d3", "s3", "f2"):
        exercise = exercise_of(id_)
        for wrong in exercise.wrong:
            overlay.fill(exercise, source_of(id_, wrong.name))
            try:
                outcomes = [_outcome(exercise, case) for case in exercise.fixed()]
            finally:
                overlay.restore(exercise)
            assert any(
                not same(given, plain(exercise.oracle(case)))
                for given, case in zip(outcomes, exercise.fixed(), strict=True)
            ), wrong.name


def _outcome(exercise: Exercise, case: dict[str, Any]) -> Any:
    try:
        return plain(exercise.run(case))
    except Exception as error:
        return {"raised": type(error).__name__}
