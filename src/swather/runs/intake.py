"""Turns lines into targets of a run: checked, limited, and in batches."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

from swather.errors import BadLines, InputError
from swather.model.run import Load, unrepeatable
from swather.model.task import Target
from swather.net.private_hosts import Host, hosts_in
from swather.runs.lines import STDIN
from swather.runs.mistyped_url import wrong_with
from swather.runs.target_options import NO_OPTIONS
from swather.runs.targets import ARGUMENTS, VALUES, BadLine, Entry, Line, Note
from swather.scraping.scraper import Scraper
from swather.scraping.targets import target_of
from swather.store.batching import Row, row_of
from swather.store.ports import Enqueued

CHECKED_AHEAD: Final = 10_000
MAX_LISTED: Final = 10
MAX_HOSTS_KNOWN: Final = 100_000


class Intake:
    """The targets of a scraper, from lines that may be bad.

    Without `skip_bad` the first bad line ends it with BadLines, which lists those that follow too;
    with it they are counted in `skipped`, and the first ones listed in `bad`. A None among the
    lines means that none has arrived yet. `load` identifies these targets; `is_empty` is set when
    a check has found no line at all. `notes`: what was assumed about the files that were read;
    `added` and `duplicates`: what became of the targets so far. Hosts that `is_remote` ones name
    are nobody's wish here. `skip_option` is what a person writes to skip bad lines; "" where
    nobody can.
    """

    def __init__(
        self,
        scraper: Scraper,
        lines: Iterable[Entry | None],
        *,
        skip_bad: bool = False,
        limit: int | None = None,
        load: Load | None = None,
        is_remote: bool = False,
        skip_option: str = "",
    ) -> None:
        if limit is not None and limit < 1:
            raise InputError(f"limit must be at least 1, got {limit!r}")
        self._scraper = scraper
        self._skip_bad = skip_bad
        self._limit = limit
        self._is_remote = is_remote
        self._skip_option = skip_option
        self._entries = self._rows(lines)
        self.load = load or unrepeatable("", "targets")
        self.skipped = 0
        self.added = 0
        self.duplicates = 0
        self.bad: list[BadLine] = []
        self.notes: list[str] = []
        # Those whose hosts have not been looked for yet.
        self._values: list[Any] = []
        self._taken: set[Host] = set()
        self.is_empty = False

    def check(self, count: int = CHECKED_AHEAD) -> None:
        """Check the first `count` lines, so that a bad one is reported before anything is stored.
        Of a pipe, only the lines that have arrived are checked.
        """
        seen: list[Row | BadLine | None] = []
        for entry in self._entries:
            seen.append(entry)
            if entry is None or len(seen) >= count:
                break
        if not self._skip_bad:
            bad = [entry for entry in seen if isinstance(entry, BadLine)]
            if bad:
                raise bad_lines(bad, self._skip_option)
        self.is_empty = not seen
        self._entries = chain(seen, self._entries)

    def batches(self, size: int) -> Iterator[list[Row]]:
        """Full batches, and a smaller (or empty) one whenever no line has arrived for a while."""
        batch: list[Row] = []
        for entry in self._entries:
            if type(entry) is Row:
                batch.append(entry)
            elif isinstance(entry, BadLine):
                if not self._skip_bad:
                    yield batch
                    raise bad_lines(self._with_those_that_follow(entry), self._skip_option)
                self._skip(entry)
                continue
            if entry is None or len(batch) >= size:
                yield batch
                batch = []
        if batch:
            yield batch

    def count(self, enqueued: Enqueued) -> None:
        """Note what became of a batch."""
        self.added += enqueued.added
        self.duplicates += enqueued.duplicates

    def take_hosts(self) -> set[Host]:
        """Hosts of the targets so far that were not returned before; a few may come twice."""
        taken = hosts_in(self._values) - self._taken
        self._values.clear()
        if len(self._taken) > MAX_HOSTS_KNOWN:
            self._taken.clear()
        self._taken |= taken
        return taken

    @property
    def hosts(self) -> set[Host]:
        """The hosts of all targets that have been read so far."""
        return hosts_in(self._values) | self._taken

    def _rows(self, lines: Iterable[Entry | None]) -> Iterator[Row | BadLine | None]:
        left = self._limit
        for line in lines:
            if isinstance(line, Note):
                self.notes.append(line.text)
                continue
            entry = self._row(line) if isinstance(line, Line) else line
            yield entry
            if left is not None and isinstance(entry, Row):
                left -= 1
                if not left:
                    return

    def _row(self, line: Line) -> Row | BadLine:
        site = self._scraper.site
        try:
            if site is None and (reason := wrong_with(line.value)):
                return BadLine(line.number, reason, line.source)
            target = self._made(line)
            # Checked here, where its line number is known.
            row = row_of(target)
        except InputError as error:
            return BadLine(line.number, str(error), line.source)
        except Exception as error:  # noqa: BLE001 - lane and partition may be the user's functions
            reason = f"{type(error).__name__} in the scraper's lane, partition or key: {error}"
            return BadLine(line.number, reason, line.source)
        if not self._is_remote:
            self._values.append(target.value if site is None else site.url_of(target.value))
        return row

    def _made(self, line: Line) -> Target:
        if isinstance(line.value, Target):
            return line.value
        if line.options is NO_OPTIONS:
            return target_of(self._scraper, line.value, key=line.key)
        return target_of(self._scraper, line.value, key=line.key, **line.options._asdict())

    def _skip(self, bad: BadLine) -> None:
        self.skipped += 1
        if len(self.bad) < MAX_LISTED:
            self.bad.append(bad)

    def _with_those_that_follow(self, first: BadLine) -> list[BadLine]:
        found = [first]
        for _, entry in zip(range(CHECKED_AHEAD), self._entries, strict=False):
            if entry is None or len(found) > MAX_LISTED:
                break
            if isinstance(entry, BadLine):
                found.append(entry)
        return found


def bad_lines(bad: list[BadLine], skip_option: str) -> BadLines:
    """The error that lists them and says what to do. Without a `skip_option`, to fix them."""
    more = len(bad) - MAX_LISTED
    them = "it" if len(bad) == 1 else "them"
    listed = [f"  {described(line)}" for line in bad[:MAX_LISTED]]
    if more > 0:
        listed.append("  and more")
    text = "\n".join(
        [
            "some targets cannot be used:" if len(bad) > 1 else "a target cannot be used:",
            *listed,
            f"Fix {them}, or skip {them} with {skip_option}." if skip_option else f"Fix {them}.",
        ]
    )
    return BadLines(text)


def described(bad: BadLine) -> str:
    """'targets.csv line 7: column 'url' is empty'."""
    names = {ARGUMENTS: "argument", VALUES: "target", STDIN: "standard input line"}
    name = names.get(bad.source, f"{bad.source} line")
    return f"{name} {bad.number:,}: {bad.reason}"
