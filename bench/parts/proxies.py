"""Fetching pages through one proxy: of the pool, and named with each request.

nginx takes the whole URL in a request line, whatever its host, and answers with its own page: a
proxy that costs nothing, so that what is compared is the cost of the pool.
"""

from collections.abc import Iterator
from functools import partial

from bench.driver import ask
from bench.environment import OURS
from bench.figures import Figure
from bench.parts.fetch import AT_ONCE, UNIT, Values
from bench.setting import Contender, Setting, in_turns

WORK = "through one proxy"


def measure(setting: Setting) -> list[Figure]:
    return in_turns(setting, _contenders(setting, setting.pick(1_000, 10_000)))


def _contenders(setting: Setting, count: int) -> Iterator[Contender]:
    for name, uses_pool, note in (
        ("of the pool", True, "chosen, reported, watched"),
        ("named", False, "ctx.get(url, proxy=…)"),
    ):
        given = {"proxy": setting.site, "at_once": AT_ONCE, "uses_pool": uses_pool}
        driven = partial(_driven, count, **given)
        kind = "ours" if uses_pool else "limit"
        yield Contender(f"{name}, SQLite", kind, driven, note)
        yield Contender(f"{name}, PostgreSQL", kind, partial(_on_postgres, setting, driven), note)


def _driven(count: int, **given: object) -> Values:
    answer = ask(OURS, "bench.ours.proxies", "fetch", count=count, **given)
    return {(WORK, UNIT): count / answer["seconds"]}


def _on_postgres(setting: Setting, driven: partial[Values]) -> Values:
    with setting.postgres.fresh_database() as url:
        return driven(db=url)
