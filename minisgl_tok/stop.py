"""Stop strings: end a request where one of its strings appears in the text.

A stop is text, not tokens, so only the detokenizer can see it. It may come in pieces: the
end of a delta that could still become a stop is held until the next one decides.

    stops     "</s>"
    deltas    "so <"        "/b"         " … </"     "s> and"
    held      "<"           "</b" fails   "</"        match
    leaves    "so "         "</b"        " … "        ""
"""

from __future__ import annotations

from collections.abc import Iterable


def earliest(text: str, stops: list[str]) -> tuple[int, str] | None:
    """Where the first stop in a text begins, and which it is; None where there is none.

    The order of `stops` does not count: the place does, and of two that begin at the same
    place the longer wins. An empty string is no stop.

    >>> earliest("one END two", ["two", "E", "END"])
    (4, 'END')
    """
    found = [(text.find(stop), stop) for stop in stops if stop]
    found = [(place, stop) for place, stop in found if place >= 0]
    return min(found, key=lambda match: (match[0], -len(match[1])), default=None)


def held(text: str, stops: list[str]) -> int:
    """The length of the longest end of a text that more text could make a stop.

    A stop that is there in full is no promise but a match, so it does not count.

    >>> held("a <", ["</s>"]), held("a </b", ["</s>"]), held("</s>", ["</s>"])
    (1, 0, 0)
    """
    longest = max(map(len, stops), default=0)
    for length in range(min(longest - 1, len(text)), 0, -1):
        end = text[len(text) - length :]
        if any(length < len(stop) and stop.startswith(end) for stop in stops):
            return length
    return 0


class StopStrings:
    """The stops of one request, and the text that waits for them.

    What leaves is the text up to its earliest stop, however it was cut into deltas. A
    match is final once no stop that begins earlier, or longer at the same place, can still
    complete. Each delta is searched once, together with what was held: the cost does not
    grow with the answer.

    >>> stops = StopStrings(["</s>"])
    >>> [stops.push(delta, False) for delta in ("so <", "/b", " … </", "s> and")]
    [('so ', None), ('</b', None), (' … ', None), ('', '</s>')]

    Raises ValueError where a stop is empty: it would match before the answer begins.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        if isinstance(stops, str):
            raise ValueError(f"stops come as a list of strings, not as one string: {stops!r}")
        self.stops = list(dict.fromkeys(stops))
        if "" in self.stops:
            raise ValueError("a stop string may not be empty: it would end every request at once")
        self.waiting = ""  # text that could still become a stop
        self.matched: str | None = None

    def push(self, delta: str, finished: bool) -> tuple[str, str | None]:
        """What may leave now, and the stop that matched with this delta, if one did.

        `finished` says that no more text will come: then nothing is held back. After a
        match nothing leaves any more.
        """
        if self.matched is not None:
            return "", None
        text = self.waiting + delta
        certain = len(text) - (0 if finished else held(text, self.stops))
        match = earliest(text, self.stops)
        if match and (match[0] < certain or finished):
            self.waiting, self.matched = "", match[1]
            return text[: match[0]], self.matched
        self.waiting = text[certain:]
        return text[:certain], None
