"""`swather scrapers`: which scrapers there are, and how one is configured."""

from typing import Annotated, Any, Final

import typer

from swather.cli.options import AsJSON

EXAMPLES: Final = """\
swather scrapers
swather scrapers books
swather scrapers books.py:books --json
swather scrapers --schema > site.schema.json"""


def command(
    scraper: Annotated[
        str | None,
        typer.Argument(
            metavar="SCRAPER",
            help="A registered name, file.py, file.py:name, module:name or site.toml.",
        ),
    ] = None,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Print the JSON Schema of site files, for an editor."),
    ] = False,
    as_json: AsJSON = False,
) -> None:
    """List the registered scrapers, or show one.

    A scraper is registered by a table [scrapers.NAME] in swather.toml, by its .py or .toml file in
    the folder scrapers_folder, or by a package, with an entry point in the group
    `swather.scrapers`. Others need no name: pass their file to see their options and parameters.
    """
    from swather.cli import output
    from swather.scraping import registry

    if schema:
        from swather.scraping.site.schema import schema_text

        print(schema_text(), end="")
        return
    if scraper is None:
        known = registry.names()
        if as_json:
            output.print_json([_named(one._asdict()) for one in known])
        elif known:
            output.show(output.listing(("name", "mode", "where", "what"), known))
        else:
            print("no scraper is registered; name the file of your own: swather scrapers books.py")
        return
    data = _described(registry.load(scraper))
    if as_json:
        output.print_json(_named(data))
        return
    options, params = data.pop("options"), data.pop("params")
    tables = [output.facts(data.items()), output.facts(options.items())]
    if params:
        rows = [[each["name"], each["option"], _default(each), each["help"]] for each in params]
        tables.append(output.listing(("param", "option", "default", "what"), rows))
    output.show(*tables)


def _described(scraper: Any) -> dict[str, Any]:
    from dataclasses import asdict

    from swather.cli import database
    from swather.cli.param_options import described
    from swather.runs import configuration
    from swather.scraping.registered import registered

    known = registered().get(scraper.name)
    scraper = configuration.apply(scraper, configuration.resolve(scraper=scraper).settings)
    options = {name: _plain(value) for name, value in asdict(scraper.options).items()}
    if scraper.site is not None:
        texts = scraper.site.option_texts
        options |= {name: texts[name] for name in texts if callable(getattr(scraper.options, name))}
    del options["name"], options["params"], options["execution_mode"]
    # Their values may be secrets.
    options["headers"] = _header_names(scraper.options.headers)
    return {
        "name": scraper.name,
        "spec": scraper.spec,
        "summary": scraper.summary,
        "isolation": str(scraper.isolation),
        "execution_mode": str(configuration.execution_mode(scraper)),
        "registered": None if known is None else known.origin,
        "db": None if known is None or known.db is None else database.shown(known.db),
        "options": options,
        "params": described(scraper),
    }


def _header_names(headers: Any) -> list[str] | None:
    if headers is None:
        return None
    return [
        name if isinstance(value, str) else f"{name}: {', '.join(value)}"
        for name, value in headers.items()
    ]


def _named(data: dict[str, Any]) -> dict[str, Any]:
    return {"scraper" if name == "name" else name: value for name, value in data.items()}


def _default(param: dict[str, Any]) -> str:
    if param["required"]:
        return "required"
    default = param["default"]
    if isinstance(default, bool):
        return "yes" if default else "no"
    return "" if default is None or default == [] else str(default)


def _plain(value: Any) -> Any:
    """A value that JSON and people can read; functions and types by their names."""
    if value is None or isinstance(value, bool | int | float | list | tuple):
        return value
    return value.__name__ if callable(value) else str(value)
