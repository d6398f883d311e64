"""The parrot continues what it has read, and shows what a prompt does."""

from minisgl_tok import load_tokenizer
from minisgl_tok.parrot import Parrot

QUESTION = {"role": "user", "content": "What is a token?"}
CHAT = [QUESTION, {"role": "assistant", "content": "A run of bytes."}]


def says(parrot, tokenizer, prompt):
    return tokenizer.decode(parrot.complete(tokenizer.encode(prompt, add_special_tokens=False)))


def test_it_answers_only_behind_the_generation_prompt():
    tokenizer = load_tokenizer("qwen3")
    parrot = Parrot(tokenizer, [tokenizer.apply_chat_template(CHAT, tokenize=False)])
    prompt = tokenizer.apply_chat_template([QUESTION], tokenize=False, add_generation_prompt=True)
    assert says(parrot, tokenizer, prompt).endswith("A run of bytes.<|im_end|>")
    assert says(parrot, tokenizer, "What is a") == " token?<|im_end|>"


def test_it_is_silent_where_it_has_read_nothing():
    tokenizer = load_tokenizer("toy")
    assert Parrot(tokenizer, []).complete([5, 6]) == []
    assert Parrot(tokenizer, ["to be"]).complete([]) == []


def test_it_stops_at_its_limit():
    tokenizer = load_tokenizer("toy")
    ids = tokenizer.encode("to to to to", add_special_tokens=False)
    assert len(Parrot(tokenizer, ["to to to to"]).complete(ids, limit=7)) <= 7


def test_the_most_frequent_continuation_wins():
    tokenizer = load_tokenizer("toy")
    parrot = Parrot(tokenizer, ["to be", "to not", "to not"])
    assert says(parrot, tokenizer, "to") == "not"
