"""The command line. Commands of one noun share a file, loaded when one of them is called."""

import os
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TextIO


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `swather` with these arguments, or with those of this process; the exit code.

    0 done, 1 finished with failures, 2 usage or configuration, 3 database, 130 interrupted.
    """
    try:
        from swather.cli.app import run
        from swather.visible import visible_streams
    except KeyboardInterrupt:
        return 130
    # Closed streams (>&-) are None: what goes there is for nobody.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    # What the encoding lacks is shown by its number.
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    with visible_streams():
        try:
            return run(sys.argv[1:] if arguments is None else list(arguments))
        except Exception:  # noqa: BLE001 - a mistake of ours, told as Python does, but visibly
            traceback.print_exc()
            return 1


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
