"""Proxies over HTTP: the pool that all workers share."""

from collections.abc import Callable, Collection
from typing import Annotated, Any, Final

from fastapi import Path, Query
from msgspec.structs import replace

from swather.api import answers_proxies as answers
from swather.api import proxy_changes
from swather.api.answers import shown
from swather.api.parameters import MAX_ID, Do, Doing, DryRun, new_router
from swather.api.served import TheStore
from swather.errors import InputError
from swather.model.action import ActionVerb
from swather.model.proxy import Loaded, ProxyFilter, ProxyRow
from swather.model.proxy_list import ProxyLine, lines_of, parse_country, parse_proxies, parse_tags
from swather.runs.proxy_facts import data_of, detail_data
from swather.store import Store

router = new_router("proxies")

_MAX_CHANGED: Final = 1_000_000
_MAX_TOLD: Final = 1_000
ProxyInPath = Annotated[int, Path(ge=1, le=MAX_ID, description="Its number.", examples=[3])]

Change = Callable[[Doing, Collection[int], dict[str, Any]], int]


@router.get("", response_model=list[answers.Proxy])
def list_proxies(store: TheStore, given: Annotated[answers.ProxyQuery, Query()]) -> Any:
    """Proxies and their health, by number. Logins are not shown."""
    which = replace(_filter(given), text=given.text)
    return shown([data_of(row) for row in store.proxies.find(which, limit=given.limit)])


@router.post("/import", response_model=answers.ImportedProxies)
def import_proxies(do: Do, given: answers.ImportProxies) -> Any:
    """Add a list of proxies to the pool, or import it again: what is known about them stays. Lines
    that cannot be read are named, the others are used.
    """
    lines, bad = parse_proxies(lines_of("\n".join(given.proxies), "the list"))
    if not lines:
        first = bad[0].reason if bad else "it is empty"
        raise InputError(f"the list has no line that is a proxy: {first}")
    labelled = _labelled(lines, given)

    def load(store: Store) -> Loaded:
        return store.proxies.load(labelled, source=given.source, replace=given.replace)

    detail = {"proxies": len(labelled), "replace": given.replace}
    loaded = do.now(ActionVerb.PROXIES_IMPORT, given.source, load, detail)
    told = [{"line": each.line, "reason": each.reason} for each in bad]
    return shown({"source": given.source, **loaded._asdict(), "bad_lines": told})


@router.post("/enable", response_model=answers.ChangedProxies)
def enable_proxies(
    store: TheStore, do: Do, given: answers.ChooseProxies, dry_run: DryRun = False
) -> Any:
    """Use proxies again that are disabled or blacklisted."""
    return _changed(store, do, given, "enabled", proxy_changes.enable_proxies, dry_run=dry_run)


@router.post("/disable", response_model=answers.ChangedProxies)
def disable_proxies(
    store: TheStore, do: Do, given: answers.ChooseProxies, dry_run: DryRun = False
) -> Any:
    """Stop using proxies until they are enabled; workers do within two seconds."""
    return _changed(store, do, given, "disabled", proxy_changes.disable_proxies, dry_run=dry_run)


@router.post("/remove", response_model=answers.ChangedProxies)
def remove_proxies(
    store: TheStore, do: Do, given: answers.ChooseProxies, dry_run: DryRun = False
) -> Any:
    """Remove proxies, and what is known about them."""
    return _changed(store, do, given, "removed", proxy_changes.remove_proxies, dry_run=dry_run)


@router.get("/{proxy}", response_model=answers.ProxyDetail)
def get_proxy(store: TheStore, proxy: ProxyInPath) -> Any:
    """One proxy, and how it fares on each site."""
    return shown(detail_data(store.proxies.get(proxy)))


def _filter(given: answers.ProxyFilter) -> ProxyFilter:
    return ProxyFilter(
        tags=parse_tags(",".join(given.tag)),
        country=parse_country(given.country) if given.country else "",
        source=given.source or "",
        state=given.state,
    )


def _labelled(lines: list[ProxyLine], given: answers.ImportProxies) -> list[ProxyLine]:
    more = parse_tags(",".join(given.tags))
    where = parse_country(given.country) if given.country else ""
    return [
        replace(
            line,
            tags=tuple(dict.fromkeys((*line.tags, *more))),
            country=line.country or where,
        )
        for line in lines
    ]


def _chosen(store: Store, given: answers.ChooseProxies) -> list[ProxyRow]:
    which = _filter(given)
    if [bool(given.proxies), which != ProxyFilter(), given.all].count(True) != 1:
        raise InputError(
            "say which proxies in exactly one way: proxies (numbers), or tag, country, source and "
            "state, or all"
        )
    if given.proxies:
        return [store.proxies.get(number).proxy for number in dict.fromkeys(given.proxies)]
    return store.proxies.find(which, limit=_MAX_CHANGED)


def _changed(
    store: Store,
    do: Do,
    given: answers.ChooseProxies,
    verb: str,
    change: Change,
    *,
    dry_run: bool,
) -> Any:
    found = _chosen(store, given)
    ids = [row.id for row in found]
    if not dry_run and ids:
        change(do, ids, {})
    told = [{"proxy": row.id, "url": row.url} for row in found[:_MAX_TOLD]]
    return shown({"verb": verb, "count": len(ids), "proxies": told, "dry_run": dry_run})
