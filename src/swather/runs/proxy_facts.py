"""What is known about proxies, for programs and for people."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from swather.model.proxy import ProxyDetail, ProxyFault, ProxyRow, ProxySite, ProxyState
from swather.runs.words import clock_time, count, duration, share, shortened

# Columns that are left out where they would be empty.
_OPTIONAL: Final = frozenset({"country", "tags", "failed", "blocked on", "worker", "last error"})
_ERROR_LENGTH: Final = 60
# Names of programs for what a struct names from where it stands.
_NAMES: Final = {"id": "proxy", "uses": "requests", "banned": "banned_sites"}


def data_of(row: ProxyRow | ProxySite) -> dict[str, Any]:
    data = msgspec.to_builtins(row)
    named = {_NAMES.get(name, name): value for name, value in data.items()}
    return {**named, "success_rate": _rate(row)}


def detail_data(detail: ProxyDetail) -> dict[str, Any]:
    return {**data_of(detail.proxy), "sites": [data_of(site) for site in detail.sites]}


def table_of(rows: Sequence[ProxyRow], now: datetime) -> tuple[list[str], list[list[Any]]]:
    """Headers and rows, without the columns that nobody fills."""
    return _filled([_cells(row, now) for row in rows])


def sites_of(detail: ProxyDetail, now: datetime) -> tuple[list[str], list[list[Any]]]:
    return _filled([_site_cells(site, detail.proxy, now) for site in detail.sites])


def facts_of(row: ProxyRow, now: datetime) -> Iterable[tuple[str, Any]]:
    yield "proxy", f"{row.id}: {row.url}"
    yield "state", state_of(row, now)
    yield "country", row.country or None
    yield "tags", ", ".join(row.tags) or None
    yield "weight", f"{row.weight:g}"
    yield "sources", ", ".join(row.sources) or None
    yield "added", clock_time(row.added_at, now)
    if row.worker_id is not None:
        yield "leased by", f"worker {row.worker_id}"
    yield "requests", row.uses
    yield "succeeded", f"{row.successes:,} ({_share(row)})" if row.uses else 0
    yield "failed", faults_of(row.faults) or None
    yield "latency", latency(row.latency_seconds)
    yield "failures in a row", row.failures
    yield "blacklisted", count(row.blacklistings, "time")
    yield "last used", _when(row.last_used_at, now)
    yield "last error", row.last_error or None


def state_of(row: ProxyRow | ProxySite, now: datetime) -> str:
    """'usable', 'blacklisted for 12m 5s', 'probing', 'disabled'."""
    if row.state is ProxyState.BLACKLISTED and row.retry_at is not None:
        return f"blacklisted for {duration((row.retry_at - now).total_seconds())}"
    return str(row.state)


def summary_of(rows: Sequence[ProxyRow], now: datetime) -> str:
    """'50 proxies: 38 usable, 10 blacklisted (the first returns in 12m 5s), 2 disabled'."""
    numbers = Counter(row.state for row in rows)
    said = []
    for state in ProxyState:
        if not (number := numbers[state]):
            continue
        returns = [row.retry_at for row in rows if row.state is state and row.retry_at is not None]
        first = ""
        if state is ProxyState.BLACKLISTED and returns:
            which = "the first returns" if number > 1 else "it returns"
            first = f" ({which} in {duration((min(returns) - now).total_seconds())})"
        said.append(f"{number:,} {state}{first}")
    return f"{count(len(rows), 'proxy', 'proxies')}: {', '.join(said)}"


def faults_of(faults: dict[ProxyFault, int]) -> str:
    """'banned 12, timeout 3', the most frequent first."""
    ordered = sorted(faults.items(), key=lambda fault: -fault[1])
    return ", ".join(f"{fault} {number:,}" for fault, number in ordered if number)


def _cells(row: ProxyRow, now: datetime) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "proxy": row.url,
        "state": state_of(row, now),
        "country": row.country,
        "tags": ",".join(row.tags),
        "worker": "" if row.worker_id is None else str(row.worker_id),
        "requests": row.uses,
        "ok": _share(row),
        "latency": latency(row.latency_seconds) or "-",
        "failed": faults_of(row.faults),
        "blocked on": count(row.banned, "site") if row.banned else "",
        "last error": shortened(row.last_error, _ERROR_LENGTH),
    }


def _site_cells(site: ProxySite, proxy: ProxyRow, now: datetime) -> dict[str, Any]:
    # What holds on all sites holds on this one.
    state = site if proxy.state is ProxyState.USABLE else proxy
    return {
        "site": site.site,
        "state": state_of(state, now),
        "requests": site.uses,
        "ok": _share(site),
        "latency": latency(site.latency_seconds) or "-",
        "failed": faults_of(site.faults),
        "in a row": site.failures,
        "last used": _when(site.last_used_at, now) or "-",
        "last error": shortened(site.last_error, _ERROR_LENGTH),
    }


def _filled(cells: list[dict[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    names = [
        name
        for name in (cells[0] if cells else ())
        if name not in _OPTIONAL or any(row[name] != "" for row in cells)
    ]
    return names, [[row[name] for name in names] for row in cells]


def _rate(row: ProxyRow | ProxySite) -> float | None:
    return row.successes / row.uses if row.uses else None


def _share(row: ProxyRow | ProxySite) -> str:
    rate = _rate(row)
    return "-" if rate is None else share(rate)


def latency(seconds: float | None) -> str | None:
    """'<1ms', '210ms', '1.25s'."""
    if seconds is None:
        return None
    if seconds < 0.9995:
        return f"{seconds * 1_000:.0f}ms" if seconds >= 0.001 else "<1ms"
    return f"{seconds:.2f}s" if seconds < 10 else duration(seconds)


def _when(at: datetime | None, now: datetime) -> str | None:
    return None if at is None else clock_time(at, now)
