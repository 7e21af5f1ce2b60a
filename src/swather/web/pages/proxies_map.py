"""Proxies as the dashboard shows them: how each fares on each site, as a map of heat."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from swather.model.proxy import ProxyRow, ProxySite, ProxyState
from swather.runs.proxy_facts import faults_of, latency
from swather.runs.words import count, duration, share
from swather.web.shapes import heat_of

MAX_SITES: Final = 12


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy on a site. `heat` from 0, where nothing succeeds, to 4, where nearly all does; `held`
    says for how long the site is closed to it.
    """

    text: str
    title: str
    heat: int
    held: str = ""


class MapRow(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy, and a cell for each site of the map; None where it was not used."""

    proxy: ProxyRow
    overall: Cell | None
    cells: list[Cell | None]
    held: str

    @property
    def faults(self) -> str:
        return faults_of(self.proxy.faults)


class HeatMap(msgspec.Struct, frozen=True, kw_only=True):
    """`more_sites` have no column."""

    sites: list[str]
    more_sites: int
    rows: list[MapRow]


def map_of(
    proxies: Sequence[ProxyRow], sites: Mapping[int, Sequence[ProxySite]], now: float
) -> HeatMap:
    """The sites that these proxies were used for most have a column each."""
    used: Counter[str] = Counter()
    for of_proxy in sites.values():
        used.update({each.site: each.uses for each in of_proxy})
    shown = [site for site, _ in used.most_common(MAX_SITES)]
    return HeatMap(
        sites=shown,
        more_sites=len(used) - len(shown),
        rows=[_row(proxy, sites.get(proxy.id, ()), shown, now) for proxy in proxies],
    )


def _row(proxy: ProxyRow, own: Sequence[ProxySite], shown: list[str], now: float) -> MapRow:
    by_site = {each.site: each for each in own}
    return MapRow(
        proxy=proxy,
        overall=_cell(proxy, now),
        cells=[_cell(by_site[site], now) if site in by_site else None for site in shown],
        held=_held(proxy, now),
    )


def _cell(health: ProxyRow | ProxySite, now: float) -> Cell | None:
    if not health.uses:
        return None
    rate = health.successes / health.uses
    said = [f"{health.successes:,} of {count(health.uses, 'request')} succeeded"]
    if (took := latency(health.latency_seconds)) is not None:
        said.append(f"{took} lately")
    if faults := faults_of(health.faults):
        said.append(f"failed: {faults}")
    if health.last_error:
        said.append(f"last: {health.last_error}")
    return Cell(
        text=share(rate),
        title="; ".join(said),
        heat=heat_of(rate),
        held=_held(health, now),
    )


def _held(health: ProxyRow | ProxySite, now: float) -> str:
    if health.state is ProxyState.BLACKLISTED and health.retry_at is not None:
        return duration(max(health.retry_at.timestamp() - now, 0.0))
    return "probing" if health.state is ProxyState.PROBING else ""
