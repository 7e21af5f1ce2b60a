"""The command line. Each command lives in a file of its own and is loaded when it is called."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `swather` with these arguments, or with those of this process; the exit code.

    0 done, 1 finished with failures, 2 usage or configuration, 3 database, 130 interrupted.
    """
    from swather.cli.app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
