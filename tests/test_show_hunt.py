"""Random tokens break the window, and the failure gets small."""

import pytest

from minisgl_tok import DetokenizeManager, load_tokenizer
from minisgl_tok.exact import ExactDetokenizeManager
from minisgl_tok.show.hunt import hunt, shrink, spells_text
from minisgl_tok.show.trace import messages_of, record


@pytest.mark.parametrize("valid", [False, True])
def test_the_window_breaks_on_a_few_ids(valid):
    tokenizer = load_tokenizer("qwen3")
    ids = hunt(DetokenizeManager, tokenizer, valid=valid)
    assert ids is not None and len(ids) <= 6
    assert record(tokenizer, DetokenizeManager, messages_of(ids)).first_fault() is not None
    assert not valid or spells_text(tokenizer, ids)
    assert hunt(DetokenizeManager, tokenizer, valid=valid) == ids


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_the_exact_manager_does_not(name):
    assert hunt(ExactDetokenizeManager, load_tokenizer(name), tries=100) is None


def test_what_is_shrunk_still_fails_and_nothing_less_does():
    def fails(ids):
        return sum(ids) >= 10

    small = shrink([1, 9, 2, 3, 8], fails)
    assert fails(small) and not any(fails(small[:n] + small[n + 1 :]) for n in range(len(small)))
    assert shrink([], lambda ids: True) == []
