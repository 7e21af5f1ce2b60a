"""Measures Swather beside its peers: `python -m bench [PART…] [--full | --small]`.

Every part can be measured alone; its figures stay in build/bench/results until it is measured
again, and the report is made of what is there.
"""

import argparse
import json
import subprocess
import sys
import time
import traceback
from dataclasses import asdict

from rich.console import Console

from bench import environment, machine, page
from bench.bars import judge
from bench.figures import ALONE, RESULTS, ROOT, Measured, load_all, now
from bench.parts import PARTS, WITHOUT_PEERS
from bench.setting import Setting, Size, say
from bench.table import show


def main() -> int:
    options = _options()
    measures = () if options.report_only else options.parts or PARTS
    if options.docs or set(measures) - WITHOUT_PEERS:
        environment.prepare()
    crashed = False
    measured: list[Measured] = []
    setting = Setting(options.size, options.repeats, tuple(options.only))
    with setting.stack:
        for part in measures:
            found = _measure(part, setting)
            crashed |= found is None
            measured += [found] if found else []
    held = load_all(PARTS)
    bars = judge(measured if options.only else held)
    shown = measured or held
    if options.json:
        print(json.dumps([asdict(one) for one in shown], indent=1, ensure_ascii=False))
    else:
        show(shown, bars, Console(width=None if sys.stdout.isatty() else 140))
    if options.docs:
        subprocess.run([environment.PEERS, "-m", "bench.plots"], check=True, cwd=ROOT)
        page.write(held, judge(held))
        say(f"written: {page.PAGE}")
    return 1 if crashed else 0


def _measure(part: str, setting: Setting) -> Measured | None:
    say(f"{part} …")
    began = time.monotonic()
    about = machine.describe()
    try:
        figures = PARTS[part](setting)
    except Exception:  # noqa: BLE001 - the other parts still have figures to give
        say(f"{part} crashed:\n{traceback.format_exc()}")
        return None
    seconds = time.monotonic() - began
    versions = machine.versions()
    held = Measured(part, setting.size, now(), round(seconds, 1), figures, about, versions)
    path = held.save(ALONE if setting.only else RESULTS)
    say(f"{part}: {seconds:.0f} s, {path}")
    return held


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    sizes = parser.add_mutually_exclusive_group()
    for size in (Size.SMALL, Size.FULL):
        sizes.add_argument(f"--{size}", dest="size", action="store_const", const=size)
    parser.set_defaults(size=Size.NORMAL)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--only", nargs="*", default=[], help="contenders whose name has this; not for the report"
    )
    parser.add_argument("--report-only", action="store_true", help="measure nothing")
    parser.add_argument("--json", action="store_true", help="JSON on standard output, no table")
    parser.add_argument(
        "--docs", action="store_true", help="write docs/benchmarks.md and its plots"
    )
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    raise SystemExit(main())
