"""Rendering local pages whose script fetches what they show, in Chromium."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.driver import ask
from bench.environment import OURS, PEERS
from bench.figures import Figure
from bench.servers.scripted import ROWS, scripted_site
from bench.setting import Contender, Setting, in_turns

# Two per core: a page waits for its answers half of the time.
AT_ONCE = 4
WORK = "render"
UNIT = "pages/s"
FRESH = "bare Playwright, fresh contexts"
Values = dict[tuple[str, str], float]


def measure(setting: Setting) -> list[Figure]:
    count = setting.pick(60, 300)
    with scripted_site() as urls:
        return in_turns(setting, _contenders(setting, urls, count))


def _contenders(setting: Setting, urls: str, count: int) -> Iterator[Contender]:
    shared = {"urls": urls, "at_once": AT_ONCE, "rows": ROWS}
    for session, what in ((None, ""), ("run", ", one session")):
        ours = partial(_driven, OURS, "bench.ours.browser", count, session=session, **shared)
        yield Contender(f"Swather, SQLite{what}", "ours", ours, "durable, synchronous FULL")
        on_postgres = partial(_on_postgres, setting, ours)
        yield Contender(f"Swather, PostgreSQL{what}", "ours", on_postgres, "durable, fsync on")
    theirs = partial(_driven, PEERS, "bench.peers.crawlee_browser", count, **shared)
    yield Contender("Crawlee", "peer", theirs, "PlaywrightCrawler, one session, in memory")
    bare = partial(_driven, OURS, "bench.ours.bare_browser", **shared)
    few = max(count // 5, 40)
    yield Contender(FRESH, "limit", partial(bare, few, fresh=True), "keeps nothing")
    reused = partial(bare, count, fresh=False)
    yield Contender("bare Playwright, reused pages", "limit", reused, "keeps nothing")


def _driven(python: Path, module: str, count: int, **given: object) -> Values:
    answer = ask(python, module, "render", count=count, **given)
    return {(WORK, UNIT): count / answer["seconds"]}


def _on_postgres(setting: Setting, driven: partial[Values]) -> Values:
    with setting.postgres.fresh_database() as url:
        return driven(db=url)
