"""The list of proxies as people see it: once, or again and again until Ctrl-C."""

import time
from datetime import UTC, datetime
from typing import Final, NoReturn

from rich.console import Group, RenderableType
from rich.table import Table

from swather.cli import database, output
from swather.cli.proxy_options import MAX_PROXIES
from swather.model.proxy import ALL_PROXIES, ProxyFilter, ProxyRow
from swather.runs.proxy_facts import data_of, summary_of, table_of
from swather.runs.region import Region
from swather.store.ports import Store

LOOK_SECONDS: Final = 1.0


def drawn(found: list[ProxyRow], limit: int) -> list[Table | str]:
    """A table, and a line about all of them."""
    now = datetime.now(UTC)
    more = [f"there are more: --limit {limit * 10}"] if len(found) > limit else []
    return [output.listing(*table_of(found[:limit], now)), *more, f"\n{summary_of(found, now)}"]


def nothing(having: ProxyFilter, db: str | None) -> str:
    if having != ALL_PROXIES:
        return f"no proxy matches; to see all: {database.with_db('swather proxies ls', db)}"
    example = database.with_db("swather proxies import proxies.txt", db)
    return f"there are no proxies; to import a list, one on each line: {example}"


def watch(store: Store, having: ProxyFilter, limit: int, *, as_json: bool) -> NoReturn:
    """Redrawn in place on a terminal; elsewhere a line whenever something has changed."""
    console = output.stdout()
    if as_json or not console.is_terminal:
        _tell_on(store, having, limit, as_json=as_json)
    with Region(console) as region:
        while True:
            found = store.proxies.find(having, limit=MAX_PROXIES)
            picture: RenderableType = nothing(having, store.url)
            if found:
                picture = Group(*drawn(found, limit))
            region.update(picture)
            time.sleep(LOOK_SECONDS)


def _tell_on(store: Store, having: ProxyFilter, limit: int, *, as_json: bool) -> NoReturn:
    said = ""
    while True:
        found = store.proxies.find(having, limit=MAX_PROXIES)
        if as_json:
            output.print_json([data_of(row) for row in found[:limit]], indent=None)
        elif (line := summary_of(found, datetime.now(UTC))) != said:
            print(said := line, flush=True)
        time.sleep(LOOK_SECONDS)
