"""Fetching local 10 KB pages, and the same pages when each takes 200 ms."""

import re
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.driver import ask
from bench.environment import OURS, PEERS
from bench.figures import Figure
from bench.setting import Contender, Setting, Size, in_turns

AT_ONCE = 64
WORK = "fetch"
UNIT = "pages/s"
Values = dict[tuple[str, str], float]


def measure(setting: Setting) -> list[Figure]:
    count = setting.pick(2_000, 20_000)
    # The slow ones do fewer pages of the same kind: their rate does not depend on how many.
    few = setting.pick(500, 2_000, count)
    urls = f"{setting.site}/page/"
    return in_turns(setting, contenders(setting, WORK, urls, AT_ONCE, count, few))


def contenders(
    setting: Setting, work: str, urls: str, at_once: int, count: int, few: int
) -> Iterator[Contender]:
    shared = {"urls": urls, "at_once": at_once}
    ours = partial(_driven, work, OURS, "bench.ours.fetch", count, **shared)
    theirs = partial(_driven, work, PEERS, **shared)
    yield Contender("Swather, SQLite", "ours", ours, "durable, synchronous FULL")
    yield Contender(
        "Swather, PostgreSQL", "ours", partial(_on_postgres, setting, ours), "durable, fsync on"
    )
    some = min(count, 3 * few)
    yield Contender("Crawlee", "peer", partial(theirs, "bench.peers.crawlee", some), "in memory")
    yield Contender("Scrapy", "peer", partial(theirs, "bench.peers.scrapy", few), "in memory")
    if work == WORK or setting.size is Size.FULL:
        aiohttp = partial(theirs, "bench.peers.scrapy", few, handler="aiohttp")
        yield Contender("Scrapy, aiohttp handler", "peer", aiohttp, "in memory")
    bare = partial(_driven, work, OURS, "bench.ours.bare_client", count, **shared)
    yield Contender("bare wreq loop", "limit", bare, "keeps nothing")
    yield Contender("wrk", "limit", partial(_wrk, work, urls, at_once), "one URL, keeps nothing")


def _driven(work: str, python: Path, module: str, count: int, **given: object) -> Values:
    answer = ask(python, module, "fetch", count=count, **given)
    return {
        (work, UNIT): count / answer["seconds"],
        (f"{work}: CPU", "µs/page"): answer["cpu_seconds"] / count * 1e6,
    }


def _on_postgres(setting: Setting, driven: partial[Values]) -> Values:
    with setting.postgres.fresh_database() as url:
        return driven(db=url)


def _wrk(work: str, urls: str, at_once: int) -> Values:
    command = ["wrk", "--threads", "1", "--connections", str(at_once), "--duration", "3s"]
    said = subprocess.run([*command, f"{urls}1"], check=True, capture_output=True, text=True)
    found = re.search(r"Requests/sec:\s+([\d.]+)", said.stdout)
    assert found, said.stdout
    return {(work, UNIT): float(found[1])}
