"""What the lists of proxies say, and what follows for the pool; for both databases."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from swather.errors import InputError
from swather.model.proxy_list import ProxyLine, proxy_url
from swather.model.proxy_url import proxy_parts
from swather.model.task import check_name

DEFAULT_WEIGHT: Final = 1.0


class NewProxyRow(NamedTuple):
    key: str
    url: str


class ProxySourceRow(NamedTuple):
    """What a source says of a proxy."""

    proxy_id: int
    tags: str
    country: str
    weight: float | None


class ProxyTraits(NamedTuple):
    """What holds for a proxy in the pool, of all its sources."""

    proxy_id: int
    tags: str
    country: str
    weight: float


def check_proxy_source(source: str) -> str:
    if not source:
        raise InputError("a list of proxies needs the name of its source")
    return check_name("source", source)


def by_key(lines: Iterable[ProxyLine]) -> dict[str, ProxyLine]:
    """The last line of each proxy, in the order of the list."""
    found: dict[str, ProxyLine] = {}
    for line in lines:
        url = proxy_url(line.url)
        found[proxy_parts(url).key] = replace(line, url=url)
    return found


def source_rows(lines: dict[str, ProxyLine], ids: dict[str, int]) -> list[ProxySourceRow]:
    rows = [
        ProxySourceRow(ids[key], ",".join(line.tags), line.country, line.weight)
        for key, line in lines.items()
    ]
    return sorted(rows)


def traits(rows: Iterable[Sequence[Any]]) -> dict[int, ProxyTraits]:
    """From (proxy, tags, country, weight) of every source, the latest first: it has all tags, and
    the country and weight of the latest source that gives one.
    """
    found: dict[int, ProxyTraits] = {}
    weights: dict[int, float] = {}
    for number, tags, country, weight in rows:
        known = found.get(number) or ProxyTraits(number, "", "", DEFAULT_WEIGHT)
        both = dict.fromkeys(tag for text in (known.tags, tags) for tag in text.split(",") if tag)
        if weight is not None:
            weights.setdefault(number, weight)
        found[number] = ProxyTraits(
            number,
            ",".join(sorted(both)),
            known.country or country,
            weights.get(number, DEFAULT_WEIGHT),
        )
    return found


def wrong_keys(proxies: Iterable[tuple[int, str, str]]) -> list[str]:
    """Of (id, key, URL): what no list can have brought in."""
    return [
        f"proxy whose URL is not that of its key: {number}"
        for number, key, url in proxies
        if _key_of(url) != key
    ]


def _key_of(url: str) -> str | None:
    try:
        return proxy_parts(url).key
    except InputError:
        return None
