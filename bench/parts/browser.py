"""Rendering local pages whose script fetches what they show: in `chromium --headless`, and in the
program without windows, which Swather prefers and Playwright downloads by default.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.driver import ask
from bench.environment import OURS, PEERS
from bench.figures import Figure
from bench.servers.chromium import PROGRAMS
from bench.servers.scripted import ROWS, scripted_site
from bench.setting import Contender, Setting, in_turns

# Two per core: a page waits for its answers half of the time.
AT_ONCE = 4
Values = dict[tuple[str, str], float]


def measure(setting: Setting) -> list[Figure]:
    count = setting.pick(60, 300)
    with scripted_site() as urls:
        return in_turns(
            setting,
            [one for program in PROGRAMS for one in _contenders(setting, urls, count, program)],
        )


def _contenders(setting: Setting, urls: str, count: int, program: str) -> Iterator[Contender]:
    shared = {"urls": urls, "at_once": AT_ONCE, "rows": ROWS, "program": program}
    for session, what in ((None, ""), ("run", ", one session")):
        ours = partial(_driven, OURS, "bench.ours.browser", count, session=session, **shared)
        yield Contender(f"Swather, SQLite{what}", "ours", ours, "durable, synchronous FULL")
        on_postgres = partial(_on_postgres, setting, ours)
        yield Contender(f"Swather, PostgreSQL{what}", "ours", on_postgres, "durable, fsync on")
    theirs = partial(_driven, PEERS, "bench.peers.crawlee_browser", count, **shared)
    yield Contender("Crawlee", "peer", theirs, "PlaywrightCrawler, one session, in memory")
    bare = partial(_driven, OURS, "bench.ours.bare_browser", **shared)
    fresh = partial(bare, max(count // 5, 40), fresh=True)
    yield Contender("bare Playwright, fresh contexts", "limit", fresh, "keeps nothing")
    reused = partial(bare, count, fresh=False)
    yield Contender("bare Playwright, reused pages", "limit", reused, "keeps nothing")


def _driven(python: Path, module: str, count: int, *, program: str, **given: object) -> Values:
    answer = ask(python, module, "render", count=count, program=program, **given)
    work = f"render in {Path(program).name}"
    return {
        (work, "pages/s"): answer["pages_per_second"],
        (f"{work}, CPU", "ms/page"): answer["cpu_ms"],
    }


def _on_postgres(setting: Setting, driven: partial[Values]) -> Values:
    with setting.postgres.fresh_database() as url:
        return driven(db=url)
