"""`swather scrapers`: which scrapers there are, and how one is configured."""

from typing import Annotated, Any, Final

import typer

from swather.cli.options import AsJSON

EXAMPLES: Final = """\
swather scrapers
swather scrapers books.py
swather scrapers books.py:books --json"""


def command(
    scraper: Annotated[
        str | None,
        typer.Argument(
            metavar="SCRAPER", help="file.py, file.py:name, module:name, or an installed name."
        ),
    ] = None,
    as_json: AsJSON = False,
) -> None:
    """List the installed scrapers, or show one.

    A package installs a scraper by an entry point in the group `swather.scrapers`. Your own need
    no installing: name their file, and see what their decorator says.
    """
    from swather.cli import output
    from swather.scraping import registry

    if scraper is None:
        known = registry.names()
        if as_json:
            output.print_json([one._asdict() for one in known])
        elif known:
            output.show(output.listing(("name", "where", "what"), known))
        else:
            print("no scrapers are installed; name the file of your own: swather scrapers books.py")
        return
    data = _described(registry.load(scraper))
    if as_json:
        output.print_json(data)
        return
    options = data.pop("options")
    output.show(output.facts(data.items()), output.facts(options.items()))


def _described(scraper: Any) -> dict[str, Any]:
    from dataclasses import asdict

    options = {name: _plain(value) for name, value in asdict(scraper.options).items()}
    del options["name"]
    return {
        "name": scraper.name,
        "spec": scraper.spec,
        "summary": scraper.summary,
        "isolation": str(scraper.isolation),
        "options": options,
    }


def _plain(value: Any) -> Any:
    """A value that JSON and people can read; functions and types by their names."""
    if value is None or isinstance(value, bool | int | float | list | tuple):
        return value
    return value.__name__ if callable(value) else str(value)
