"""Finds scrapers: in a file, in a module, or by the name they are registered under."""

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple

from swather import posix
from swather.errors import LoadError, MissingExtra
from swather.scraping import installed
from swather.scraping.option_checks import is_scraper_name
from swather.scraping.scraper import LOADED_FROM_FILE, Scraper, renamed
from swather.scraping.shadowed import module_in, refuse_other_than, refuse_shadowed
from swather.scraping.source_location import code_owner

if TYPE_CHECKING:
    from swather.scraping.registered import Registered

FORMS: Final = "file.py, file.py:name, module:name or site.toml"

_entered: Final[list[Path]] = []
_loading: Final[ContextVar[str]] = ContextVar("loading", default="")


class Known(NamedTuple):
    """A registered scraper: its name, its execution mode, where it comes from, and the first line
    of its docs. One that cannot be loaded has no mode.
    """

    name: str
    execution_mode: str
    where: str
    summary: str


def load(spec: str) -> Scraper:
    """The scraper that 'file.py', 'file.py:name', 'module:name', 'site.toml' or a registered name
    means. 'other=file.py' gives it another name.

    LoadError says what is missing or broken, and where; MissingExtra, what to install.
    """
    with _folder_restored():
        return _load(spec)


def enter_folder() -> None:
    """Change to the folder that the code changed to while it was loaded, if it did: its paths are
    relative to that one, while a command's are relative to where it was run.
    """
    if _entered:
        os.chdir(_entered[-1])


def _load(spec: str) -> Scraper:
    name, code = _renamed(spec)
    found = _load_code(code)
    return found if name in ("", found.name) else replace(found, name=name)


def _renamed(spec: str) -> tuple[str, str]:
    """The name that a spec gives to its code, and the rest of it."""
    name, equals, code = spec.partition("=")
    is_one = bool(equals) and is_scraper_name(name) and not Path(spec).exists()
    return (name, code) if is_one else ("", spec)


def _load_code(spec: str) -> Scraper:
    source, colon, name = spec.rpartition(":")
    if spec.endswith(".py"):
        return _only_one(_load_file(Path(spec)), spec)
    if spec.endswith(".toml"):
        return _load_site(Path(spec))
    if source.endswith(".py"):
        return _named(_load_file(Path(source)), name, source)
    if colon:
        return _named(_load_module(source), name, source)
    return _load_registered(spec)


def _load_site(file: Path) -> Scraper:
    # Parsers and patterns, which a scraper in Python does not need.
    from swather.scraping import site  # noqa: PLC0415

    if not file.is_file():
        raise LoadError(f"there is no file {str(file)!r} in {Path.cwd()}")
    return site.scraper_of(site.load(file))


def _registered() -> dict[str, "Registered"]:
    # It reads settings, which a process that is given a file or a module does not need.
    from swather.scraping.registered import registered  # noqa: PLC0415

    return registered()


def _load_registered(name: str) -> Scraper:
    known = _registered()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`swather scrapers` lists those that are"
        raise LoadError(
            f"no scraper named {name!r} is registered in {Path.cwd()} or installed; {hint} "
            "(name your own by its file, books.py, or as module:name)"
        )
    return load_registered(known[name])


def load_registered(known: "Registered") -> Scraper:
    """The scraper behind a name; LoadError says where the name comes from."""
    if known.is_installed:
        return _load_point(installed.points()[known.name])
    if known.file is not None and known.file.exists():
        why = posix.writable_by_others(known.file)
        if why is not None:
            raise LoadError(
                f"{known.file} {why}, so it is not run as scraper {known.name!r}; make it yours "
                "and writable only by you"
            )
    try:
        return _load(known.spec)
    except LoadError as error:
        raise LoadError(f"scraper {known.name!r} ({known.origin}): {error}") from error


def absolute(spec: str) -> str:
    """A spec that works in any folder: with an absolute path, if it means a file."""
    given, code = _renamed(spec)
    source, colon, name = code.rpartition(":")
    if code.endswith((".py", ".toml")):
        code = str(Path(code).resolve())
    elif source.endswith(".py"):
        code = f"{Path(source).resolve()}{colon}{name}"
    elif not colon and (known := _registered().get(code)) is not None:
        code = known.spec
    return renamed(given, code) if given else code


@contextmanager
def _folder_restored() -> Iterator[None]:
    before = Path.cwd()
    try:
        yield
    finally:
        if (after := Path.cwd()) != before:
            _entered.append(after)
            os.chdir(before)


def refuse_while_loading(what: str) -> None:
    """LoadError if a scraper's file or module is being loaded: every process that executes the
    scraper loads it, and would do `what` again.
    """
    if loading := _loading.get():
        raise LoadError(
            f"{loading} calls {what} while it is being loaded; put the call under "
            "`if __name__ == '__main__':`"
        )


def names() -> list[Known]:
    """Every registered scraper, by name; one that cannot be loaded says why."""
    known = _registered()
    return [_known(known[name]) for name in sorted(known)]


def _known(one: "Registered") -> Known:
    where = installed.points()[one.name].value if one.is_installed else one.origin
    try:
        found = load_registered(one)
    except MissingExtra as error:
        return Known(one.name, "", where, str(error))
    except LoadError as error:
        return Known(one.name, "", where, f"cannot be loaded: {error}")
    mode = one.execution_mode or found.options.execution_mode
    return Known(one.name, str(mode), where, found.summary)


def _load_point(point: EntryPoint) -> Scraper:
    with _import_errors_told(point.value):
        found = point.load()
    if not isinstance(found, Scraper):
        raise LoadError(f"{point.value} is not a scraper but {found!r}")
    return found


def _load_module(name: str) -> ModuleType:
    here = Path.cwd()
    _add_to_path(here)
    first, _, _ = name.partition(".")
    if (file := module_in(here, first)) is not None:
        refuse_other_than(file, first, f"the module {name!r} is named")
        refuse_shadowed(file, here)
    with _import_errors_told(name):
        return importlib.import_module(name)


def _load_file(file: Path) -> ModuleType:
    path = file.resolve()
    if not path.is_file():
        raise LoadError(f"there is no file {str(file)!r} in {Path.cwd()}")
    # The same name in every process and at every call, so that each runs the file once.
    digest = hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()
    name = f"{path.stem}_{digest[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    _add_to_path(path.parent)
    refuse_shadowed(path, path.parent)
    module_spec = importlib.util.spec_from_file_location(name, path)
    assert module_spec is not None
    assert module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    setattr(module, LOADED_FROM_FILE, str(path))
    sys.modules[name] = module
    try:
        with _import_errors_told(str(file)):
            module_spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _add_to_path(folder: Path) -> None:
    """Modules beside a scraper can be imported, unless they are named like an installed one: a file
    in that folder must not shadow a module that others import.
    """
    entry = str(folder)
    if entry not in sys.path:
        sys.path.append(entry)


@contextmanager
def _import_errors_told(what: str) -> Iterator[None]:
    before = _loading.set(what)
    try:
        yield
    except (LoadError, MissingExtra):
        raise
    except SyntaxError as error:
        text = f": {error.text.strip()}" if error.text else ""
        raise LoadError(
            f"{what} is not Python: {error.msg} in {error.filename}, line {error.lineno}{text}"
        ) from error
    except (Exception, SystemExit) as error:
        raise LoadError(
            f"{what} cannot be loaded: {type(error).__name__}: {error}{_line_of(error)}"
        ) from error
    finally:
        _loading.reset(before)


def _line_of(error: BaseException) -> str:
    """Where in the user's code an import failed; '' when it never got there."""
    frames = [
        frame
        for frame in extract_tb(error.__traceback__)
        if code_owner(frame.filename) in {"user", "installed"}
    ]
    # Code that a dataclass generates has no file, and is not the user's either.
    own = [f for f in frames if code_owner(f.filename) == "user" and f.filename != "<string>"]
    return next((f" ({f.filename}, line {f.lineno})" for f in reversed(own or frames)), "")


def _scrapers_in(module: ModuleType) -> dict[str, Scraper]:
    """The scrapers a module defines by name; those it imports only if it defines none."""
    found = [value for value in vars(module).values() if isinstance(value, Scraper)]
    own = [scraper for scraper in found if scraper.function.__module__ == module.__name__]
    return {scraper.name: scraper for scraper in own or [_through(module, one) for one in found]}


def _through(module: ModuleType, scraper: Scraper) -> Scraper:
    """A scraper that another process must load through the module that imported it, which may
    have added to it.
    """
    if scraper.function.__module__ == module.__name__:
        return scraper
    return replace(scraper, loaded_from=getattr(module, LOADED_FROM_FILE, module.__name__))


def _only_one(module: ModuleType, where: str) -> Scraper:
    found = _scrapers_in(module)
    if not found:
        raise LoadError(f"{where} has no scraper: put @scraper above a function (ctx, target)")
    if len(found) > 1:
        choices = ", ".join(f"{where}:{name}" for name in found)
        raise LoadError(f"{where} has {len(found)} scrapers; name one of them: {choices}")
    return next(iter(found.values()))


def _named(module: ModuleType, name: str, where: str) -> Scraper:
    found = _scrapers_in(module)
    if name in found:
        return found[name]
    value = getattr(module, name, None)
    if isinstance(value, Scraper):
        return _through(module, value)
    if callable(value):
        raise LoadError(f"{name!r} in {where} is not a scraper: put @scraper above it")
    has = f"; it has {', '.join(found)}" if found else ""
    raise LoadError(f"{where} has no scraper named {name!r}{has}")
