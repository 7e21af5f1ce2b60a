"""Parses the pages on its standard input one by one, and is killed by one that takes too long.

Run with -m by sandbox.py; it imports little, so that it starts quickly.
"""

import resource
import signal
import struct
import sys
from typing import Final

# How many seconds of processor time the page may take, and how many bytes it has.
HEAD: Final = struct.Struct("!dQ")
PARSED: Final = b"+"
FAILED: Final = b"-"
_MAX_MEMORY_BYTES: Final = 2 << 30
# Matches nothing, and checks all ancestors of every element: the worst case of `div p`.
_SEARCH: Final = "swather-none *"


def main() -> None:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or hard > _MAX_MEMORY_BYTES:
        resource.setrlimit(resource.RLIMIT_DATA, (_MAX_MEMORY_BYTES, hard))
    # A parent that ignores it would make us ignore it, too.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    pages, answers = sys.stdin.buffer, sys.stdout.buffer
    while len(head := pages.read(HEAD.size)) == HEAD.size:
        seconds, length = HEAD.unpack(head)
        html = pages.read(length)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            LexborHTMLParser(html, options=1).css_first(_SEARCH)
            answer = PARSED
        except Exception:  # noqa: BLE001 - the worker's own parser would raise it, too
            answer = FAILED
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(answer)
        answers.flush()


if __name__ == "__main__":
    main()
