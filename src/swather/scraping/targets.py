"""Makes targets from values: their key, lane and partition."""

from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from swather.errors import BadTarget, InputError
from swather.model.key import key_of, normalise_url
from swather.model.task import DEFAULT_PRIORITY, Target
from swather.net.errors import UnusableURL
from swather.net.request import PORTS, is_http, parse_origin, split_url
from swather.scraping.options import KeyFunction, Named
from swather.scraping.scraper import Scraper


def target_of(
    scraper: Scraper,
    value: Any,
    *,
    key: str | None = None,
    priority: int | None = None,
    lane: str | None = None,
    partition: str | None = None,
    due_in_seconds: float = 0.0,
    parent_id: int | None = None,
) -> Target:
    """The target that `value` is for `scraper`.

    A URL has its host as lane and its normalised spelling as key, so that two spellings of it are
    one target. Of a dict with a 'url', the whole dict counts as the key. Other values have no lane
    unless the scraper names one; a scraper with a `key` says itself which targets are the same.
    """
    options = scraper.options
    url = address_of(scraper, value)
    if priority is None and scraper.site is not None:
        priority = scraper.site.priority_of(value)
    if key is None and options.key is not None:
        key = _own_key(options.key, value)
    if key is None:
        key = _key_of(value, url) if url is not None and options.urls_normalised else key_of(value)
    if lane is None:
        lane = _named(options.lane, "lane", value)
    if lane is None:
        lane = "" if url is None else lane_of_url(url)
    if partition is None:
        partition = _named(options.partition, "partition", value) or ""
    return Target(
        value=value,
        key=key,
        priority=DEFAULT_PRIORITY if priority is None else priority,
        lane=lane,
        partition=partition,
        due_in_seconds=due_in_seconds,
        parent_id=parent_id,
    )


def address_of(scraper: Scraper, value: Any) -> str | None:
    """The URL that a scraper begins a target with, if that is known."""
    return url_of(value) if scraper.site is None else scraper.site.url_of(value)


def url_of(value: Any) -> str | None:
    """The URL in a target: the text itself, or the 'url' of a dict."""
    url = value.get("url") if isinstance(value, dict) else value
    return url if isinstance(url, str) and is_http(url.lstrip()) else None


def lane_of_url(url: str) -> str:
    """The host of a URL, with its port unless it is the usual one.

    However it is spelled, it is the host that gets the requests: they are paced by it.
    """
    url = url.strip()
    end = url.find("/", 8)
    return _lane_of(url if end < 0 else url[:end])


def lane_of_host(host: str, port: int) -> str:
    """The same for a host and its canonical port (swather.net.private_hosts)."""
    name = f"[{host}]" if ":" in host else host
    return name if port == PORTS["http"] else f"{name}:{port}"


@lru_cache(maxsize=4096)
def _lane_of(url: str) -> str:
    try:
        return parse_origin(split_url(url)[0]).authority
    except UnusableURL:
        return _lane_as_written(url)


def _lane_as_written(url: str) -> str:
    """The lane of a URL that cannot be fetched, as its task will find out."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadTarget(f"{url!r} is not a URL: {error}") from error
    if not host:
        raise BadTarget(f"{url!r} is not a URL: it has no host")
    host = host.rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    return host if port in {None, PORTS[parts.scheme]} else f"{host}:{port}"


def _key_of(value: Any, url: str) -> str:
    normal = normalise_url(url)
    return normal if isinstance(value, str) else key_of({**value, "url": normal})


def _own_key(function: KeyFunction, value: Any) -> str:
    key: Any = function(value)
    if not isinstance(key, str) or not key:
        raise InputError(f"key: expected text from the scraper's function, got {key!r}")
    return key


def _named(option: Named, what: str, value: Any) -> str | None:
    if not callable(option):
        return option
    name = option(value)
    if name is not None and not isinstance(name, str):
        raise InputError(f"{what}: expected text or None from the scraper's function, got {name!r}")
    return name
