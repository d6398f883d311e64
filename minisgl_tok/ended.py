"""The requests that are over, remembered for a while.

An overlapped scheduler sends a token too many, and an abort crosses tokens that are under
way. Such a late message must not begin a request that nobody will finish, so ended uids are
remembered; but not for ever, since a server ends millions.
"""

from __future__ import annotations

REMEMBERED = 1 << 16  # ended uids; messages under way are far fewer


class EndedUids:
    """The uids that ended last, `limit` of them; the oldest is forgotten first.

    >>> ended = EndedUids(limit=2)
    >>> for uid in (1, 2, 3):
    ...     ended.add(uid)
    >>> 1 in ended, 2 in ended, 3 in ended
    (False, True, True)
    """

    def __init__(self, limit: int = REMEMBERED) -> None:
        self.limit = limit
        self._uids: dict[int, None] = {}  # in the order of their end

    def add(self, uid: int) -> None:
        """Remember a uid as the latest that ended."""
        self._uids.pop(uid, None)
        self._uids[uid] = None
        if len(self._uids) > self.limit:
            del self._uids[next(iter(self._uids))]

    def discard(self, uid: int) -> None:
        """Forget a uid: a new request begins under it."""
        self._uids.pop(uid, None)

    def __contains__(self, uid: int) -> bool:
        return uid in self._uids

    def __len__(self) -> int:
        return len(self._uids)
