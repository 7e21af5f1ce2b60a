"""Lists of proxies that a scraper or a setting brings: into the pool when a run starts."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from swather.errors import InputError
from swather.model.proxy_list import parse_proxies
from swather.net.egress import WayOut
from swather.runs.words import command, count
from swather.scraping.proxies import Proxies, brings_list, selection_of
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store


def load_lists(store: Store, scraper: Scraper, settings: Settings) -> list[str]:
    """Import what the scraper's decorator and the setting proxy_file list, and what a person should
    know before a run that needs proxies starts. Nothing for other runs.
    """
    if scraper.options.way_out is not WayOut.POOL:
        return []
    notes: list[str] = []
    own, selection = scraper.options.proxies, selection_of(scraper.name, scraper.options.proxies)
    if isinstance(own, str | Path):
        notes += _load(store, *_read(Path(own)), source=selection.source)
    elif brings_list(own):
        assert isinstance(own, Sequence)
        notes += _load(store, "the scraper's list", own, source=selection.source)
    if settings.proxy_file is not None:
        path = settings.proxy_file
        notes += _load(store, *_read(path), source=str(path.absolute()))
    found = store.proxies.pool(
        tags=(*selection.tags, *filter(None, settings.proxy_tags.split(","))),
        country=selection.country,
        source=selection.source,
    )
    return [*notes, *_too_few(len(found.proxies), own, settings, store.url)]


def _read(path: Path) -> tuple[str, list[str]]:
    try:
        return str(path), path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(
            f"the list of proxies {path} cannot be read: {error.strerror or error}"
        ) from error


def _load(store: Store, shown: str, lines: Sequence[str], *, source: str) -> Iterator[str]:
    """What is wrong with the list; InputError if nothing in it can be used."""
    proxies, bad = parse_proxies(lines)
    if not proxies:
        why = f": line {bad[0].line}: {bad[0].reason}" if bad else ""
        raise InputError(f"{shown} has no proxy{why}")
    store.proxies.load(proxies, source=source, replace=True)
    for each in bad:
        yield f"{shown}, line {each.line}: {each.reason}"


def _too_few(there: int, own: object, settings: Settings, url: str) -> Iterator[str]:
    if not there:
        yield (
            "no proxy can be used, and nothing is requested without one; to import some: "
            f"{command('proxies', 'import', 'proxies.txt', url=url)}"
        )
        return
    decorated = own.per_worker if isinstance(own, Proxies) else None
    each = settings.proxies_per_worker or decorated or 0
    if there < settings.workers * each:
        yield (
            f"{count(settings.workers, 'worker')} with {count(each, 'proxy', 'proxies')} each need "
            f"{settings.workers * each:,}, and there are {there:,}: some get fewer, or none"
        )
