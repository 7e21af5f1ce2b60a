"""`swather notices …`: what people were told, and whether it arrived."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database, DatabaseToChange

if TYPE_CHECKING:
    from swather.model.notice import Delivery, Notice

EXAMPLES: Final = """\
swather notices
swather notices ls --undelivered
swather notices retry"""

group = listing_group(EXAMPLES)


@group.callback()
def notices(ctx: typer.Context, db: Database = None, as_json: AsJSON = False) -> None:
    """Show notifications and whether they were delivered.

    A notice is written when a run ends, a breaker opens, a run makes no progress or a schedule
    fails. Hooks are told of it: the commands on_end and on_trouble, and the webhook, which are
    settings. Without a command: the list.
    """
    list_unless_called(ctx, list_notices, db, as_json=as_json)


@command_in(
    group,
    "ls",
    """\
swather notices ls
swather notices ls --undelivered --json""",
)
def list_notices(
    undelivered: Annotated[
        bool, typer.Option("--undelivered", help="Only those that a hook has not taken.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N notices.")] = 50,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List notices, the newest first, and what became of each at its hooks."""
    from swather.cli import database, output
    from swather.model.notice import DeliveryState
    from swather.runs.notice_json import deliveries_of, told_data

    with database.opened(db) as store:
        found = store.notices.find(limit=limit)
        by_notice = deliveries_of(store, found)
    if undelivered:
        found = [
            notice
            for notice in found
            if any(each.state is not DeliveryState.DELIVERED for each in by_notice[notice.id])
        ]
    if as_json:
        output.print_json([told_data(one, by_notice[one.id]) for one in found])
        return
    if not found:
        print("there are no notices" + (" that a hook has not taken" if undelivered else ""))
        return
    rows = [
        (one.id, f"{one.at:%Y-%m-%d %H:%M:%S}", one.text, _told(one, by_notice)) for one in found
    ]
    output.show(output.listing(("notice", "at (UTC)", "what", "told"), rows))


@command_in(
    group,
    "retry",
    """\
swather notices retry
swather notices retry 17 18""",
)
def retry_notices(
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="NOTICE", help="Notices by number. Default: all undelivered ones."),
    ] = None,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Make undelivered notices due now.

    A process that has the hook delivers them: a worker with --forever, or `swather schedules run`.
    """
    from swather.cli import database, output
    from swather.runs.words import count

    with database.opened(db) as store:
        number = store.notices.retry(numbers)
    if as_json:
        output.print_json({"retried": number})
        return
    print(f"{count(number, 'delivery', 'deliveries')} made due" if number else "nothing to retry")


def _told(notice: "Notice", deliveries: "dict[int, list[Delivery]]") -> str:
    return "; ".join(_outcome(each) for each in deliveries[notice.id]) or "-"


def _outcome(delivery: "Delivery") -> str:
    from swather.runs.words import count, shortened

    error = f": {shortened(delivery.error)}" if delivery.error else ""
    tried = f" after {count(delivery.attempts, 'attempt')}" if delivery.attempts > 1 else ""
    return f"{delivery.words} {delivery.state}{tried}{error}"
