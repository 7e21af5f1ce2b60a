"""The parts of the reference that the code itself gives: tables, trees, the help of commands."""

import dataclasses
import inspect
import io
import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any

from typer.main import get_group

import swather
from swather import errors as all_errors
from swather.api.app import document
from swather.cli import main
from swather.cli.commands import Commands
from swather.cli.param_options import described
from swather.cli.server_commands import commands_with_server
from swather.net import errors as net_errors
from swather.net.page import Page
from swather.scraping import classify as table_of_classes
from swather.scraping import registry
from swather.scraping.context import Context
from swather.scraping.options import OptionFields, Options
from swather.settings import ALIASES, OF_THE_DATABASE, PREFIX, Settings
from swather.worker.exposition import Family

# What a context has without a docstring of its own.
ATTRIBUTES = {
    "target": "What to scrape: any JSON value.",
    "params": "The run's parameters: a dict, or an object of the type the scraper declares.",
    "run": "The run: `id`, `name`, `version`, and `files_folder`, where its files go.",
    "page": "The page that was fetched last, or None.",
    "task": "The task: `id`, `token`, `priority`, `lane`, `partition`, `parent_id`, and "
    "`failures`, how often it has failed (not counting blocks, proxies and crashes).",
    "sleep": "Wait.",
}
NOT_FOR_SCRAPERS = {"collected"}
PAGE_ATTRIBUTES = {
    "url": "Where the page came from, after redirects.",
    "status": "The HTTP status.",
    "content": "The body as bytes.",
    "headers": "The headers by name, whatever its case; `all(name)` gives each of several.",
    "is_ok": "Whether the status is below 400.",
    "json": "The body, read as JSON.",
}
NOT_FOR_READERS = {"raw_headers"}
NONE = "\N{EN DASH}"


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell for cell in line) + " |"
                     for line in lines)  # fmt: skip


def commands() -> str:
    return "\n\n".join(
        f"## {' '.join(('swather', *words))}\n\n```text\n{help_of(words)}```"
        for words in all_commands()
    )


def all_commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for name, lazy in Commands.table.items():
        found.append((name,))
        inner = getattr(import_module(lazy.module), "group", None)
        found += [(name, word) for word in get_group(inner).commands] if inner else []
    return found


def commands_of_a_server() -> str:
    """'`status`, `runs ls|close`': those that have --server."""
    inner: dict[str, list[str]] = {}
    for name in commands_with_server():
        noun, _, verb = name.partition(" ")
        inner.setdefault(noun, []).extend([verb] if verb else [])
    named = [
        f"`{noun} {'|'.join(verbs)}`" if verbs else f"`{noun}`" for noun, verbs in inner.items()
    ]
    text = f"{', '.join(named[:-1])} and {named[-1]}."
    return textwrap.fill(text, 115, break_on_hyphens=False, break_long_words=False)


def help_of(words: tuple[str, ...]) -> str:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    try:
        with redirect_stdout(io.StringIO()) as said:
            assert main([*words, "--help"]) == 0
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return said.getvalue()


def settings() -> str:
    return table(
        ("setting", "environment", "default", "what it is"),
        (
            (f"`{name}`", _variables(name), _shown(field.default), field.description or "")
            for name, field in Settings.model_fields.items()
        ),
    )


def metrics(families: Mapping[str, Family]) -> str:
    rows = [
        (f"`{name}`", family.kind, ", ".join(f"`{each}`" for each in family.labels) or NONE,
         family.help)
        for name, family in families.items()
    ]  # fmt: skip
    return table(("metric", "kind", "labels", "what it is"), rows)


def routes() -> str:
    """A table for each noun of the API."""
    of_tag: dict[str, list[tuple[str, str]]] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            said = " ".join(operation["description"].partition("\n\n")[0].split())
            address = re.sub(r"{(\w+)}", lambda name: name[1].upper(), path)
            of_tag.setdefault(operation["tags"][0], []).append(
                (f"`{method.upper()} {address}`", said)
            )
    return "\n\n".join(
        f"### {tag.capitalize()}\n\n{table(('route', 'what it does'), rows)}"
        for tag, rows in of_tag.items()
    )


def _variables(name: str) -> str:
    if name in OF_THE_DATABASE:
        return NONE
    others = [other for other in ALIASES.get(name, ()) if other.isupper()]
    return ", ".join(f"`{variable}`" for variable in (f"{PREFIX}{name.upper()}", *others))


def options() -> str:
    words = dict(_described_options())
    return table(
        ("option", "default", "what it is"),
        (
            (f"`{field.name}`", _shown(field.default), words[field.name])
            for field in dataclasses.fields(Options)
        ),
    )


def options_of(name: str) -> str:
    """The parameters of a scraper that ships, as options."""
    rows = [
        (f"`{each['option']}`".replace("|", "\\|"), _shown_default(each["default"]), each["help"])
        for each in described(registry.load(name))
    ]
    return table(("option", "default", "what it is"), rows)


def _shown_default(default: Any) -> str:
    text = ",".join(default) if isinstance(default, list) else str(default)
    return NONE if default in (None, [], False) else f"`{text}`"


def _described_options() -> Iterator[tuple[str, str]]:
    """From lines such as 'tor, browser     whether …'."""
    for line in inspect.cleandoc(Options.__doc__ or "").splitlines():
        found = re.fullmatch(r"([a-z_]+(?:, [a-z_]+)*)  +(.+)", line)
        for name in found[1].split(", ") if found else ():
            assert name in OptionFields.__annotations__
            yield name, found[2]


def context() -> str:
    return _members(Context, ATTRIBUTES, NOT_FOR_SCRAPERS, "ctx")


def page() -> str:
    return _members(Page, PAGE_ATTRIBUTES, NOT_FOR_READERS, "page")


def members_of(kind: type) -> list[str]:
    kinds = [one for one in reversed(kind.__mro__) if one.__module__.startswith("swather.")]
    fields = [
        name
        for one in kinds
        for name in getattr(one, "__struct_fields__", getattr(one, "__slots__", ()))
    ]
    own = [name for one in kinds for name in vars(one)]
    return list(dict.fromkeys(name for name in (*fields, *own) if name[0] != "_"))


def _members(kind: type, known: dict[str, str], left_out: set[str], owner: str) -> str:
    values, verbs = [], []
    for name in members_of(kind):
        member = inspect.getattr_static(kind, name, None)
        if name in left_out:
            continue
        text = known.get(name) or _summary(member)
        assert text, f"{kind.__name__}.{name} is not described"
        if inspect.isfunction(member):
            awaited = "await " if inspect.iscoroutinefunction(member) else ""
            verbs.append((f"`{awaited}{owner}.{name}{_signature(member)}`", text))
        else:
            values.append((f"`{owner}.{name}`", text))
    return table(("name", "what it is"), values) + "\n\n" + table(("call", "what it does"), verbs)


def _signature(function: Any) -> str:
    given = inspect.signature(function).parameters.values()
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in given][1:]
    return str(inspect.Signature(plain))


def names() -> str:
    return table(
        ("name", "what it is"),
        (
            (f"`swather.{name}`", _summary(getattr(swather, name)))
            for name in swather.__all__
            if not name.startswith("_")
        ),
    )


def error_tree() -> str:
    return f"```text\n{_tree_of(all_errors)}\n```"


def errors() -> str:
    return _errors_of(all_errors)


def fetch_errors() -> str:
    return f"```text\n{_tree_of(net_errors)}\n```\n\n{_errors_of(net_errors)}"


def _tree_of(module: Any) -> str:
    return inspect.cleandoc(module.__doc__ or "").partition("\n\n")[2]


def _errors_of(module: Any) -> str:
    return table(
        ("error", "a kind of", "when"),
        (
            (f"`{name}`", f"`{error.__base__.__name__}`", _whole(error))
            for name, error in vars(module).items()
            if inspect.isclass(error)
            and issubclass(error, Exception)
            and error.__module__ == module.__name__
        ),
    )


def classes() -> str:
    _, rows, *notes = inspect.cleandoc(table_of_classes.__doc__ or "").split("\n\n")
    header, *lines = rows.splitlines()
    starts = [match.start() for match in re.finditer(r"\S+", header)]
    ends = [*starts[1:], None]
    cells = [
        tuple(line[start:end].strip() for start, end in zip(starts, ends, strict=True))
        for line in (header, *lines)
    ]
    return table(cells[0], cells[1:]) + "\n\n" + "\n\n".join(notes)


def _summary(member: Any) -> str:
    """The first paragraph of a docstring, on one line; tags in it are shown, not meant."""
    text = " ".join((inspect.getdoc(member) or "").partition("\n\n")[0].split())
    return re.sub(r"<\w+>", r"`\g<0>`", text)


def _whole(member: Any) -> str:
    return " ".join((inspect.getdoc(member) or "").split())


def _shown(default: Any) -> str:
    if default is None or default in ("", {}):
        return NONE
    if isinstance(default, float) and default.is_integer():
        return f"`{default:.0f}`"
    return f"`{default}`"
