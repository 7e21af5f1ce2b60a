"""A request as a trace tells of it."""

from time import time_ns
from typing import Final, NamedTuple

# Of one attempt; what a page in a browser loads may be more.
MAX_ASKED: Final = 1_000


class Asked(NamedTuple):
    """`status` is 0 if no answer came, `error` is '' if its body was read, too."""

    url: str
    status: int
    error: str
    began_ns: int
    ended_ns: int


def note(asked: list[Asked], url: str, status: int, error: str, seconds: float) -> None:
    """A body that cannot be read ends the request that was answered before it."""
    now = time_ns()
    began = now - int(seconds * 1e9)
    if error and asked and asked[-1].url == url and asked[-1].ended_ns >= began:
        status = asked.pop().status
    if len(asked) < MAX_ASKED:
        asked.append(Asked(url, status, error, began, now))
