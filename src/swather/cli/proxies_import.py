"""`swather proxies import`: lists of proxies from files, stdin and the web into the pool."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from swather.cli.options import AsJSON, DatabaseToChange
from swather.errors import FetchError, InputError

if TYPE_CHECKING:
    from swather.model.proxy import Loaded
    from swather.model.proxy_list import BadLine, ProxyLine
    from swather.settings import Settings
    from swather.store.ports import Store

EXAMPLES: Final = """\
swather proxies import proxies.txt
swather proxies import proxies.txt --tag home --country de
swather proxies import https://proxies.example/list.txt --source provider
grep ':3128' all.txt | swather proxies import -
swather proxies import more.txt --source provider --add"""

STDIN: Final = "stdin"
_MAX_TOLD: Final = 20


class _List(NamedTuple):
    """A list that was read: where from, as people see it; the name of its source; what it holds."""

    shown: str
    source: str
    proxies: "list[ProxyLine]"
    bad: "list[BadLine]"


def import_proxies(
    lists: Annotated[
        list[str],
        typer.Argument(metavar="FILE|URL|-...", help="Files or URLs of lists; - reads stdin."),
    ],
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Give each this tag, too. Repeatable."),
    ] = None,
    country: Annotated[
        str | None,
        typer.Option("--country", metavar="CC", help="Their country, where the list has none."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="NAME", help="The name of the list. Default: its path."),
    ] = None,
    replace: Annotated[
        bool | None,
        typer.Option(
            "--replace/--add",
            help="Remove proxies of this source that are no longer listed, or keep them. "
            "Default: --replace, but --add for stdin.",
            show_default=False,
        ),
    ] = None,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> int:
    """Import lists of proxies, or import them again.

    A proxy on each line: host:port, host:port:user:password, or a URL, with or without its scheme
    (http, https, socks4, socks5, socks5h). `tags=a,b country=de weight=2` may follow; # begins a
    comment. Workers use the new list within two seconds. Proxies that are in the pool already keep
    what is known about them. Lines that cannot be read are named, and the exit code is 1.
    """
    from swather.cli import output
    from swather.cli.failure import FINISHED_WITH_FAILURES
    from swather.runs import configuration
    from swather.store import factory

    settings = configuration.resolve(None, {"db": db}).settings
    read = [_labelled(_read(each, settings), tags or [], country, source) for each in lists]
    for each in read:
        _check(each, db)
    by_source: dict[str, list[_List]] = {}
    for each in read:
        by_source.setdefault(each.source, []).append(each)
    store = factory.open(settings.db)
    try:
        told = [
            (name, together, _load(store, name, together, replace=replace))
            for name, together in by_source.items()
        ]
    finally:
        store.close()
    if as_json:
        output.print_json([_data(*each) for each in told])
    else:
        _tell_bad(read)
        for _, together, loaded in told:
            print(f"{', '.join(each.shown for each in together)}: {_in_words(loaded)}")
    return FINISHED_WITH_FAILURES if any(each.bad for each in read) else 0


def _load(store: "Store", source: str, lists: list[_List], *, replace: bool | None) -> "Loaded":
    anew = source != STDIN if replace is None else replace
    lines = [line for each in lists for line in each.proxies]
    return store.proxies.load(lines, source=source, replace=anew)


def _read(given: str, settings: "Settings") -> _List:
    from swather.model.proxy_list import lines_of, parse_proxies

    if given == "-":
        shown, source, text = STDIN, STDIN, sys.stdin.read()
    elif given.lower().startswith(("http://", "https://")):
        shown, source, text = _downloaded(given, settings)
    else:
        path = Path(given)
        shown, source, text = given, str(path.absolute()), _text_of(path)
    proxies, bad = parse_proxies(lines_of(text, shown))
    return _List(shown, source, proxies, bad)


def _labelled(read: _List, tags: list[str], country: str | None, source: str | None) -> _List:
    """With what the command says of all of them."""
    from msgspec.structs import replace

    from swather.model.proxy_list import parse_country, parse_tags

    more = parse_tags(",".join(tags))
    where = parse_country(country) if country else ""
    lines = [
        replace(
            line,
            tags=tuple(dict.fromkeys((*line.tags, *more))),
            country=line.country or where,
        )
        for line in read.proxies
    ]
    return read._replace(source=source or read.source, proxies=lines)


def _check(read: _List, db: str | None) -> None:
    """A list without a proxy is a mistake, such as a page that says "log in": it would remove all
    those of its source.
    """
    from swather.cli import database

    if read.proxies:
        return
    if read.bad:
        first = read.bad[0]
        raise InputError(
            f"{read.shown} has no line that is a proxy; line {first.line}: {first.reason}"
        )
    remove = database.with_db(f"swather proxies rm --source {read.source}", db)
    raise InputError(f"{read.shown} is empty; to remove the proxies of this source: {remove}")


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def _downloaded(url: str, settings: "Settings") -> tuple[str, str, str]:
    """What is shown of the list, the name of its source, its text. A URL may hold a key anywhere:
    only its host is shown.
    """
    import asyncio
    import hashlib

    from swather.net.fetch_policy import ANYWHERE
    from swather.net.page import Page
    from swather.net.request import Request, parse_origin, split_url
    from swather.runs.fetching import new_fetcher

    async def fetched() -> Page:
        fetcher = new_fetcher(settings)
        try:
            return await fetcher.fetch(Request(url=url), ANYWHERE)
        finally:
            await fetcher.close()

    host = parse_origin(split_url(url)[0]).url
    try:
        page = asyncio.run(fetched())
    except FetchError as error:
        raise InputError(f"the list at {host} cannot be fetched: {error}") from error
    if page.status != 200:
        raise InputError(f"the list at {host} cannot be fetched: HTTP {page.status}")
    digest = hashlib.blake2b(url.encode(), digest_size=4).hexdigest()
    return host, f"{host}#{digest}", page.text


def _tell_bad(read: list[_List]) -> None:
    """Each line that could not be read, with its number."""
    for each in read:
        for bad in each.bad[:_MAX_TOLD]:
            print(f"{each.shown}, line {bad.line}: {bad.reason}", file=sys.stderr)
        if len(each.bad) > _MAX_TOLD:
            more = len(each.bad) - _MAX_TOLD
            print(f"{each.shown}: {more:,} more lines cannot be read", file=sys.stderr)


def _in_words(loaded: "Loaded") -> str:
    """'48 added, 2 unchanged'."""
    said = [f"{number:,} {what}" for what, number in loaded._asdict().items() if number]
    return ", ".join(said)


def _data(source: str, lists: list[_List], loaded: "Loaded") -> dict[str, Any]:
    return {
        "source": source,
        **loaded._asdict(),
        "bad_lines": [
            {"list": each.shown, "line": bad.line, "reason": bad.reason}
            for each in lists
            for bad in each.bad
        ],
    }
