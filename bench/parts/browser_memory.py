"""Memory of a browser over many targets, and what is left of it: nothing.

A run on each database, long enough for Chromium to be restarted after every 100 targets.
"""

from collections.abc import Iterator
from functools import partial

from bench.driver import ask
from bench.environment import OURS
from bench.figures import Figure
from bench.parts.browser import AT_ONCE
from bench.servers.chromium import PROGRAMS
from bench.servers.scripted import ROWS, scripted_site
from bench.setting import Contender, Setting, in_turns

COUNT = 300
Values = dict[tuple[str, str], float]


def measure(setting: Setting) -> list[Figure]:
    with scripted_site() as urls:
        return in_turns(setting, _contenders(setting, urls), repeats=1)


def _contenders(setting: Setting, urls: str) -> Iterator[Contender]:
    given = {"urls": urls, "at_once": AT_ONCE, "rows": ROWS, "program": PROGRAMS[0]}
    note = "max_targets_per_browser = 100"
    yield Contender("Swather, SQLite", "ours", partial(_driven, **given), note)
    on_postgres = partial(_on_postgres, setting, **given)
    yield Contender("Swather, PostgreSQL", "ours", on_postgres, note)


def _driven(**given: object) -> Values:
    answer = ask(OURS, "bench.ours.browser", "watch", seconds=900, count=COUNT, **given)
    of = f"{COUNT} targets in a browser"
    return {
        (f"{of}: Chromium, peak", "MB"): answer["chromium_peak_mb"],
        (f"{of}: Chromium, third hundred over second", "MB"): answer["chromium_rise_mb"],
        (f"{of}: the worker, third hundred over second", "MB"): answer["worker_rise_mb"],
        (f"{of}: Chromium was started", "times"): answer["starts"],
        (f"{of}: processes left", "processes"): answer["processes_left"],
    }


def _on_postgres(setting: Setting, **given: object) -> Values:
    with setting.postgres.fresh_database() as url:
        return _driven(db=url, **given)
