"""Converts rows of the pool to proxies, as workers and as people see them; for both databases."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from swather.errors import InputError, NotFound
from swather.model.proxy import (
    Pool,
    Proxy,
    ProxyFilter,
    ProxyHealth,
    ProxyRow,
    ProxySite,
)
from swather.model.proxy_health import state_of
from swather.model.proxy_list import proxy_url
from swather.model.proxy_url import proxy_parts
from swather.store.checks import may_exist
from swather.store.clock import at, at_or_none
from swather.store.proxy_reports import health_of


def check_wanted(wanted: int) -> int:
    if type(wanted) is int and wanted > 0:
        return wanted
    raise InputError(f"a worker can check out 1 proxy or more, got {wanted!r}")


def possible(ids: Iterable[int]) -> list[int]:
    """Those that a database can hold, once each and in order."""
    return sorted({number for number in ids if may_exist(number)})


def pool_of(
    version: int,
    now: float,
    rows: Iterable[Sequence[Any]],
    banned: Iterable[tuple[int, str, float]],
    tags: Collection[str],
    country: str,
) -> Pool:
    sites: dict[int, dict[str, float]] = {}
    for number, site, retry_at in banned:
        sites.setdefault(number, {})[site] = retry_at
    wanted, country = set(tags), country.lower()
    proxies = [
        Proxy(
            id=number,
            url=url,
            tags=own,
            country=its_country,
            weight=weight,
            uses=uses,
            retry_at=retry_at,
            sites=sites.get(number, {}),
            worker_id=worker_id,
        )
        for number, url, text, its_country, weight, uses, retry_at, worker_id in rows
        if wanted.issubset(own := tags_of(text)) and country in ("", its_country)
    ]
    return Pool(version=version, proxies=proxies, now=now)


def tags_of(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def proxy_rows(
    rows: Iterable[Sequence[Any]],
    sources: Iterable[tuple[int, str]],
    banned: Iterable[tuple[int, str, float]],
    now: float,
) -> list[ProxyRow]:
    """For people."""
    lists: dict[int, list[str]] = {}
    for number, source in sources:
        lists.setdefault(number, []).append(source)
    bans: dict[int, int] = {}
    for number, _, retry_at in banned:
        bans[number] = bans.get(number, 0) + (retry_at > now)
    return [
        _proxy_row(row, tuple(sorted(lists.get(row[0], ()))), bans.get(row[0], 0), now)
        for row in rows
    ]


def _proxy_row(row: Sequence[Any], sources: tuple[str, ...], banned: int, now: float) -> ProxyRow:
    number, url, tags, country, weight, enabled, added_at, worker_id, *columns = row
    health = health_of(columns)
    return ProxyRow(
        id=number,
        url=shown(url),
        state=state_of(health, now, enabled=bool(enabled)),
        tags=tags_of(tags),
        country=country,
        weight=weight,
        sources=sources,
        added_at=at(added_at),
        worker_id=worker_id,
        banned=banned,
        uses=health.uses,
        successes=health.successes,
        faults=health.faults,
        latency_seconds=health.latency_seconds,
        last_error=health.last_error,
        last_used_at=at_or_none(health.last_used_at),
        failures=health.failures,
        retry_at=at_or_none(health.retry_at),
        blacklistings=health.blacklistings,
    )


def shown(url: str) -> str:
    """Whatever the database holds: others may write to it."""
    try:
        return proxy_parts(url).shown
    except InputError:
        return "(not a proxy)"


def own_and_free(pool: Pool, worker_id: int) -> tuple[list[int], list[int]]:
    """Ids of the proxies that the worker has for itself, and of those that nobody has, in the order
    in which they are given away.
    """
    own = [proxy.id for proxy in pool.proxies if proxy.worker_id == worker_id]
    free = [proxy for proxy in pool.proxies if proxy.worker_id is None]
    free.sort(key=lambda proxy: (proxy.retry_at is not None, proxy.uses, proxy.id))
    return own, [proxy.id for proxy in free]


def matching(rows: Iterable[ProxyRow], which: ProxyFilter) -> list[ProxyRow]:
    return [row for row in rows if _matches(row, which)]


def _matches(row: ProxyRow, which: ProxyFilter) -> bool:
    return (
        set(which.tags).issubset(row.tags)
        and which.country.lower() in ("", row.country)
        and (not which.source or which.source in row.sources)
        and which.state in (None, row.state)
        and which.text.lower() in row.url
    )


def the_one(rows: Iterable[ProxyRow], ids: Mapping[str, int], proxy: int | str) -> ProxyRow:
    """By its id or address; `ids` are by key."""
    if isinstance(proxy, int) or proxy.isdecimal():
        for row in rows:
            if str(row.id) == str(proxy):
                return row
        raise NotFound(f"there is no proxy {proxy!s:.20}; `swather proxies ls` lists them")
    address = proxy.strip()
    number = ids.get(_key(address))
    found = [
        row
        for row in rows
        if row.id == number or (number is None and address.lower() in _addresses(row.url))
    ]
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(str(row.id) for row in found[:10])
        raise InputError(f"{len(found)} proxies have this address; name one by its id: {several}")
    # Not the address: it may hold a password.
    raise NotFound("there is no proxy with this address; `swather proxies ls` lists them")


def _key(address: str) -> str:
    try:
        return proxy_parts(proxy_url(address)).key
    except InputError:
        return ""


def _addresses(shown_url: str) -> tuple[str, ...]:
    """The ways to name a proxy without its user: with the scheme, host and port, the host alone."""
    scheme, _, rest = shown_url.partition("://")
    place = rest.rpartition("@")[2]
    return shown_url, f"{scheme}://{place}", place, place.rpartition(":")[0]


def site_rows(rows: Iterable[Sequence[Any]], now: float) -> list[ProxySite]:
    return [_site_row(row[0], health_of(row[1:]), now) for row in rows]


def _site_row(site: str, health: ProxyHealth, now: float) -> ProxySite:
    return ProxySite(
        site=site,
        state=state_of(health, now),
        uses=health.uses,
        successes=health.successes,
        faults=health.faults,
        latency_seconds=health.latency_seconds,
        last_error=health.last_error,
        last_used_at=at_or_none(health.last_used_at),
        failures=health.failures,
        retry_at=at_or_none(health.retry_at),
        blacklistings=health.blacklistings,
    )
