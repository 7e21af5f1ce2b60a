"""`swather proxies …`: the proxies that all workers of a database share."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.arguments import DryRun
from swather.cli.confirm import Yes, confirm
from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database, DatabaseToChange
from swather.cli.proxies_import import EXAMPLES as IMPORT_EXAMPLES
from swather.cli.proxies_import import import_proxies
from swather.cli.proxies_measure import EXAMPLES as TEST_EXAMPLES
from swather.cli.proxies_measure import measure_proxies
from swather.cli.proxy_options import (
    MAX_PROXIES,
    All,
    Country,
    Named,
    Source,
    State,
    Tags,
    chosen,
    filter_of,
)

if TYPE_CHECKING:
    from swather.model.proxy import ProxyRow

EXAMPLES: Final = """\
swather proxies import proxies.txt
swather proxies
swather proxies test https://example.com/
swather proxies ls --state blacklisted --watch
swather proxies show 7"""

_MAX_TOLD: Final = 20

group = listing_group(EXAMPLES)


@group.callback()
def proxies(ctx: typer.Context, db: Database = None, as_json: AsJSON = False) -> None:
    """Import, watch, test and remove proxies.

    All workers of a database share its proxies and what they learn about them: how each fares on
    each site, and which are blacklisted. A scraper uses them with @scraper(proxies=True). Without a
    command: the list.
    """
    list_unless_called(ctx, list_proxies, db, as_json=as_json)


command_in(group, "import", IMPORT_EXAMPLES)(import_proxies)


@command_in(
    group,
    "ls",
    """\
swather proxies ls
swather proxies ls --tag home --country de
swather proxies ls 198.51.100
swather proxies ls --watch
swather proxies ls --json | jq '.[] | select(.state == "blacklisted")'""",
)
def list_proxies(
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="Only those whose address contains this."),
    ] = None,
    tags: Tags = None,
    country: Country = None,
    source: Source = None,
    state: State = None,
    watch: Annotated[
        bool, typer.Option("-w", "--watch", help="Keep showing them until Ctrl-C.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N proxies.")] = 100,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List proxies and their health.

    requests and ok are totals over all sites; latency is that of recent requests. failed counts
    failures by class: proxy (it cannot be reached or refuses us), banned (the site refuses its
    address), timeout and network. A proxy that failed is blacklisted, for all sites or only where
    it failed; afterwards one request (probing) decides whether it returns.
    """
    from swather.cli import database, output, proxies_listing
    from swather.runs.proxy_facts import data_of

    with database.opened(db) as store:
        having = filter_of(store, tags, country, source, state, text)
        if watch:
            proxies_listing.watch(store, having, limit, as_json=as_json)
        found = store.proxies.find(having, limit=MAX_PROXIES)
    if as_json:
        output.print_json([data_of(row) for row in found[:limit]])
        return
    if not found:
        print(proxies_listing.nothing(having, db))
        return
    for part in proxies_listing.drawn(found, limit):
        output.show(part) if not isinstance(part, str) else print(part)


@command_in(
    group,
    "show",
    """\
swather proxies show 7
swather proxies show 198.51.100.7:3128
swather proxies show 7 --json | jq .sites""",
)
def show_proxy(
    proxy: Annotated[str, typer.Argument(metavar="PROXY", help="A proxy by id or address.")],
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show one proxy, and how it fares on each site."""
    from swather.cli import database, output
    from swather.runs.proxy_facts import detail_data, facts_of, sites_of

    with database.opened(db) as store:
        detail = store.proxies.get(proxy)
    if as_json:
        output.print_json(detail_data(detail))
        return
    now = datetime.now(UTC)
    output.show(output.facts(facts_of(detail.proxy, now)))
    print()
    if detail.sites:
        output.show(output.listing(*sites_of(detail, now)))
    else:
        print("It has not been used yet.")


command_in(group, "test", TEST_EXAMPLES)(measure_proxies)


@command_in(
    group,
    "rm",
    """\
swather proxies rm 7 8
swather proxies rm --source old.txt
swather proxies rm --state disabled --yes
swather proxies rm --all --dry-run""",
)
def remove_proxies(
    proxies: Named = None,
    tags: Tags = None,
    country: Country = None,
    source: Source = None,
    state: State = None,
    everything: All = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Remove proxies, and what is known about them.

    Workers stop using them within two seconds.
    """
    from swather.cli import database
    from swather.runs.words import count

    with database.opened(db) as store:
        having = filter_of(store, tags, country, source, state)
        found = chosen(store, proxies, having, everything=everything, verb="remove")
        if not dry_run:
            confirm(f"Remove {count(len(found), 'proxy', 'proxies')}?", yes=yes or not found)
            store.proxies.remove([row.id for row in found])
    _tell("removed", found, dry_run=dry_run, as_json=as_json)


@command_in(
    group,
    "disable",
    """\
swather proxies disable 7
swather proxies disable --tag expensive""",
)
def disable_proxies(
    proxies: Named = None,
    tags: Tags = None,
    country: Country = None,
    source: Source = None,
    state: State = None,
    everything: All = False,
    dry_run: DryRun = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Stop using proxies until they are enabled again.

    Workers stop using them within two seconds. Importing them again does not enable them.
    """
    from swather.cli import database

    with database.opened(db) as store:
        having = filter_of(store, tags, country, source, state)
        found = chosen(store, proxies, having, everything=everything, verb="disable")
        if not dry_run:
            store.proxies.disable([row.id for row in found])
    _tell("disabled", found, dry_run=dry_run, as_json=as_json)


@command_in(
    group,
    "enable",
    """\
swather proxies enable 7
swather proxies enable --state blacklisted
swather proxies enable --all""",
)
def enable_proxies(
    proxies: Named = None,
    tags: Tags = None,
    country: Country = None,
    source: Source = None,
    state: State = None,
    everything: All = False,
    dry_run: DryRun = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Use proxies again that are disabled or blacklisted.

    Takes them off the blacklist, for all sites; what was counted stays.
    """
    from swather.cli import database

    with database.opened(db) as store:
        having = filter_of(store, tags, country, source, state)
        found = chosen(store, proxies, having, everything=everything, verb="enable")
        if not dry_run:
            store.proxies.enable([row.id for row in found])
    _tell("enabled", found, dry_run=dry_run, as_json=as_json)


def _tell(did: str, found: "list[ProxyRow]", *, dry_run: bool, as_json: bool) -> None:
    from swather.cli import output
    from swather.runs.words import count

    if as_json:
        changed = [{"proxy": row.id, "url": row.url} for row in found]
        output.print_json({did: changed, "dry_run": dry_run})
        return
    for row in found if dry_run or len(found) <= _MAX_TOLD else []:
        print(f"{row.id} ({row.url}) {'would be ' if dry_run else ''}{did}")
    if len(found) != 1:
        would = " would be" if dry_run else ""
        print(f"{count(len(found), 'proxy', 'proxies')}{would} {did}")
