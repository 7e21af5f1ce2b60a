"""Lists of proxies that a scraper or a setting brings: into the pool when a run starts."""

from collections.abc import Sequence
from pathlib import Path

from swather.errors import InputError
from swather.masking import shown_url
from swather.model.proxy import Pool
from swather.model.proxy_list import ProxyLine, lines_of, parse_proxies
from swather.net.egress import WayOut
from swather.runs.words import command, count
from swather.scraping.proxies import Proxies, brings_list, selection_of
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store


def load_lists(
    store: Store, scraper: Scraper, settings: Settings, *, is_temporary: bool = False
) -> list[str]:
    """Import what the scraper's decorator and the setting proxy_file list, and what a person should
    know before a run that needs proxies starts. Nothing for other runs. Nobody can import a proxy
    into a temporary database: InputError if it has none.
    """
    if scraper.options.way_out is not WayOut.POOL:
        return []
    notes: list[str] = []
    own, selection = scraper.options.proxies, selection_of(scraper.name, scraper.options.proxies)
    if brings_list(own):
        notes, lines = own_proxies(scraper)
        store.proxies.load(lines, source=selection.source, replace=True)
    if (path := settings.proxy_file) is not None:
        more, lines = _parsed(str(path), _read(path))
        store.proxies.load(lines, source=str(path.absolute()), replace=True)
        notes += more
    found = pool_for(store, scraper, settings)
    if not found.proxies:
        if is_temporary:
            raise InputError(
                f"scraper {scraper.name!r} uses proxies, and the temporary database of this run "
                "has none for it: name a database that has some (db='swather.db'), or list them "
                "in the decorator (proxies='proxies.txt')"
            )
        return [*notes, none_for_it(store)]
    _check_client(found, settings)
    few = too_few(len(found.proxies), proxies_each(scraper, settings), settings.workers)
    return [*notes, few] if few else notes


def _check_client(pool: Pool, settings: Settings) -> None:
    """InputError if the HTTP client cannot use all of them."""
    if settings.http_client == "wreq":
        return
    for proxy in pool.proxies:
        if not proxy.url.startswith(("http://", "https://")):
            raise InputError(
                f"the setting http_client = {settings.http_client} cannot use the SOCKS proxy "
                f"{shown_url(proxy.url)}: set http_client = wreq, or leave such proxies out by tags"
            )


def pool_for(store: Store, scraper: Scraper, settings: Settings) -> Pool:
    """The enabled proxies that a scraper may use."""
    selection = selection_of(scraper.name, scraper.options.proxies)
    return store.proxies.pool(
        tags=(*selection.tags, *filter(None, settings.proxy_tags.split(","))),
        country=selection.country,
        source=selection.source,
    )


def proxies_each(scraper: Scraper, settings: Settings) -> int:
    """How many each worker has for itself; 0 if all share them."""
    own = scraper.options.proxies
    decorated = own.per_worker if isinstance(own, Proxies) else None
    return settings.proxies_per_worker or decorated or 0


def too_few(there: int, each: int, workers: int) -> str:
    """A warning if so many workers cannot all have theirs; else ''."""
    if there >= workers * each:
        return ""
    return (
        f"{count(workers, 'worker')} with {count(each, 'proxy', 'proxies')} each need "
        f"{workers * each:,}, and there are {there:,}: some get fewer, or none"
    )


def own_proxies(scraper: Scraper) -> tuple[list[str], list[ProxyLine]]:
    """What is wrong with the list in a scraper's decorator, and the proxies in it."""
    own = scraper.options.proxies
    if isinstance(own, str | Path):
        return _parsed(str(own), _read(Path(own)))
    assert isinstance(own, Sequence)
    return _parsed(f"the list of scraper {scraper.name!r}", own)


def _read(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(
            f"the list of proxies {path} cannot be read: {error.strerror or error}"
        ) from error
    return lines_of(text, str(path))


def _parsed(shown: str, lines: Sequence[str]) -> tuple[list[str], list[ProxyLine]]:
    """InputError if nothing in it can be used."""
    proxies, bad = parse_proxies(lines)
    if not proxies:
        why = f": line {bad[0].line}: {bad[0].reason}" if bad else ""
        raise InputError(f"{shown} has no proxy{why}")
    return [f"{shown}, line {each.line}: {each.reason}" for each in bad], proxies


def none_for_it(store: Store) -> str:
    """What is said where a scraper needs proxies and has none."""
    said = "no proxy can be used, and nothing is requested without one"
    if others := len(store.proxies.pool().proxies):
        return (
            f"{said}: of {count(others, 'enabled proxy', 'enabled proxies')}, none has the tags, "
            "the country or the list that this run asks for"
        )
    return f"{said}; to import some: {command('proxies', 'import', 'proxies.txt', url=store.url)}"
