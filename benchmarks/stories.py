"""The requests of the soak: invented at random, and judged by bytes alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from minisgl_tok import load_tokenizer

from . import texts
from .truth import Truth

ENDS = {"qwen3": {151643, 151645}, "toy": {2}}  # end ids


@dataclass
class Request:
    """A request, what should come of it, and what has."""

    uid: int
    tokens: list[int]  # that the scheduler will send
    stops: list[str]
    bad: bool = False
    abort_at: int | None = None  # tokens after which the client leaves
    sent: int = 0  # tokens
    aborted: bool = False
    heard: float = 0.0
    text: list[str] = field(default_factory=list)
    end: str | None = None
    matched: str | None = None
    life: int = 0  # kills before its beginning, and then before its end
    steady: bool = True  # nobody was killed while it lived, nor is a killed worker still missing


class Stories:
    """Requests for one tokenizer."""

    def __init__(self, name: str, random: Random) -> None:
        tokenizer = load_tokenizer(name)
        self.random = random
        self.ends = ENDS[name]
        self.truth = Truth(tokenizer, self.ends)
        self.ids = tokenizer.encode("".join(texts.SPEED.values()), add_special_tokens=False)
        self.size = len(tokenizer)

    def invent(self, uid: int) -> Request:
        """A random request: text or arbitrary ids, some with stops, some bad, some to be left."""
        random = self.random
        start = random.randrange(len(self.ids))
        tokens = (self.ids + self.ids)[start : start + random.randint(1, 40)]
        for _ in range(random.choice([0, 0, 0, 1, 5])):
            odd = random.choice([random.randrange(self.size), 2**31, self.size + 7])
            tokens.insert(random.randrange(len(tokens) + 1), odd)
        tokens = [token for token in tokens if token not in self.ends]
        tokens += random.choice([[], [min(self.ends)], [max(self.ends)]])
        stops = []
        if random.random() < 0.3:
            whole = self.truth.text(tokens) or "x"
            place = random.randrange(len(whole))
            stops = [whole[place : place + random.randint(1, 5)], "never to be seen"]
        request = Request(uid, tokens or [0], stops, bad=random.random() < 0.03)
        if random.random() < 0.1:
            request.abort_at = random.randrange(len(request.tokens) + 1)
        return request

    def judge(self, request: Request) -> str:
        """What is wrong with the text or the end of a request; "" where nothing is."""
        text, whole = "".join(request.text), self.truth.text(request.tokens)
        places = [(whole.find(stop), -len(stop), stop) for stop in request.stops if stop in whole]
        place, _, stop = min(places, default=(len(whole), 0, None))
        right = whole[:place]
        if request.end in ("error", "abort", "time-out"):
            if request.end == "abort" and not request.aborted:
                return "aborted by nobody"
            if request.end != "abort" and request.steady and not request.bad:
                return "nobody was killed and nothing was wrong with it"
            so_far = self.truth.so_far([request.tokens[: request.sent]])[-1]
            return "" if right.startswith(text) and len(text) <= len(so_far) else "text that is not its own"
        if request.bad:
            return "a bad prompt was answered"
        if text != right:
            return f"{text!r} instead of {right!r}"
        if request.matched != stop:
            return f"matched {request.matched!r} instead of {stop!r}"
        ended = "stop" if stop is not None or request.tokens[-1] in self.ends else "length"
        return "" if request.end == ended else f"ended by {request.end!r} instead of {ended!r}"
