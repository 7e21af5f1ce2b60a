"""`swather init`: a new project with a scraper, a test and settings."""

import shlex
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli.options import AsJSON

EXAMPLES: Final = """\
swather init
swather init shops
swather init quotes --browser
swather init shop --site"""

FILES: Final = {
    "books.py": "books.py.txt",
    "test_books.py": "test_books.py.txt",
    "swather.toml": "swather.toml.txt",
    "README.md": "README.md.txt",
    ".gitignore": "gitignore.txt",
}
BROWSER_FILES: Final = {
    "quotes.py": "quotes.py.txt",
    "test_quotes.py": "test_quotes.py.txt",
    "swather.toml": "browser.toml.txt",
    "README.md": "browser.md.txt",
    ".gitignore": "gitignore.txt",
}
SCHEMA_FILE: Final = "site.schema.json"
SITE_FILES: Final = {
    "shop.toml": "shop.toml.txt",
    SCHEMA_FILE: "",
    "swather.toml": "site_settings.toml.txt",
    "README.md": "site.md.txt",
    ".gitignore": "gitignore.txt",
}
BOOKS: Final = "books.py https://books.toscrape.com/"
QUOTES: Final = "quotes.py https://quotes.toscrape.com/js/"
SHOP: Final = "shop.toml https://books.toscrape.com/"


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder; created if it does not exist.")
    ] = Path(),
    browser: Annotated[
        bool, typer.Option("--browser", help="With a scraper of pages that need JavaScript.")
    ] = False,
    site: Annotated[
        bool, typer.Option("--site", help="With a site file, for those who know no Python.")
    ] = False,
    as_json: AsJSON = False,
) -> None:
    """Start a project: a scraper, its test, settings.

    Nothing is overwritten: if one of the files already exists, none is written.
    """
    from swather.cli import output
    from swather.errors import InputError

    if site and browser:
        raise InputError(
            "--site and --browser exclude each other; a site file has browser = true in [options]"
        )
    files = SITE_FILES if site else BROWSER_FILES if browser else FILES
    taken = [name for name in files if (folder / name).exists()]
    if taken:
        raise InputError(f"{folder / taken[0]} already exists; name a new folder: swather init DIR")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, template in files.items():
            (folder / name).write_text(_content(template), "utf-8")
    except OSError as error:
        raise InputError(f"cannot write a project to {folder}: {error}") from error
    if as_json:
        output.print_json({"folder": str(folder), "files": list(files)})
        return
    print(f"wrote {', '.join(files)}" + ("" if folder == Path() else f" in {folder}"))
    print("next:")
    if folder != Path():
        print(f"  cd {shlex.quote(str(folder))}")
    example = SHOP if site else QUOTES if browser else BOOKS
    print(f"  swather try {example}")
    print(f"  swather run {'shop.toml' if site else example}")


def _content(template: str) -> str:
    if template:
        return resources.files("swather.cli.starter").joinpath(template).read_text("utf-8")
    from swather.scraping.site.schema import schema_text

    return schema_text()
