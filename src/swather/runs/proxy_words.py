"""What the proxy pool means for a run, in words."""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from swather.model.proxy import Pool, Proxy
from swather.model.run import Run
from swather.net.egress import WayOut
from swather.runs.reason import Reason
from swather.runs.words import command, count, time_ahead
from swather.store import Store

_MAX_SITES: Final = 10


class Usable(NamedTuple):
    """How many proxies can be used on a site. `probed`: their time on the blacklist is over, and
    one request decides; `elsewhere`: other workers have them for themselves; `first`: when the
    first of the blacklisted ones returns.
    """

    total: int
    usable: int
    blacklisted: int
    probed: int
    elsewhere: int
    first: datetime | None


def pool_of(store: Store, run: Run) -> Pool | None:
    """The proxies that a run may use; None if it uses no pool."""
    if run.egress.get("way_out") != WayOut.POOL:
        return None
    return store.proxies.pool(**_selection(run.egress))


def proxy_reasons(
    pool: Pool, sites: Iterable[str], workers: Collection[int], *, url: str
) -> Iterator[Reason]:
    """What keeps a run, whose workers these are, from using all of its pool on the sites."""
    if not pool.proxies:
        yield _none(url)
        return
    now = datetime.fromtimestamp(pool.now, UTC)
    overall = usable_on(pool, "", workers)
    if overall.usable < overall.total:
        yield _told("", overall, now, url)
    if not overall.usable:
        return
    banned_on = {site for proxy in pool.proxies for site in proxy.sites}
    for site in sorted(banned_on.intersection(sites))[:_MAX_SITES]:
        found = usable_on(pool, site, workers)
        if found.usable < overall.usable:
            yield _told(site, found, now, url)


def usable_on(pool: Pool, site: str, workers: Collection[int]) -> Usable:
    """`site` '' counts only what holds on all sites."""
    returns = []
    usable = probed = elsewhere = 0
    for proxy in pool.proxies:
        until = _until(proxy, site)
        if proxy.worker_id is not None and proxy.worker_id not in workers:
            elsewhere += 1
        elif until is None:
            usable += 1
        elif until <= pool.now:
            probed += 1
        else:
            returns.append(until)
    first = datetime.fromtimestamp(min(returns), UTC) if returns else None
    return Usable(len(pool.proxies), usable, len(returns), probed, elsewhere, first)


def _until(proxy: Proxy, site: str) -> float | None:
    """Until when a proxy is left alone on a site, or was; None if it is not."""
    found = [each for each in (proxy.retry_at, proxy.sites.get(site)) if each is not None]
    return max(found, default=None)


def _selection(egress: dict[str, Any]) -> dict[str, Any]:
    """A database may hold anything."""
    tags = egress.get("tags")
    return {
        "tags": [str(tag) for tag in tags] if isinstance(tags, list) else [],
        "country": str(egress.get("country") or ""),
        "source": str(egress.get("source") or ""),
    }


def _none(url: str) -> Reason:
    return Reason(
        code="no_proxies",
        text="The scraper uses proxies, and none is enabled for it. `swather proxies enable` "
        "enables disabled ones.",
        brief="Waiting for a proxy: none is enabled",
        stops=True,
        change="To import some",
        command=command("proxies", "import", "proxies.txt", url=url),
        values={"proxies": 0, "usable": 0},
    )


def _told(site: str, found: Usable, now: datetime, url: str) -> Reason:
    """'12 of 50 proxies can be used on example.com. 30 are blacklisted there, …'."""
    on = f" on {site}" if site else ""
    parts = []
    if found.blacklisted and found.first is not None:
        which = "the first returns" if found.blacklisted > 1 else "it returns"
        parts.append(
            f"{found.blacklisted:,} {_is(found.blacklisted)} blacklisted, "
            f"{which} at {time_ahead(found.first, now)}"
        )
    if found.probed:
        parts.append(f"{found.probed:,} {_is(found.probed)} being probed")
    if found.elsewhere:
        parts.append(f"{found.elsewhere:,} {_is(found.elsewhere)} leased by other workers")
    rest = "; ".join(parts)
    number = f"{found.usable:,} of {count(found.total, 'proxy', 'proxies')}"
    if found.usable:
        text = f"{number} can be used{on}: {rest}."
        brief = ""
    else:
        text = f"No proxy can be used{on}, so targets wait for one: {rest}."
        brief = f"Waiting for a proxy{on}: {rest}"
    return Reason(
        code="proxies_out" if not found.usable else "proxies_fewer",
        text=text,
        brief=brief,
        stops=not found.usable,
        change="To see them" if found.usable else "To use them again at once",
        command=command("proxies", *_COMMANDS[bool(found.usable)], url=url),
        values={
            "site": site or None,
            "proxies": found.total,
            "usable": found.usable,
            "blacklisted": found.blacklisted,
            "probed": found.probed,
            "leased_elsewhere": found.elsewhere,
            "first_returns_at": found.first,
        },
    )


_COMMANDS: Final = {True: ("ls",), False: ("enable", "--all")}


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
