"""Registered scrapers: those that are known by a name, and how each is configured.

A name comes from a package (its entry point), from the setting `scrapers_folder` (a file in it), or
from a table [scrapers.NAME] in swather.toml, which may also configure one of the others. Nothing
is imported here, and no database has a say.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NamedTuple

from swather import posix
from swather.errors import BadSetting, BadURL, InputError, LoadError
from swather.model.payload import encode
from swather.scraping import installed
from swather.scraping.option_checks import ExecutionMode, is_scraper_name
from swather.scraping.scraper import renamed
from swather.settings import ALIASES, DELAYS, OF_SCRAPERS
from swather.settings_sources import PYPROJECT, SCRAPERS, TOML, canonical, check, read
from swather.store import factory

HOOKS: Final = ("on_end", "on_trouble", "webhook", "webhook_secret")
_SETTINGS: Final = (*OF_SCRAPERS, *DELAYS)
_OWN: Final = ("path", "db", "execution_mode", "targets", "params", "schedule", *HOOKS)
_PYTHON: Final = ".py"
_SITE: Final = ".toml"
_FILES: Final = (_PYTHON, _SITE)
# Files of scrapers_folder that belong to tests, or are for the others to import.
_NO_SCRAPERS: Final = ("_", ".", "test_", "conftest.")


class ScheduleText(NamedTuple):
    """When runs start, as it is written; '' where nothing is."""

    cron: str
    timezone: str = ""
    overlap: str = ""


@dataclass(frozen=True, kw_only=True)
class Registered:
    """A scraper that has a name.

    spec      what `registry.load` takes; the name itself if it is installed under it
    origin    where it is registered, for people to read
    file      the file of its code, if one is named
    db        the database of its runs, if it has one of its own
    settings  those that override its decorator
    targets   what `swather start` loads when no targets are named
    """

    name: str
    spec: str
    origin: str
    file: Path | None = None
    db: str | None = field(default=None, repr=False)
    execution_mode: ExecutionMode | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    targets: Path | None = None
    schedule: ScheduleText | None = None
    hooks: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def own(self) -> dict[str, Any]:
        """All settings that its table names."""
        return {**self.settings, **({} if self.db is None else {"db": self.db})}

    @property
    def is_installed(self) -> bool:
        """Whether a package has it, and not this machine's files."""
        return self.spec == self.name


def registered(folder: Path | None = None) -> dict[str, Registered]:
    """All of them by name, as the files in `folder`, this one by default, and the installed
    packages say. BadSetting names the file and the key of what is wrong; LoadError, a file that
    somebody else could have written.
    """
    folder = folder or Path.cwd()
    found = {
        name: Registered(name=name, spec=name, origin=f"installed: {point.value}")
        for name, point in installed.points().items()
    }
    for each in _in_folder(folder):
        found[each.name] = each
    for table in _tables(folder):
        found[table.name] = table.applied_to(found.get(table.name))
    return found


def databases(folder: Path | None = None) -> dict[str, str]:
    """The databases of the scrapers whose tables name one, by scraper."""
    folder = folder or Path.cwd()
    if not any("db" in table for table in _contents(folder) if isinstance(table, dict)):
        return {}
    return {table.name: table.db for table in _tables(folder) if table.db is not None}


def _in_folder(folder: Path) -> Iterator[Registered]:
    named = read(folder=folder).settings.scrapers_folder
    if named is None:
        return
    scrapers = folder / named.expanduser()
    if not scrapers.is_dir():
        raise BadSetting(f"scrapers_folder: there is no folder {str(scrapers)!r}")
    for file in sorted(each for suffix in _FILES for each in scrapers.glob(f"*{suffix}")):
        is_one = not file.name.startswith(_NO_SCRAPERS) and file.name not in (TOML, PYPROJECT)
        if is_one and file.is_file():
            path = file.resolve()
            yield Registered(
                name=_checked_name(f"scrapers_folder: {file}", file.stem),
                spec=renamed(file.stem, str(path)),
                origin=str(file),
                file=path,
            )


class _Table:
    """[scrapers.NAME] in a file, checked."""

    def __init__(self, file: Path, name: str, table: Any) -> None:
        self._file = file
        self._where = f"{file.name}: [{_header(file)}.{name}]"
        self.name = _checked_name(self._where, name)
        if not isinstance(table, dict):
            raise BadSetting(f"{self._where} must be a table, got {table!r}")
        self._table = table
        self._refuse_unknown()
        self.db = self._database()

    def applied_to(self, known: Registered | None) -> Registered:
        """`known` is what is registered under the name without this table."""
        if "path" in self._table:
            known = self._named_here(self._text("path"))
        elif known is None:
            raise BadSetting(
                f"{self._where} needs a path, such as path = '{self.name}.py': no scraper named "
                f"{self.name!r} is installed or in scrapers_folder"
            )
        return replace(
            known,
            db=self.db,
            execution_mode=self._mode(),
            settings=self._settings(),
            params=self._params(),
            targets=self._path("targets"),
            schedule=self._schedule(),
            hooks={name: self._text(name) for name in HOOKS if name in self._table},
        )

    def _named_here(self, path: str) -> Registered:
        source, colon, name = path.rpartition(":")
        if path.endswith(_FILES):
            source, colon, name = path, "", ""
        if not source:
            return self._installed(path)
        if not source.endswith(_FILES):
            return Registered(name=self.name, spec=renamed(self.name, path), origin=self._where)
        file = (self._file.parent / Path(source).expanduser()).resolve()
        spec = renamed(self.name, f"{file}{colon}{name}")
        return Registered(name=self.name, spec=spec, origin=self._where, file=file)

    def _installed(self, name: str) -> Registered:
        point = installed.points().get(name)
        if point is None:
            raise BadSetting(
                f"{self._where} path must be a file.py, file.py:name, module:name, site.toml or "
                f"the name of an installed scraper, got {name!r}"
            )
        spec = name if name == self.name else renamed(self.name, point.value)
        return Registered(name=self.name, spec=spec, origin=self._where)

    def _refuse_unknown(self) -> None:
        others = [other for name in _SETTINGS for other in ALIASES.get(name, ())]
        known = [*_OWN, *_SETTINGS, *others]
        for name in self._table:
            if name in known:
                continue
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known)}"
            raise BadSetting(f"{self._where} {name!r} cannot be set for one scraper; {hint}")

    def _text(self, key: str) -> str:
        value = self._table[key]
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise BadSetting(f"{self._where} {key} must be a text, got {value!r}")
        return value

    def _path(self, key: str) -> Path | None:
        """Relative to the file that names it."""
        if key not in self._table:
            return None
        return self._file.parent / Path(self._text(key)).expanduser()

    def _database(self) -> str | None:
        if "db" not in self._table:
            return None
        if not isinstance(url := self._table["db"], str):
            raise BadSetting(f"{self._where} db must be a text, got {url!r}")
        try:
            factory.sqlite_path(url)
        except BadURL as error:
            raise BadSetting(f"{self._where} db: {error}") from error
        return url

    def _mode(self) -> ExecutionMode | None:
        if "execution_mode" not in self._table:
            return None
        try:
            return ExecutionMode(self._text("execution_mode"))
        except ValueError:
            raise BadSetting(
                f"{self._where} execution_mode must be one of {', '.join(ExecutionMode)}, got "
                f"{self._table['execution_mode']!r}"
            ) from None

    def _settings(self) -> dict[str, Any]:
        given = {name: value for name, value in self._table.items() if name not in _OWN}
        settings = {canonical(name): value for name, value in given.items()}
        check(settings, self._where)
        return settings

    def _params(self) -> dict[str, Any]:
        params = self._table.get("params", {})
        if not isinstance(params, dict):
            raise BadSetting(f"{self._where} params must be a table, got {params!r}")
        try:
            encode(params, what="params")
        except InputError as error:
            raise BadSetting(f"{self._where} {error}") from error
        return params

    def _schedule(self) -> ScheduleText | None:
        given = self._table.get("schedule")
        if given is None or isinstance(given, str):
            return None if given is None else ScheduleText(self._text("schedule"))
        example = "'0 2 * * *', or { cron = '0 2 * * *', timezone = 'Europe/Berlin' }"
        if not isinstance(given, dict) or "cron" not in given:
            raise BadSetting(f"{self._where} schedule must be like {example}, got {given!r}")
        for name, value in given.items():
            if name not in ScheduleText._fields or not isinstance(value, str):
                raise BadSetting(
                    f"{self._where} schedule takes texts for {', '.join(ScheduleText._fields)}, "
                    f"got {name} = {value!r}"
                )
        return ScheduleText(**given)


def _tables(folder: Path) -> Iterator[_Table]:
    """Those of swather.toml go before those of pyproject.toml, name by name."""
    found: dict[str, _Table] = {}
    for file in (folder / TOML, folder / PYPROJECT):
        tables = _read(file) if file.is_file() else {}
        if not isinstance(tables, dict):
            raise BadSetting(f"{file.name}: {_header(file)} must be tables, got {tables!r}")
        if tables and (why := posix.writable_by_others(file)) is not None:
            raise LoadError(
                f"{file} {why}, so it may not name code to run; make it yours and writable only "
                "by you, or remove its scrapers"
            )
        for name, table in tables.items():
            if name not in found:
                found[name] = _Table(file, name, table)
    yield from found.values()


def _contents(folder: Path) -> Iterator[Any]:
    """The tables as they are written, unchecked."""
    for file in (folder / TOML, folder / PYPROJECT):
        tables = _read(file) if file.is_file() else {}
        yield from tables.values() if isinstance(tables, dict) else ()


def _read(file: Path) -> Any:
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadSetting(f"the settings in {file} cannot be read: {error}") from error
    if file.name == PYPROJECT:
        content = content.get("tool", {}).get("swather", {})
    return content.get(SCRAPERS, {})


def _header(file: Path) -> str:
    return f"tool.swather.{SCRAPERS}" if file.name == PYPROJECT else SCRAPERS


def _checked_name(where: str, name: str) -> str:
    if name.endswith(_FILES) or not is_scraper_name(name):
        raise BadSetting(
            f"{where} a scraper's name has up to 100 letters, digits, '_', '-' and '.', and does "
            f"not end in {_PYTHON!r} or {_SITE!r}; got {name!r}"
        )
    return name
