"""Measures the stores beside hand-written SQL in the same run: `python -m bench.store --help`."""

import argparse
import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack

import apsw
import psycopg
from rich.console import Console

from bench.servers.postgres import postgres_server
from bench.store import latency, throughput
from bench.store.measure import disk_latency, say
from bench.store.report import Figure, as_json, show
from bench.store.setups import Setup, postgres_setup, sqlite_setup

PARTS = ("enqueue", "drain", "claim", "snapshot")
FULL_ROWS = 10_000_000
DRAIN_ROWS = 1_000_000
SNAPSHOT_ROWS_PER_SECOND = 50_000

Opener = Callable[[], AbstractContextManager[Setup]]


def main() -> int:
    options = _options()
    disk = disk_latency()
    figures = [Figure("disk", "", "fsync of 4 KB: p50", disk.p50_ms, "ms")]
    crashed = False
    with ExitStack() as stack:
        for opener in _openers(options.db, stack):
            for part in options.parts:
                try:
                    figures += _measure(part, opener, options)
                except Exception:  # noqa: BLE001 - the other parts still have figures to give
                    crashed = True
                    say(f"{part} crashed:\n{traceback.format_exc()}")
    figures.sort(key=lambda figure: figure.part)
    if options.json:
        print(as_json(figures, _setting(options)))
    else:
        show(figures, Console(width=None if sys.stdout.isatty() else 150))
    missed = any(figure.ok is False for figure in figures)
    return 1 if crashed or (options.strict and missed) else 0


def _openers(database: str, stack: ExitStack) -> Iterator[Opener]:
    if database in {"sqlite", "both"}:
        yield sqlite_setup
    if database in {"postgres", "both"}:
        server = stack.enter_context(postgres_server())
        yield lambda: postgres_setup(server)


def _measure(part: str, opener: Opener, options: argparse.Namespace) -> list[Figure]:
    with opener() as setup:
        match part:
            case "enqueue":
                return list(throughput.enqueue(setup, options.rows))
            case "drain":
                return list(throughput.drain(setup, max(options.rows, DRAIN_ROWS)))
            case "snapshot":
                seconds = options.snapshot_seconds
                rows = max(options.rows, int(seconds * SNAPSHOT_ROWS_PER_SECOND))
                return list(throughput.snapshot(setup, rows, seconds))
            case _:
                with opener() as large:
                    figures = latency.claim(setup, large, options.rows, options.claims)
                    return list(figures)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="JSON on standard output, no table")
    parser.add_argument("--db", choices=("sqlite", "postgres", "both"), default="both")
    parser.add_argument("--rows", type=int, default=1_000_000, help="size of the backlogs")
    parser.add_argument("--full", action="store_true", help=f"the same as --rows {FULL_ROWS}")
    parser.add_argument(
        "--parts", type=_parts, default=PARTS, help=f"a list out of {','.join(PARTS)}"
    )
    parser.add_argument("--claims", type=int, default=1_000, help="claims per latency figure")
    parser.add_argument("--snapshot-seconds", type=float, default=60.0)
    parser.add_argument("--strict", action="store_true", help="a missed bar is an error")
    options = parser.parse_args()
    if options.full:
        options.rows = FULL_ROWS
    return options


def _parts(text: str) -> list[str]:
    parts = text.split(",")
    if unknown := set(parts) - set(PARTS):
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(sorted(unknown))}")
    return parts


def _setting(options: argparse.Namespace) -> dict[str, str | int]:
    return {
        "rows": options.rows,
        "processors": os.cpu_count() or 0,
        "machine": platform.platform(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "psycopg": psycopg.__version__,
    }


if __name__ == "__main__":
    sys.exit(main())
