"""The log of the proxies: a line for each that joins, leaves, is blacklisted or returns."""

import logging
from collections.abc import Iterator
from typing import Final

from swather.model.proxy import Pool, Proxy
from swather.runs.words import count, duration
from swather.store import Store
from swather.visible import visible_line

# A pool that comes or goes as a whole is told in one line.
_MAX_LINES: Final = 100


class ProxyLog:
    """Compares the pool with what it was; the pool is that of the database, for all its workers."""

    def __init__(self, handler: logging.Handler) -> None:
        self._handler = handler
        self._known: dict[int, Proxy] | None = None
        self._version = -1

    def look(self, store: Store) -> None:
        """Read the pool if it has changed, and log how."""
        version = store.proxies.version()
        if version == self._version:
            return
        self._version = version
        pool = store.proxies.pool()
        before, self._known = self._known, {proxy.id: proxy for proxy in pool.proxies}
        if before is None and not pool.proxies:
            return
        lines = [] if before is None else list(_changes(before, self._known, pool.now))
        for line in lines[:_MAX_LINES]:
            self._write(line)
        if (more := len(lines) - _MAX_LINES) > 0:
            self._write(f"and {count(more, 'more change')}")
        if lines or before is None:
            self._write(_summary(pool))

    def _write(self, line: str) -> None:
        record = {"msg": visible_line(line), "levelno": logging.INFO, "levelname": "INFO"}
        self._handler.handle(logging.makeLogRecord(record))


def _changes(before: dict[int, Proxy], after: dict[int, Proxy], now: float) -> Iterator[str]:
    for number in before.keys() - after.keys():
        yield f"{before[number]} was removed or disabled"
    for number, proxy in after.items():
        known = before.get(number)
        if known is None:
            yield f"{proxy} was added or enabled"
            continue
        yield from _change(proxy, "", known.retry_at, proxy.retry_at, now)
        for site in known.sites.keys() | proxy.sites.keys():
            where = f" on {site}" if site else ""
            yield from _change(proxy, where, known.sites.get(site), proxy.sites.get(site), now)


def _change(
    proxy: Proxy, where: str, before: float | None, after: float | None, now: float
) -> Iterator[str]:
    if after is None and before is not None:
        yield f"{proxy} is used again{where}"
    elif after is not None and after != before:
        yield f"{proxy} is blacklisted{where} for {duration(max(after - now, 0.0))}"


def _summary(pool: Pool) -> str:
    left_alone = sum(proxy.retry_at is not None for proxy in pool.proxies)
    on_sites = sum(bool(proxy.sites) and proxy.retry_at is None for proxy in pool.proxies)
    parts = [f"{left_alone:,} blacklisted", f"{on_sites:,} on some sites"]
    return f"{count(len(pool.proxies), 'proxy', 'proxies')} in the pool: {', '.join(parts)}"
