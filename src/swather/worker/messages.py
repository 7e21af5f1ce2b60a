"""What the engine is told. Messages about sites are in access/sites.py."""

from collections.abc import Collection, Sequence

from swather.model.outcome import Outcome
from swather.store.ports import Fence
from swather.worker.attempt import Attempt, Ending
from swather.worker.mailbox import Message


class AttemptEnded(Message, frozen=True):
    """An attempt has returned, raised, died or was abandoned."""

    attempt: Attempt
    ending: Ending


class SlotRested(Message, frozen=True):
    """The delay after a target is over: its slot is free."""


class LeasesLost(Message, frozen=True):
    """These leases are no longer this worker's."""

    fences: Collection[Fence]


class RetryOutcomes(Message, frozen=True):
    """The database may have recovered: hand these over again."""

    outcomes: Sequence[Outcome]


class RunLoaded(Message, frozen=True):
    """A run was read, or could not be."""

    run_id: int
    error: Exception | None


class RunsSettled(Message, frozen=True):
    """Which known runs are over, and why nothing is left for this worker; '' if something is."""

    ended: Collection[int] = ()
    reason: str = ""


class LanesShut(Message, frozen=True):
    """These lanes are paused or cooling, and not just for a moment."""

    lanes: Collection[str]


class SettingsRead(Message, frozen=True):
    """What the settings row says of a worker."""

    logs_starts: bool


class PartitionsTried(Message, frozen=True):
    """Partitions that nobody serves were looked for; whether one was taken."""

    taken: bool = False


class ChildrenAdded(Message, frozen=True):
    """A checkpoint has added tasks that other workers may take."""


class Hinted(Message, frozen=True):
    """There may be new work."""


class ControlChanged(Message, frozen=True):
    """Somebody has changed a limit, a pause or a setting, or the database is back."""


class Hopeless(Message, frozen=True):
    """The database cannot be used any more."""

    error: Exception


class Ticked(Message, frozen=True):
    """Some time has passed."""


class TurnDue(Message, frozen=True):
    """The moment has come to claim or to commit."""


class Stop(Message, frozen=True):
    """Claim nothing more; with `now`, cut what runs."""

    now: bool


class GraceOver(Message, frozen=True):
    """What still runs after a stop is cut."""


class EndNow(Message, frozen=True):
    """What could not be committed by now goes back with the worker's row."""


class Resize(Message, frozen=True):
    """Run so many targets at a time."""

    concurrency: int
