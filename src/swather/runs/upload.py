"""Targets that a client sends as the body of a request: text, CSV or JSON lines, of any length."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from swather.model.run import Load, unrepeatable
from swather.runs.intake import Intake
from swather.runs.layout import PLAIN, Layout
from swather.runs.lines import lines_in
from swather.runs.loading import Loading
from swather.runs.targets import Form, targets_in
from swather.scraping.scraper import Scraper
from swather.store import Store

_NAME = "upload"


@dataclass(frozen=True, kw_only=True)
class Upload:
    """Where the targets of an order come from, read once and never held in memory as a whole. No
    private host among them becomes reachable.
    """

    chunks: Iterable[bytes]
    form: Form
    layout: Layout = PLAIN
    skip_bad: bool = False
    limit: int | None = None

    @property
    def is_empty(self) -> bool:
        """False: a client that sends no targets has sent them all."""
        return False

    @property
    def fingerprint(self) -> str:
        """None: no two uploads are known to be the same."""
        return ""

    @property
    def in_words(self) -> str:
        return _NAME

    @property
    def nothing_found(self) -> str:
        return "there are no targets in the upload"

    @property
    def has_priorities(self) -> bool:
        return bool(self.layout.given.priority or self.layout.options.priority)

    @property
    def load(self) -> Load:
        return unrepeatable(_NAME, _NAME)

    def intake(self, scraper: Scraper) -> Intake:
        """The intake of these targets, the first ones already checked."""
        stream = io.BufferedReader(_Chunks(self.chunks))
        intake = Intake(
            scraper,
            targets_in(lines_in(stream, _NAME), _NAME, self.form, self.layout),
            skip_bad=self.skip_bad,
            limit=self.limit,
            load=self.load,
            is_remote=True,
            skip_option="skip_bad=true",
        )
        intake.check()
        return intake

    def loading(self, store: Store, run: str, intake: Intake, *, lease_seconds: float) -> Loading:
        return Loading(store, run, intake, lease_seconds=lease_seconds)


class _Chunks(io.RawIOBase):
    """Pieces of bytes as a file to read from."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks: Iterator[bytes] = iter(chunks)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        while not self._left:
            try:
                self._left = next(self._chunks)
            except StopIteration:
                return 0
        taken = self._left[: len(buffer)]
        self._left = self._left[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)
