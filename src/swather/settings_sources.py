"""Where settings come from, and where the value in force came from.

The first place that names a setting wins: an option of the command, the environment, the file
.env, the settings row of the database, swather.toml (or [tool.swather] in pyproject.toml; the
scraper's own table [scrapers.NAME] first), the scraper's decorator, the default.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_settings import (
    DotEnvSettingsSource,
    EnvSettingsSource,
    PyprojectTomlConfigSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from swather import settings_row
from swather.errors import BadSetting
from swather.file_location import read_location
from swather.masking import HIDDEN, masked_data
from swather.settings import ALIASES, OF_THE_DATABASE, PREFIX, SECRETS, Settings

# Before the name of a scraper, '__' and a parameter of it.
OF_PARAMS: Final = f"{PREFIX}PARAMS__"
# Entry points whose names are variables that some scraper's parameters are read from.
_VARIABLES: Final = "swather.variables"
OPTION: Final = "option"
ENVIRONMENT: Final = "environment"
ROW: Final = "settings row"
OF_SCRAPER: Final = "its table in swather.toml"
DECORATOR: Final = "decorator"
DEFAULT: Final = "default"
DOTENV: Final = ".env"
TOML: Final = "swather.toml"
PYPROJECT: Final = "pyproject.toml"
# Where the files describe scrapers by name, which are no settings.
SCRAPERS: Final = "scrapers"

# Variables that begin like ours and are no settings.
_NO_SETTINGS: Final = (
    "SWATHER_PARENT_FD",
    "SWATHER_FAREWELL_FD",
    "SWATHER_DETACHED",
    "SWATHER_SERVER",
    "SWATHER_FILE_MODE",
    "SWATHER_NOTICE_",
    "SWATHER_TEST_",
    "SWATHER_BENCH_",
)

_log = logging.getLogger(__name__)


class Resolved(NamedTuple):
    """The settings, and by name the origin of those that are not defaults."""

    settings: Settings
    origins: dict[str, str]

    def origin(self, name: str) -> str:
        return self.origins.get(name, DEFAULT)


class Variable(NamedTuple):
    """A variable of the environment or of .env: its value, and where it was found."""

    value: str
    origin: str


class _Sourced(NamedTuple):
    """A value with its source, as the source names it: 'environment (WORKER_COUNT)'."""

    value: Any
    origin: str


def read(
    options: Mapping[str, Any] | None = None,
    *,
    row: Mapping[str, Any] | None = None,
    of_scraper: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> Resolved:
    """The settings in force. `options` that are None were not given; `row` is the settings row of
    the database, once it is open; `of_scraper` is what the files say of one scraper, which goes
    before what they say of all; the files are those in `folder`, this one by default.
    """
    values: dict[str, _Sourced] = {}
    for layer in _layers(options or {}, row or {}, of_scraper or {}, folder or Path.cwd()):
        for name, value in layer.items():
            values.setdefault(name, value)
    try:
        settings = _validated({name: given.value for name, given in values.items()})
    except ValidationError as error:
        raise BadSetting(_message_of(error, values)) from error
    return Resolved(settings, {name: given.origin for name, given in values.items()})


def in_files(name: str, folder: Path | None = None) -> Any:
    """What swather.toml or pyproject.toml says of a setting, whatever goes before it."""
    found = (layer[name].value for layer in _from_toml(folder or Path.cwd()) if name in layer)
    return next(found, None)


def variables(folder: Path | None = None) -> dict[str, Variable]:
    """All variables that are set, by name in upper case: those of the environment, then those of
    the file .env in `folder`, this one by default.
    """
    found: dict[str, Variable] = {}
    dotenv = (folder or Path.cwd()) / ".env"
    if dotenv.is_file():
        for name, value in _read_dotenv(dotenv).env_vars.items():
            if value:
                found[name.upper()] = Variable(value, f"{DOTENV} ({name.upper()})")
    for name, value in os.environ.items():
        if value:
            found[name.upper()] = Variable(value, f"{ENVIRONMENT} ({name.upper()})")
    return found


def canonical(name: str) -> str:
    """The setting that a name, or one of its other names, means; BadSetting when there is none."""
    for known in Settings.model_fields:
        if name.lower() == known or name in ALIASES.get(known, ()):
            return known
    raise BadSetting(_unknown(name, "{name!r} is not a setting"))


def checked(name: str, value: Any) -> Any:
    """The value as the settings row holds it; a text is read by the setting's type."""
    name = canonical(name)
    if (why := settings_row.refusal(name, value)) is not None:
        raise BadSetting(why)
    return check({name: value}).model_dump(mode="json")[name]


def check(values: Mapping[str, Any], where: str = "") -> Settings:
    """Settings made of these values only; BadSetting names `where` a wrong one was given."""
    try:
        return _validated(dict(values))
    except ValidationError as error:
        given = {name: _Sourced(value, where) for name, value in values.items()}
        raise BadSetting(_message_of(error, given)) from error


def described() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every setting: its name, what it is, its other names."""
    for name, field in Settings.model_fields.items():
        yield name, field.description or "", ALIASES.get(name, ())


class _Plain(Settings):
    """Settings made of what they are given and of nothing else."""

    @classmethod
    def settings_customise_sources(cls, *_: Any, **sources: Any) -> tuple[Any, ...]:
        return (sources["init_settings"],)


def _validated(values: dict[str, Any]) -> Settings:
    return _Plain(**values)


def _layers(
    options: Mapping[str, Any],
    row: Mapping[str, Any],
    of_scraper: Mapping[str, Any],
    folder: Path,
) -> Iterator[dict[str, _Sourced]]:
    yield {name: _Sourced(value, OPTION) for name, value in options.items() if value is not None}
    yield _from_variables(EnvSettingsSource(Settings), ENVIRONMENT)
    dotenv = folder / ".env"
    if dotenv.is_file():
        yield _from_variables(_read_dotenv(dotenv), DOTENV)
    own = {name: _Sourced(value, OF_SCRAPER) for name, value in of_scraper.items()}
    files = [own, *_from_toml(folder)]
    yield _from_row(row, files)
    yield from files


def _read_dotenv(path: Path) -> DotEnvSettingsSource:
    try:
        return DotEnvSettingsSource(Settings, env_file=path)
    except (ValueError, OSError) as error:
        raise BadSetting(f"the settings in {path} cannot be read: {error}") from error


def _from_variables(source: EnvSettingsSource, where: str) -> dict[str, _Sourced]:
    # Not the source's own call, which leaves out what it does not know.
    found = {name: value for name, value in source.env_vars.items() if value}
    values: dict[str, _Sourced] = {}
    for variable, value in found.items():
        upper = variable.upper()
        if not upper.startswith(PREFIX) or upper.startswith((*_NO_SETTINGS, OF_PARAMS)):
            continue
        name = upper.removeprefix(PREFIX).lower()
        if name not in Settings.model_fields:
            if _is_of_a_scraper(upper.removeprefix(PREFIX)):
                continue
            raise BadSetting(_unknown(name, f"{where}: {upper} is not a setting", PREFIX))
        _refuse_the_databases_own(name, value, where)
        values[name] = _Sourced(value, f"{where} ({upper})")
    for name, others in ALIASES.items():
        for other in filter(str.isupper, others):
            if other.lower() in found:
                values.setdefault(name, _Sourced(found[other.lower()], f"{where} ({other})"))
    return values


def _is_of_a_scraper(name: str) -> bool:
    """Whether a parameter of an installed scraper is read from it; see scraping/params.py."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - only for unknown names

    return bool(entry_points(group=_VARIABLES, name=name))


def _from_row(row: Mapping[str, Any], files: list[dict[str, _Sourced]]) -> dict[str, _Sourced]:
    """The row may hold what other releases put there, so nothing in it is unknown. What it must
    not say is ignored. Its folder is one below that of this machine, which `files` may name.
    """
    by_name = {
        other: name for name, others in ALIASES.items() for other in others if other.islower()
    }
    values: dict[str, _Sourced] = {}
    for name, value in row.items():
        known = by_name.get(name, name)
        if known not in Settings.model_fields:
            continue
        if (why := settings_row.refusal(known, value)) is not None:
            _log.warning("%s in the settings row of the database is ignored: %s", name, why)
            continue
        values[known] = _Sourced(value, ROW)
    if folder := values.get("files_folder"):
        named = (str(file["files_folder"].value) for file in files if "files_folder" in file)
        own = read_location(next(named, str(settings_row.FILES_FOLDER)))
        values["files_folder"] = _Sourced(settings_row.below(own, folder.value), ROW)
    return values


def _from_toml(folder: Path) -> Iterator[dict[str, _Sourced]]:
    own, shared = folder / TOML, folder / PYPROJECT
    try:
        if own.is_file():
            yield _known(TomlConfigSettingsSource(Settings, own)(), TOML)
        if shared.is_file():
            source = PyprojectTomlConfigSettingsSource(_InPyproject, shared)
            yield _known(source(), PYPROJECT)
    except (ValueError, OSError) as error:
        if isinstance(error, BadSetting):
            raise
        raise BadSetting(f"the settings in {folder} cannot be read: {error}") from error


class _InPyproject(Settings):
    model_config = SettingsConfigDict(pyproject_toml_table_header=("tool", "swather"))


def _known(values: Mapping[str, Any], where: str) -> dict[str, _Sourced]:
    known: dict[str, _Sourced] = {}
    for name, value in values.items():
        if name == SCRAPERS:
            continue
        if name not in Settings.model_fields:
            raise BadSetting(_unknown(name, f"{where}: {name!r} is not a setting"))
        _refuse_the_databases_own(name, value, where)
        known[name] = _Sourced(value, where)
    return known


def _refuse_the_databases_own(name: str, value: Any, where: str) -> None:
    if name in OF_THE_DATABASE:
        raise BadSetting(
            f"{where}: {name} belongs to a database; use: swather settings set {name} {value}"
        )


def _unknown(name: str, said: str, prefix: str = "") -> str:
    near = get_close_matches(name.lower(), Settings.model_fields, n=1)
    shown = f"{prefix}{near[0]}" if near else ""
    shown = shown.upper() if prefix else shown
    hint = f"; did you mean {shown!r}?" if near else "; `swather settings` lists them"
    return said.format(name=name) + hint


def _message_of(error: ValidationError, values: Mapping[str, _Sourced]) -> str:
    """What is wrong, in one line: the source, what was expected, what it got."""
    problems = []
    for problem in error.errors():
        name = str(problem["loc"][0])
        origin = values[name].origin if name in values else ""
        where = f"{origin}: " if origin and origin != OPTION else ""
        message = problem["msg"].removeprefix("Input ").removeprefix("Value error, ")
        got = HIDDEN if name in SECRETS else masked_data({name: problem["input"]})[name]
        problems.append(f"{where}{name} {message}, got {got!r}")
    return "; ".join(problems)
