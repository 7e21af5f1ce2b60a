"""The decorator that makes a function or a class a scraper, and the scraper it makes."""

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, Unpack, overload

from swather.errors import InputError
from swather.scraping.hooks import Hooks, ItemHook, RequestHook, checked
from swather.scraping.options import (
    ExecutionMode,
    Isolation,
    OptionFields,
    Options,
    options_from,
)
from swather.scraping.signatures import check_signature, takes_web

__all__ = ["ExecutionMode", "Isolation", "Options", "Scraper", "scraper"]

# Marks a module that was loaded by its path and that no import statement finds.
LOADED_FROM_FILE: Final = "__swather_file__"


def renamed(name: str, spec: str) -> str:
    """The spec of a scraper under another name than its code has."""
    return f"{name}={spec}"


class Described(Protocol):
    """A site in a file, which a scraper is made of instead of Python code."""

    @property
    def text(self) -> str:
        """What the file says."""
        ...

    @property
    def start(self) -> tuple[str, ...]:
        """The targets of a run that is given none."""
        ...

    def url_of(self, target: Any) -> str:
        """The address of a target; BadTarget if it has none."""
        ...

    def priority_of(self, target: Any) -> int | None:
        """That of a new target, if the file says one."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Scraper:
    """A named function or class with its options; what the decorator returns.

    Calling it calls the function (or makes an instance of the class), so that it can be tested
    like any other.
    """

    name: str
    function: Callable[..., Any]
    options: Options
    is_class: bool
    is_async: bool
    is_generator: bool
    sets_up_with_web: bool = False
    hooks: Hooks = field(default_factory=Hooks)
    # The file or module that imported it, and may have added hooks, rules or sources to it.
    loaded_from: str | None = None
    # The site that it was made of.
    site: Described | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__wrapped__", self.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<scraper {self.spec}>"

    @property
    def isolation(self) -> Isolation:
        if self.options.isolation is not None:
            return self.options.isolation
        return Isolation.TASK if self.is_async else Isolation.THREAD

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def spec(self) -> str:
        """What `registry.load` finds it by in another process: 'file.py:name', 'module:name' or
        'site.toml', with 'other=' before it if it was given another name.
        """
        own = self.options.name or self.function.__name__
        code = self._source if self.site is not None else f"{self._source}:{own}"
        return code if own == self.name else renamed(self.name, code)

    @property
    def _source(self) -> str:
        """The file or module that its code is loaded from."""
        if self.loaded_from is not None:
            return self.loaded_from
        name = self.function.__module__
        module = sys.modules.get(name)
        if name == "__main__" and (run_as := getattr(module, "__spec__", None)) is not None:
            return str(run_as.name)
        path = getattr(module, "__file__", None)
        if path is not None and (name == "__main__" or hasattr(module, LOADED_FROM_FILE)):
            return str(Path(path).resolve())
        return name

    def on_request(self, hook: RequestHook) -> RequestHook:
        """Call the function with each request before it goes out; it may return another one."""
        checked(hook, "on_request")
        self.hooks.requests.append(hook)
        return hook

    def on_item(self, hook: ItemHook) -> ItemHook:
        """Call the function with each item; what it returns is kept in its place, None drops it."""
        checked(hook, "on_item")
        self.hooks.items.append(hook)
        return hook


@overload
def scraper(function: Callable[..., Any], /) -> Scraper: ...
@overload
def scraper(**options: Unpack[OptionFields]) -> Callable[[Callable[..., Any]], Scraper]: ...
def scraper(
    function: Callable[..., Any] | None = None, /, **options: Unpack[OptionFields]
) -> Scraper | Callable[[Callable[..., Any]], Scraper]:
    """Turn a function `(ctx, target)`, or a class with `scrape(ctx, target)`, into a scraper.

    The function may be async or plain, return items or yield them. A class may have `setup()` and
    `close()`, for what is costly to open; `setup(web)` is given the web, for example to log in.
    `Options` describes the options.
    """
    checked = options_from(options)
    if function is None:
        return functools.partial(_scraper_of, options=checked)
    return _scraper_of(function, checked)


def _scraper_of(function: Callable[..., Any], options: Options) -> Scraper:
    is_class = inspect.isclass(function)
    called: Any = _scrape_of(function) if is_class else function
    if isinstance(function, Scraper) or not callable(called):
        raise InputError(f"@scraper goes on a function or a class, got {function!r}")
    name = options.name or getattr(function, "__name__", "")
    if not options.name:
        Options(name=name)
    check_signature(name, called, is_method=is_class)
    is_async_generator = inspect.isasyncgenfunction(called)
    made = Scraper(
        name=name,
        function=function,
        options=options,
        is_class=is_class,
        is_async=is_async_generator or inspect.iscoroutinefunction(called),
        is_generator=is_async_generator or inspect.isgeneratorfunction(called),
        sets_up_with_web=is_class and takes_web(name, function),
    )
    _check_isolation(made)
    return made


def _scrape_of(kind: Any) -> Any:
    scrape = getattr(kind, "scrape", None)
    if not callable(scrape):
        raise InputError(
            f"the class {kind.__name__!r} has no scrape(self, ctx, target): a scraper needs one"
        )
    return scrape


def _check_isolation(made: Scraper) -> None:
    if made.options.isolation is Isolation.TASK and not made.is_async:
        raise InputError(
            f"isolation: {made.name!r} is a plain function and would block the event loop; "
            "expected 'thread' or 'process', got 'task'"
        )
    if made.options.isolation is Isolation.THREAD and made.is_async:
        raise InputError(
            f"isolation: {made.name!r} is async; expected 'task' or 'process', got 'thread'"
        )
