"""All predictions and all points to explain, in one place.

A prediction's truth is computed with the reference when it is asked for, so it cannot grow
stale. To add one, add a function here and call `judge.predict("its name")` in a notebook,
before the cell that shows what is so, and `judge.predicted("its name")` behind that cell.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from practice import oracles
from practice.engine import overlay

SEED = "鱻䨻🦩 is rare, 推理 naïve"
JAPANESE = (
    "トークンは文字ではなく、バイトの列です。ひらがなとカタカナはよく使われるので、"
    "ふつうはひとつのトークンになります。だから、ほとんど待たされません。"
)

KOREAN = (
    "토큰은 글자가 아니라 바이트의 열입니다. 자주 쓰이는 글자는 토큰 하나가 되므로,"
    " 화면에 글자가 늦게 나타나는 일은 거의 없습니다."
)
SENT_TWICE = (3490, 72496, 44680, 7492, 87)  # 丒ឤ킬x, in tokens that cross its characters


@dataclass(frozen=True)
class Prediction:
    """A question before a key cell. Choose from `choices`, or type one line for each of `blanks`."""

    id: str
    question: str
    truth: Callable[[], list[str]]
    why: str
    choices: tuple[str, ...] = ()
    several: bool = False  # more than one choice may be right
    blanks: tuple[str, ...] = ()


PREDICTIONS: dict[str, Prediction] = {}


def prediction(question: str, why: str, **options: Any) -> Callable[..., Callable[[], list[str]]]:
    """Makes a prediction of a function that computes its truth; the function's name is its id."""

    def add(truth: Callable[[], list[str]]) -> Callable[[], list[str]]:
        PREDICTIONS[truth.__name__] = Prediction(truth.__name__, question, truth, why, **options)
        return truth

    return add


@prediction(
    "Each of these arrives alone, token by token, and every token is decoded by itself. Which of them break?",
    "A character breaks when it is more than one token. Common ones are one token, however many"
    " bytes they have: what is frequent in the training text got an id of its own.",
    choices=("😀", "推", "鱻", "é", "🦩"),
    several=True,
)
def p0() -> list[str]:
    return [char for char in ("😀", "推", "鱻", "é", "🦩") if len(_qwen3().encode(char)) > 1]


@prediction(
    "鱻 is the two tokens 100024 and 119. What is `decode([100024]) + decode([119])`?",
    "Each half is decoded alone and is no character alone, so each becomes a mark of its own."
    " Bytes can be joined before decoding, texts after it cannot.",
    choices=("鱻", "one U+FFFD", "two U+FFFD", "nothing at all"),
)
def p2() -> list[str]:
    text = _qwen3().decode([100024]) + _qwen3().decode([119])
    return [{"鱻": "鱻", "\ufffd": "one U+FFFD", "\ufffd\ufffd": "two U+FFFD", "": "nothing at all"}[text]]


@prediction(
    f"“{SEED}” streams through the window. After `,` the offsets surr · read · sent are 8 · 9 · 12."
    " Then comes token 46602: a space and two of the three bytes of 推. What are they now?",
    "The new text ends in half a character, so the window stays. The space is certain and goes"
    " ahead: only `sent` moves.",
    choices=("8 · 9 · 12", "8 · 9 · 13", "9 · 10 · 13", "9 · 10 · 14"),
)
def p3() -> list[str]:
    return [_offsets(SEED)[9]]


@prediction(
    f"Fill in the offsets surr · read · sent for the first messages of “{SEED}”, by hand:"
    " 鱻 is two tokens, and so is 䨻.",
    "Half a character moves nothing. A whole one moves `read` to the end, `surr` to where `read`"
    " was, and `sent` by one character.",
    blanks=("after message 1 (e9 b1)", "after message 2 (bb)", "after message 4 (bb)"),
)
def p3rows() -> list[str]:
    rows = _offsets(SEED)
    return [rows[0], rows[1], rows[3]]


@prediction(
    "A Japanese answer, kana and Kanji, streams through the window. After how many of its messages"
    " does the frontend lack a character whose bytes have all arrived?",
    "The rule for uncertain text is only asked when the new text is empty or ends in U+FFFD. Kana"
    " are mostly whole tokens, so they hardly ever meet it.",
    choices=("after almost none (less than a tenth)", "after about a third", "after most of them"),
)
def p3kana() -> list[str]:
    share = _late_share(JAPANESE)
    choices = PREDICTIONS["p3kana"].choices
    return [choices[0] if share < 0.1 else choices[1] if share < 0.5 else choices[2]]


@prediction(
    "丒ឤ킬x as the tokens 3490, 72496, 44680, 7492, 87: valid text, no end token. How often does the window send 丒?",
    "The rules let 丒 go ahead with its second token. With the third they allow less, `sent_offset` goes"
    " back, and when the text is whole all of it is sent: 丒 once more.",
    choices=("once", "twice", "never"),
)
def p3twice() -> list[str]:
    package = overlay.reference()
    manager = package.DetokenizeManager(_qwen3())
    deltas = [manager.detokenize([package.DetokenizeMsg(1, token, False)])[0] for token in SENT_TWICE]
    return [("never", "once", "twice")["".join(deltas).count("丒")]]


@prediction(
    "A request is cut at its last token: ` ` and the first two bytes of an emoji. What does the window send with it?",
    "The new text is a space and a U+FFFD. The space is certain and goes; the rest is held, and then the"
    " status is deleted with what it held.",
    choices=("a space", "a space and U+FFFD", "nothing"),
)
def p6end() -> list[str]:
    package = overlay.reference()
    manager = package.DetokenizeManager(_qwen3())
    *_, delta = (
        manager.detokenize([package.DetokenizeMsg(1, token, token == 11162)])[0] for token in (9707, 11162)
    )
    return [{" ": "a space", " \ufffd": "a space and U+FFFD", "": "nothing"}[delta]]


@prediction(
    "How many U+FFFD does Python write for each of these bytes with `replace`?",
    "`f0 9f` is one beginning of a character, broken by `41`. Neither `ff` nor `fe` can begin one. The first `e6`"
    " is broken by the second, which begins a whole character. `f0` may not be followed by `80`, so each stands alone.",
    blanks=("f0 9f 41", "ff fe", "e6 e6 8e a8", "f0 80 80"),
)
def p7marks() -> list[str]:
    samples = (b"\xf0\x9f\x41", b"\xff\xfe", b"\xe6\xe6\x8e\xa8", b"\xf0\x80\x80")
    return [str(data.decode("utf-8", "replace").count("\ufffd")) for data in samples]


@prediction(
    "Two detokenizer processes share the work, and a request's tokens go to them in turn. What do the two send for"
    " 🦩, whose tokens are 123918 and 102?",
    "Each process has one of the halves and no idea of the other. The half that opens a character waits for"
    " ever; the other can become nothing.",
    choices=("🦩", "nothing, and at the end one U+FFFD", "🦩 twice"),
)
def p4turn() -> list[str]:
    package = overlay.reference()
    managers = [package.SafeDetokenizeManager(_qwen3()) for _ in range(2)]
    halves = (123918, 102)
    sent = [
        m.detokenize([package.DetokenizeMsg(1, token, token == halves[-1])])[0]
        for m, token in zip(managers, halves, strict=True)
    ]
    return ["nothing, and at the end one U+FFFD" if sent == ["", "\ufffd"] else "".join(sent)]


@prediction(
    "A stop string is `END`. The text so far ends in `…EN`. How many characters must wait?",
    "`EN` can still become `END`, so both wait. What stands before them can belong to no stop any more.",
    choices=("none", "one", "two", "three"),
)
def p5held() -> list[str]:
    return [("none", "one", "two", "three")[overlay.reference().stop.held("…EN", ["END"])]]


@prediction(
    "The toy's template writes `<s>`, and the toy adds `<s>` when it encodes. A chat is rendered and then encoded"
    " with `toy.encode(prompt)`. How many BOS does the model see in front?",
    "Neither knows of the other, so both write it. Nothing warns you; the answers just get a little worse.",
    choices=("none", "one", "two"),
)
def p1bos() -> list[str]:
    toy = overlay.reference().load_tokenizer("toy")
    prompt = toy.apply_chat_template([{"role": "user", "content": "to be"}], tokenize=False)
    return [("none", "one", "two")[toy.encode(prompt)[:3].count(toy.bos_token_id)]]


@prediction(
    "“鱻 推hi 🦩”, cut before its last token, goes through five streamers. Which of them send every character, and"
    " nothing else?",
    "The window and DecodeStream lose at the cut what they still hold, and token by token sends marks before"
    " their time. TextStreamer sends at the end what it has held, and is right here; chapter 06's table has"
    " inputs on which it is not.",
    choices=("exact", "window", "DecodeStream", "TextStreamer", "token by token"),
    several=True,
)
def p7race() -> list[str]:
    package = overlay.reference()
    tokenizer = _qwen3()
    ids = tokenizer.encode("鱻 推hi 🦩")[:-1]
    runners = importlib.import_module(f"{package.__name__}.show.race").default_runners()
    traces = {
        name: package.show.record(tokenizer, runners[name], package.show.messages_of(ids))
        for name in PREDICTIONS["p7race"].choices
    }
    return [name for name, trace in traces.items() if trace.first_fault() is None]


def _qwen3() -> Any:
    return overlay.reference().load_tokenizer("qwen3")


def _stream(text: str) -> list[tuple[int, str, Any]]:
    """For each token of a text: its id, the window's delta and the status afterwards."""
    package, tokenizer = overlay.reference(), _qwen3()
    manager, rows = package.DetokenizeManager(tokenizer), []
    for token in tokenizer.encode(text):
        [delta] = manager.detokenize([package.DetokenizeMsg(1, token, False)])
        status = manager.decode_map[1]
        rows.append((token, delta, (status.surr_offset, status.read_offset, status.sent_offset)))
    return rows


def _offsets(text: str) -> list[str]:
    return [" · ".join(map(str, offsets)) for _, _, offsets in _stream(text)]


def _late_share(text: str) -> float:
    """The part of the messages after which the frontend has less than the finished characters."""
    package, tokenizer = overlay.reference(), _qwen3()
    finished, sent, late, rows = 0, 0, 0, _stream(text)
    texts = oracles.as_they_arrive([package.token_bytes(tokenizer, token) for token, _, _ in rows])
    for whole, (_, delta, _) in zip(texts, rows, strict=True):
        finished += len(whole)
        sent += len(delta)
        late += sent < finished
    return late / len(rows)


# What `%%explain 03` asks its writer to have said: four points a chapter.
POINTS: dict[str, tuple[str, ...]] = {
    "00": (
        "A token is a run of bytes, not of characters; a character may be cut between two tokens.",
        "Which characters are whole depends on the vocabulary: frequent ones have an id of their own.",
        "Text that has left cannot be called back, so an unfinished end has to wait.",
        "The tokenizer process stands between the API server and the scheduler, in both directions.",
    ),
    "01": (
        "A model continues one text; a chat becomes that text by the model's own template.",
        "Without the generation prompt the model decides whose turn it is, and may go on as the user.",
        "The BOS stands at the front once; both the template and the tokenizer would write it.",
        "A batch is one call of the library and gives 1-D int32 tensors in the order of the requests.",
    ),
    "02": (
        "UTF-8's first byte says how many bytes its character has; the others only follow.",
        "A vocabulary writes bytes as printable characters; bytes must be joined before they are decoded.",
        "Decoding everything each time is right on ordinary text, and its cost grows with the square.",
        "Token by token is cheap and wrong; the difference between two decodes is the way out.",
    ),
    "03": (
        "Decoding is not additive: the window decodes the recent ids with and without the new ones and takes the difference.",
        "An end in U+FFFD waits; what is certain before it may go ahead, and `sent_offset` counts it once.",
        "`surr_offset` keeps context, because a tokenizer's spaces can depend on what stands before.",
        "The cost of a token stays the same however long the answer is; state is freed at the end.",
    ),
    "04": (
        "The loop waits only while nothing is there, and takes what has arrived as one batch.",
        "Three kinds of messages: tokens become replies, prompts become requests, aborts are passed on.",
        "The detokenizer remembers each request, so all of a request's tokens must reach the same process.",
        "A killed process takes what it had read with it; a time-out at the client is the only cure.",
    ),
    "05": (
        "A stop is text, so it can only be found behind the detokenizer.",
        "It can come in pieces: an end of the text that may still become a stop is held, and no more.",
        "The earliest match in the text wins; of two that begin together, the longer.",
        "The frontend gets one finished reply and the scheduler an abort; tokens under way are dropped.",
    ),
    "06": (
        "Right is what the bytes say after each message: nothing early, nothing twice, nothing lost.",
        "Random tokens with shrinking find what ordinary text does not contain.",
        "What has left is never sent again, and at the end nothing is held back.",
        "Whether a character is complete is a question for the bytes; a U+FFFD in the text cannot answer it.",
    ),
    "07": (
        "A token's bytes never change, so a table gives each token's text before any stream begins.",
        "Only an open character is state: three bytes at most.",
        "Bytes that can never complete become one U+FFFD for each longest beginning of a character, at once.",
        "Speed is claimed as a ratio, measured in one run on the same input, with the floor beside it.",
    ),
}
