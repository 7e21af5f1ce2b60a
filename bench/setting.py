"""How much is measured: small while something is built, normal in half an hour, full at night."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from bench.figures import Figure, Kind
from bench.servers.nginx import nginx
from bench.servers.postgres import postgres_server
from bench.servers.redis import redis
from tests.postgres import PostgresServer


class Size(StrEnum):
    SMALL = "small"
    NORMAL = "normal"
    FULL = "full"


@dataclass
class Setting:
    """One run of the benchmarks: its size, and the servers, each started when first asked for."""

    size: Size
    repeats: int
    only: tuple[str, ...] = ()
    stack: ExitStack = field(default_factory=ExitStack)

    def pick(self, small: int, normal: int, full: int | None = None) -> int:
        """A count that depends on the size."""
        counts = {Size.SMALL: small, Size.NORMAL: normal, Size.FULL: full or normal}
        return counts[self.size]

    def wants(self, who: str) -> bool:
        """Whether this contender is asked for; all are unless some are named."""
        return not self.only or any(name.lower() in who.lower() for name in self.only)

    @cached_property
    def postgres(self) -> PostgresServer:
        return self.stack.enter_context(postgres_server())

    @cached_property
    def redis(self) -> str:
        return self.stack.enter_context(redis())

    @cached_property
    def site(self) -> str:
        return self.stack.enter_context(nginx())


@dataclass(frozen=True)
class Contender:
    """Who is measured, and how to measure it once: a value per work."""

    who: str
    kind: Kind
    measure: Callable[[], dict[tuple[str, str], float]]
    note: str = ""


def in_turns(
    setting: Setting, contenders: Iterable[Contender], *, repeats: int | None = None
) -> list[Figure]:
    """Every contender once, and all over again: a noisy minute then hits all of them."""
    wanted = [one for one in contenders if setting.wants(one.who)]
    values: dict[tuple[str, str, str], list[float]] = {}
    failed: Counter[str] = Counter()
    repeats = repeats or setting.repeats
    for turn in range(repeats):
        for one in wanted:
            began = time.monotonic()
            try:
                measured = one.measure()
            except Exception as error:  # noqa: BLE001 - the others still have figures to give
                failed[one.who] += 1
                say(f"  {one.who} failed: {error}")
                continue
            for (work, unit), value in measured.items():
                values.setdefault((one.who, work, unit), []).append(value)
            said = ", ".join(f"{work} {v:,.5g} {u}" for (work, u), v in measured.items())
            seconds = time.monotonic() - began
            say(f"  {turn + 1}/{repeats} {one.who}: {said} ({seconds:.1f} s)")
    by_name = {one.who: one for one in wanted}
    return [
        Figure(work, who, by_name[who].kind, unit, tuple(held), by_name[who].note, failed[who])
        for (who, work, unit), held in values.items()
    ]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
