"""Runs: one execution of a scraper over a set of targets, and the loads that bring these."""

import secrets
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.file_location import SCHEME, Location, read_location
from swather.model.lease import Strategy
from swather.model.pacing import NO_LIMITS, Limits
from swather.model.rejection import REJECTED_PREFIX, shown_reasons
from swather.model.task import check_file_name

# The member of a run's params that Swather keeps for itself; scrapers never see it.
RESERVED_PARAM: Final = "_swather"


class RunState(StrEnum):
    """Whether a run still has, or may still get, work."""

    OPEN = "open"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class NewRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run to create. `lane_limits` apply to each lane its targets are on. It never has
    more than `task_limit` tasks: further targets, loaded or followed, are dropped and counted.
    One that is to `keep_open` is not finished when its tasks are.
    """

    scraper: str
    name: str | None = None
    params: dict[str, Any] = {}
    version: str = ""
    strategy: Strategy = Strategy.FIFO
    lane_limits: Limits = NO_LIMITS
    task_limit: int | None = None
    keep_open: bool = False


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands. `times_finished` grows by one each time it comes to its end. The
    `lane_limits` hold for each of its `egresses`.

    Its name and its scraper's are in paths of files, and a database may hold anything: one that
    leads elsewhere is refused here, wherever it is read.
    """

    id: int
    name: str
    scraper: str
    params: dict[str, Any]
    version: str
    strategy: Strategy
    lane_limits: Limits
    state: RunState
    paused: bool
    load_incomplete: bool
    times_finished: int
    created_at: datetime
    finished_at: datetime | None
    task_limit: int | None = None
    egresses: int = 1
    keep_open: bool = False

    def __post_init__(self) -> None:
        check_file_name("the database holds a run whose name", self.name)
        check_file_name("the database holds a run whose scraper", self.scraper)

    @property
    def total_limits(self) -> Limits:
        """What its lanes are held to, over all egresses."""
        one = self.lane_limits
        return msgspec.structs.replace(
            one,
            every_seconds=one.every_seconds / self.egresses,
            in_flight=None if one.in_flight is None else one.in_flight * self.egresses,
        )

    @property
    def scraper_spec(self) -> str:
        """Where the scraper came from when the run began: books.py:books, package.module:books. For
        people to read; it is never loaded.
        """
        return str(self.params.get(RESERVED_PARAM, {}).get("scraper") or self.scraper)

    @property
    def files_folder(self) -> Location | None:
        """The folder for its files that the command named which began or resumed it."""
        folder = self.params.get(RESERVED_PARAM, {}).get("files_folder")
        if not isinstance(folder, str) or not folder.startswith(("/", SCHEME)) or "\0" in folder:
            return None
        try:
            return read_location(folder)
        except ValueError:
            return None

    @property
    def egress(self) -> dict[str, Any]:
        """How its requests leave, as noted when it was begun or resumed; empty if directly."""
        noted = self.params.get(RESERVED_PARAM, {}).get("egress")
        return noted if isinstance(noted, dict) else {}

    @property
    def scraper_settings(self) -> dict[str, Any]:
        """The settings of its scraper where it was begun or resumed."""
        noted = self.params.get(RESERVED_PARAM, {}).get("settings")
        return noted if isinstance(noted, dict) else {}

    @property
    def scraper_code(self) -> str:
        """The code version of its scraper where it was begun or resumed; '' if it is not known."""
        return str(self.params.get(RESERVED_PARAM, {}).get("code") or "")

    @property
    def scraper_params(self) -> dict[str, Any]:
        """What the scraper is given as its params."""
        return {name: value for name, value in self.params.items() if name != RESERVED_PARAM}


def with_reserved(params: dict[str, Any], reserved: dict[str, Any]) -> dict[str, Any]:
    """Params with these members merged into what Swather keeps for itself."""
    return {**params, RESERVED_PARAM: {**params.get(RESERVED_PARAM, {}), **reserved}}


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How many tasks of a run are in each state, and what they have produced. `over_limit`: targets
    that were dropped because the run had its limit of tasks; `outdated`: items of targets that
    failed when they were tried again, which are not among `items`; `dropped`: items that hooks of
    the scraper dropped; `skipped`: targets that the scraper left out on purpose (`ctx.skip`);
    `postponed`: how often scrapers asked for another time; `duplicates`: items that were left out
    because one with the same key was there; `rejected`: rows that scrapers left out (`ctx.reject`),
    by reason.
    """

    scheduled: int = 0
    ready: int = 0
    leased: int = 0
    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    items: int = 0
    outdated: int = 0
    files: int = 0
    retries: int = 0
    stale: int = 0
    over_limit: int = 0
    dropped: int = 0
    skipped: int = 0
    postponed: int = 0
    duplicates: int = 0
    reasons: dict[str, int] = {}
    rejected: dict[str, int] = {}

    @property
    def waiting(self) -> int:
        return self.scheduled + self.ready

    @property
    def unfinished(self) -> int:
        return self.waiting + self.leased

    @property
    def done(self) -> int:
        return self.completed + self.failed + self.cancelled

    @property
    def total(self) -> int:
        return self.unfinished + self.done


REASON_PREFIX: Final = "reason:"
DUPLICATES: Final = "duplicates"


def counts_from(sums: dict[str, int]) -> Counts:
    """Counts from the summed counter rows."""
    plain = {name: n for name, n in sums.items() if name in Counts.__struct_fields__}
    return Counts(
        **plain,
        reasons=_below(REASON_PREFIX, sums),
        rejected=dict(shown_reasons(_below(REJECTED_PREFIX, sums))),
    )


def _below(prefix: str, sums: dict[str, int]) -> dict[str, int]:
    return {
        name.removeprefix(prefix): n for name, n in sums.items() if name.startswith(prefix) and n
    }


def run_name(scraper: str, at: datetime) -> str:
    """'20260215_120000-books': readable, sortable; made unique by the store where needed."""
    return f"{at:%Y%m%d_%H%M%S}-{scraper}"


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """`source` is the same for two commands that name the same targets, `content` for as long as
    these are unchanged. `name` is for people to read.

    Loading the same source again replaces an earlier load of it; loading the same content again
    cannot make a complete load incomplete.
    """

    source: str
    content: str
    name: str


def unrepeatable(source: str, name: str) -> Load:
    """A load whose targets can be read only once: a pipe, a generator."""
    return Load(source=source, content=secrets.token_hex(8), name=name)
