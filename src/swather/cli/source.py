"""Where a command's targets come from: its arguments, files, standard input."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from swather.errors import InputError
from swather.model.load import Load, unrepeatable
from swather.runs.intake import Intake
from swather.runs.lines import STDIN
from swather.runs.pipe import Pipe
from swather.runs.start import source_fingerprint
from swather.runs.targets import BadLine, Line, from_arguments, read_targets
from swather.runs.words import count
from swather.scraping.scraper import Scraper


@dataclass(frozen=True, kw_only=True)
class Source:
    """The targets that a command names, and how they are to be read."""

    arguments: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    column: str | None = None
    key: str | None = None
    limit: int | None = None
    skip_bad: bool = False

    def __post_init__(self) -> None:
        if (self.column or self.key) and not self.files:
            raise InputError("--column and --key go with a file: --targets FILE")
        if self.files.count(STDIN) > 1:
            raise InputError("standard input can be read only once")
        for name in self.files:
            if name != STDIN and not Path(name).exists():
                raise InputError(f"there is no file {name!r}")

    @property
    def is_empty(self) -> bool:
        return not (self.arguments or self.files)

    @property
    def fingerprint(self) -> str:
        return source_fingerprint(
            self.arguments, self.files, column=self.column, key=self.key, limit=self.limit
        )

    @property
    def load(self) -> Load:
        """These targets as a run knows them. Standard input is never the same twice."""
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

    def check(self, scraper: Scraper) -> None:
        """Tell what is wrong with the first targets; standard input can be read only once."""
        if STDIN not in self.files:
            self.intake(scraper)

    def intake(self, scraper: Scraper) -> Intake:
        """The targets on their way in, the first of them checked already."""
        intake = Intake(
            scraper, self._lines(), skip_bad=self.skip_bad, limit=self.limit, load=self.load
        )
        intake.check()
        return intake

    def _lines(self) -> Iterator[Line | BadLine | None]:
        return chain(from_arguments(self.arguments), *map(self._read, self.files))

    def _read(self, name: str) -> Iterable[Line | BadLine | None]:
        lines = read_targets(name, column=self.column, key=self.key)
        return Pipe(lines) if name == STDIN else lines
