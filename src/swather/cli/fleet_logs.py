"""`swather fleet logs`: the log files of a fleet on this machine."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.fleet_selection import FleetName
from swather.cli.options import AsJSON, Database
from swather.errors import InputError, NotFound
from swather.model.whole_number import whole_number

if TYPE_CHECKING:
    from swather.model.supervisor import SupervisorRow
    from swather.store.ports import Store

_LOOK_SECONDS: Final = 0.3
_BLOCK: Final = 1 << 16
# Of a line in a file that is not ours to bound.
_MAX_LINE_CHARACTERS: Final = 10_000


def show_logs(
    which: Annotated[
        str | None,
        typer.Argument(
            metavar="LOG",
            help="The number of a worker, `supervisor` or `proxies`. Default: all.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("-n", "--limit", min=1, metavar="N", help="The last N lines.")
    ] = 50,
    follow: Annotated[
        bool, typer.Option("-f", "--follow", help="Keep showing new lines until the fleet is down.")
    ] = False,
    name: FleetName = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show what a fleet logs: its supervisor, its workers and the proxies.

    Lines of several files are shown in the order of their times, each with the name of its log.
    With --json, one object per line.
    """
    from swather.cli import database
    from swather.model.supervisor import SupervisorState

    with database.opened(db) as store:
        fleet = _fleet(store, name)
        tails = Tails(_folder(fleet), which)
        for line in tails.last(limit):
            line.show(as_json=as_json)
        while follow:
            is_over = store.supervisors.get(fleet.id).state is not SupervisorState.LIVE
            for line in tails.new():
                line.show(as_json=as_json)
            if is_over:
                break
            time.sleep(_LOOK_SECONDS)
        if tails.is_empty and not as_json:
            print(f"no log of this kind in {tails.folder}", file=sys.stderr)


def _fleet(store: "Store", name: str | None) -> "SupervisorRow":
    """One that is down has left its logs behind."""
    known = [row for row in store.supervisors.find(live=False) if name in (None, row.name)]
    if not known:
        raise NotFound(f"there is no fleet named {name!r}" if name else "there was no fleet yet")
    live = [row for row in known if row.state == "live"]
    if len({row.name for row in live}) > 1:
        names = ", ".join(sorted(row.name for row in live))
        raise InputError(f"several fleets are up: {names}; say which: --name {live[0].name}")
    return (live or known)[0]


def _folder(fleet: "SupervisorRow") -> Path:
    """Only ever read for files of certain names, since the path comes from the database."""
    folder = Path(fleet.log_folder)
    if not folder.is_dir():
        raise NotFound(
            f"the logs of fleet {fleet.name} are in {fleet.log_folder} on {fleet.process.host}, "
            "and not on this machine"
        )
    return folder


class Line:
    """A line of a log; one without a time belongs to the one before it."""

    def __init__(self, log: str, text: str, at: str) -> None:
        self.log = log
        self.text = text
        self.at = at

    def show(self, *, as_json: bool) -> None:
        from swather.cli import output
        from swather.masking import masked
        from swather.visible import visible_line

        if as_json:
            output.print_json({"log": self.log, "line": self.text}, indent=None)
        else:
            print(f"{self.log:<10} | {visible_line(masked(self.text))}", flush=True)


class Tails:
    """The ends of log files."""

    def __init__(self, folder: Path, which: str | None) -> None:
        self.folder = folder
        self._patterns = _patterns(which)
        self._read_to: dict[Path, tuple[int, int]] = {}
        self._at: dict[Path, str] = {}

    @property
    def is_empty(self) -> bool:
        return not self._read_to

    def last(self, limit: int) -> list[Line]:
        lines: list[Line] = []
        for path in self._files():
            with path.open("rb") as file:
                tail = deque(file, maxlen=limit)
                self._read_to[path] = (path.stat().st_ino, file.tell())
            lines += (self._line(path, raw) for raw in tail)
        return sorted(lines, key=lambda line: line.at)[-limit:]

    def new(self) -> Iterator[Line]:
        lines: list[Line] = []
        for path in self._files():
            inode, read_to = self._read_to.get(path, (0, 0))
            with path.open("rb") as file:
                now = path.stat().st_ino
                # Another file of this name: the one before was rotated.
                file.seek(read_to if now == inode else 0)
                data = file.read(_BLOCK)
                whole = data[: data.rfind(b"\n") + 1]
                self._read_to[path] = (now, file.tell() - len(data) + len(whole))
            lines += (self._line(path, raw) for raw in whole.splitlines())
        yield from sorted(lines, key=lambda line: line.at)

    def _line(self, path: Path, raw: bytes) -> Line:
        text = raw.decode(errors="replace").rstrip("\r\n")[:_MAX_LINE_CHARACTERS]
        at = text[:23]
        if at[:4].isdecimal() and at[4:5] == "-":
            self._at[path] = at
        return Line(path.stem, text, self._at.get(path, ""))

    def _files(self) -> list[Path]:
        return sorted(path for each in self._patterns for path in self.folder.glob(each))


def _patterns(which: str | None) -> list[str]:
    if which is None:
        return ["supervisor.log", "worker-*.log", "proxies.log"]
    number = whole_number(which)
    if number is not None:
        return [f"worker-{number}.log"]
    if which in ("supervisor", "proxies"):
        return [f"{which}.log"]
    raise InputError(
        f"no log is called {which!r}; name the number of a worker, supervisor or proxies"
    )
