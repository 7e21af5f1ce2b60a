"""`swather serve`: the API and the dashboard."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.options import AsJSON, Database

if TYPE_CHECKING:
    from swather.access_token import Tokens
    from swather.cli.served_fleet import ServedFleet
    from swather.web.dashboard import Dashboard

EXAMPLES: Final = """\
swather serve
swather serve --open
swather serve --workers 4
swather serve --db postgresql://me@localhost/queue --port 9000
SWATHER_API_TOKEN=… SWATHER_API_NAMES=swather.example.com swather serve --host 0.0.0.0"""


def command(
    host: Annotated[
        str | None,
        typer.Option("--host", metavar="ADDRESS", help="Where to listen. Default: 127.0.0.1."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65_535, metavar="N", help="Default: 8765; 0: any."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=0,
            max=1_000,
            metavar="N",
            help="Also keep N workers running, as `fleet up` does; 0: none until the API or the "
            "dashboard starts some.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="The name of the workers' fleet. Default: this host's."
        ),
    ] = None,
    open_it: Annotated[
        bool, typer.Option("--open", help="Open the dashboard in a browser.")
    ] = False,
    show_token: Annotated[
        bool, typer.Option("--show-token", help="Only print the tokens of this user, and exit.")
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Serve the API and the dashboard.

    Until Ctrl-C. Prints a link that opens the dashboard, and a curl line that asks the API. Only
    this machine can reach it, unless --host says otherwise; then a token must be set.

    Runs and workers do not depend on it, except for those of --workers: these run the registered
    scrapers, and end with the server. The first Ctrl-C lets their targets finish, the second stops
    now.
    """
    from swather.access_token import tokens_for
    from swather.cli import output, serving
    from swather.errors import InputError
    from swather.runs import configuration

    if name is not None and workers is None:
        raise InputError("--name is for the workers of this server: give --workers as well")
    settings = configuration.resolve(None, {"db": db, "api_host": host, "api_port": port}).settings
    if show_token:
        _show(tokens_for(settings), as_json=as_json)
        return 0
    with serving.dashboard_for(settings) as dashboard:
        fleet = None if workers is None else _fleet(settings.db, workers, name, as_json=as_json)
        if as_json:
            output.print_json(serving.facts_of(dashboard), indent=None)
        else:
            serving.announce(dashboard)
            output.stderr().print("Ctrl-C stops the server.")
        if open_it:
            serving.open_browser(dashboard)
        if fleet is None:
            dashboard.run()
            return 0
        return _with_workers(dashboard, fleet)


def _show(tokens: "Tokens", *, as_json: bool) -> None:
    from swather.cli import output
    from swather.visible import underneath

    if as_json:
        output.print_json({"admin": tokens.admin, "reader": tokens.reader})
        return
    plain = underneath(sys.stdout)
    print(f"{tokens.admin}  may do everything", file=plain)
    print(f"{tokens.reader}  may only read", file=plain)


def _fleet(db: str, workers: int, name: str | None, *, as_json: bool) -> "ServedFleet":
    from swather.cli.served_fleet import served_fleet

    fleet = served_fleet(db, workers, name, as_json=as_json)
    fleet.check()
    return fleet


def _with_workers(dashboard: "Dashboard", fleet: "ServedFleet") -> int:
    """The server outlives a fleet that somebody stops, or whose workers cannot run."""
    from swather.cli import output
    from swather.cli.failure import INTERRUPTED
    from swather.cli.stop_signal import wait_for_signal

    with dashboard.serving():
        if fleet.begin() != INTERRUPTED:
            output.stderr().print("The workers have ended; the server runs until Ctrl-C.")
            wait_for_signal(lambda: False)
    return 0
