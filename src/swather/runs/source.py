"""Sources of targets: the arguments of a command, files, standard input, or a program."""

import json
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Final

from swather.errors import InputError
from swather.model.run import Load, unrepeatable
from swather.runs.intake import Intake
from swather.runs.layout import PLAIN, Layout
from swather.runs.lines import STDIN
from swather.runs.loading import BATCH_SIZE_HERE, Loading, LoadingHere
from swather.runs.pipe import Pipe
from swather.runs.start import source_fingerprint
from swather.runs.targets import Entry, Line, from_arguments, from_values, read_targets
from swather.runs.words import count
from swather.scraping.scraper import Scraper
from swather.store import Store

_SLOW_SECONDS: Final = 0.2


@dataclass(frozen=True, kw_only=True)
class Source:
    """The targets that a command names, and how to read them. Private hosts among `is_remote` ones
    stay closed.
    """

    arguments: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    layout: Layout = PLAIN
    limit: int | None = None
    skip_bad: bool = False
    is_remote: bool = False

    def __post_init__(self) -> None:
        if self.layout.is_of_table and not self.files:
            raise InputError(
                "--column, --key and other columns need a file to be in: --targets FILE"
            )
        if self.files.count(STDIN) > 1:
            raise InputError("standard input can be read only once")
        for name in self.files:
            if name != STDIN and not Path(name).exists():
                raise InputError(f"there is no file {name!r}")

    @property
    def is_empty(self) -> bool:
        return not (self.arguments or self.files)

    @property
    def skip_option(self) -> str:
        """What a person adds to skip bad lines; clients of the API have no such option."""
        return "" if self.is_remote else "--skip-bad"

    def or_start_of(self, scraper: Scraper) -> "Source":
        """These targets; if there are none, those that the scraper's site file begins with."""
        if not self.is_empty or scraper.site is None or not scraper.site.start:
            return self
        return replace(self, arguments=scraper.site.start)

    @property
    def fingerprint(self) -> str:
        return source_fingerprint(self.arguments, self.files, layout=self.layout, limit=self.limit)

    @property
    def load(self) -> Load:
        """The load of these targets. Standard input is never the same twice."""
        if STDIN in self.files:
            return unrepeatable(self.fingerprint, self.in_words)
        stats = [Path(name).stat() for name in self.files]
        content = " ".join(f"{stat.st_size}-{stat.st_mtime_ns}" for stat in stats)
        return Load(source=self.fingerprint, content=content, name=self.in_words)

    @property
    def in_words(self) -> str:
        """For people to read: '3 arguments, urls.csv'."""
        named = [count(len(self.arguments), "argument")] if self.arguments else []
        return ", ".join([*named, *self.files])

    @property
    def nothing_found(self) -> str:
        return f"there are no targets in {self.in_words}"

    def reads(self, path: Path) -> bool:
        """Whether this is one of the files that targets come from."""
        files = [name for name in self.files if name != STDIN]
        return path.exists() and any(path.samefile(name) for name in files)

    def intake(self, scraper: Scraper) -> Intake:
        """The intake of these targets, the first ones already checked."""
        intake = Intake(
            scraper,
            self._lines(),
            skip_bad=self.skip_bad,
            limit=self.limit,
            load=self.load,
            is_remote=self.is_remote,
            skip_option=self.skip_option,
        )
        intake.check()
        return intake

    def loading(self, store: Store, run: str, intake: Intake, *, lease_seconds: float) -> Loading:
        return Loading(store, run, intake, lease_seconds=lease_seconds)

    @property
    def has_priorities(self) -> bool:
        return bool(self.layout.given.priority or self.layout.options.priority)

    def _lines(self) -> Iterator[Entry | None]:
        arguments = from_arguments(self.arguments, self.layout.given)
        return chain(arguments, *map(self._read, self.files))

    def _read(self, name: str) -> Iterable[Entry | None]:
        lines = read_targets(name, self.layout)
        return Pipe(lines) if name == STDIN else lines


class Values:
    """The targets of a program: any JSON values, or Targets. Only those of a collection can be
    recognised another time: `is_repeatable`.
    """

    def __init__(
        self, values: Iterable[Any], *, limit: int | None = None, is_remote: bool = False
    ) -> None:
        self._is_remote = is_remote
        is_one = isinstance(values, str | bytes)
        self._values = [values] if is_one else values
        self.is_repeatable = isinstance(values, Collection) and not is_one
        self.limit = limit
        self.fingerprint = _hash_of(self._values, limit) if self.is_repeatable else ""

    @property
    def has_priorities(self) -> bool:
        """False: a program that gives priorities says in which order they are taken."""
        return False

    @property
    def is_empty(self) -> bool:
        """False: a program that gives no targets has given them all."""
        return False

    @property
    def in_words(self) -> str:
        return "Python"

    @property
    def nothing_found(self) -> str:
        return "there are no targets"

    def intake(self, scraper: Scraper) -> Intake:
        """The same as that of a Source; what comes from a generator is checked when it comes."""
        intake = Intake(
            scraper,
            _paced(from_values(self._values)),
            limit=self.limit,
            load=self.load,
            is_remote=self._is_remote,
        )
        if self.is_repeatable:
            intake.check(BATCH_SIZE_HERE)
        return intake

    @property
    def load(self) -> Load:
        if not self.is_repeatable:
            return unrepeatable("generator", "a generator")
        return Load(source=self.fingerprint, content="", name="Python")

    def loading(
        self, store: Store, run: str, intake: Intake, *, lease_seconds: float
    ) -> LoadingHere:
        return LoadingHere(store, run, intake, lease_seconds=lease_seconds)


def _paced(lines: Iterator[Line]) -> Iterator[Line | None]:
    """The lines, and a None whenever they come slowly, so that those before it are loaded."""
    loaded_at = time.monotonic()
    for line in lines:
        yield line
        if time.monotonic() - loaded_at > _SLOW_SECONDS:
            loaded_at = time.monotonic()
            yield None


def _hash_of(targets: Iterable[Any], limit: int | None) -> str:
    """The same for two lists of the same targets with the same limit."""
    found = sha256(b"" if limit is None else f"{limit}\n".encode())
    encode = json.JSONEncoder(sort_keys=True, default=repr).encode
    for target in targets:
        found.update(encode(target).encode() + b"\n")
    return found.hexdigest()
