"""Notices: notifications of what happened. A hook is what is done about them."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.model.duration import duration

# How long a notice is worth telling, and how often that is tried.
FRESH_SECONDS: Final = 86_400.0
MAX_ATTEMPTS: Final = 32
# A site that breaks does not fill the table: notices of open breakers per scraper and hour.
MAX_BREAKERS_PER_HOUR: Final = 20
_FIRST_RETRY_SECONDS: Final = 10.0
_LONGEST_RETRY_SECONDS: Final = 3_600.0


class NoticeKind(StrEnum):
    RUN_ENDED = "run_ended"
    BREAKER_OPEN = "breaker_open"
    NO_PROGRESS = "no_progress"
    SCHEDULE_FAILED = "schedule_failed"


TROUBLE: Final = frozenset(NoticeKind) - {NoticeKind.RUN_ENDED}


class NewNotice(msgspec.Struct, frozen=True, kw_only=True):
    """`key` is the same for two notices of the same thing: only the first is kept."""

    kind: NoticeKind
    key: str
    scraper: str
    run: str | None = None
    data: dict[str, Any] = {}


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """`uid` is unique over all databases; a receiver knows by it what it has been told already."""

    id: int
    uid: str
    kind: NoticeKind
    at: datetime
    scraper: str
    run: str | None
    data: dict[str, Any]

    @property
    def text(self) -> str:
        """In a sentence."""
        match self.kind:
            case NoticeKind.RUN_ENDED:
                return _ended(self.run, self.data)
            case NoticeKind.BREAKER_OPEN:
                return _opened(self.scraper, self.data)
            case NoticeKind.NO_PROGRESS:
                unfinished = self.data.get("unfinished")
                since = duration(float(self.data.get("seconds", 0)))
                return f"run {self.run}: no target has ended for {since}, {unfinished} are left"
            case NoticeKind.SCHEDULE_FAILED:
                return f"schedule {self.data.get('schedule')} failed: {self.data.get('reason')}"


def _opened(scraper: str, data: dict[str, Any]) -> str:
    seen = data.get("seen", {})
    error = f" ({seen['error']})" if seen.get("error") else ""
    if source := data.get("source"):
        return (
            f"{scraper}: source {source} has failed {seen.get('failed')} times in a row{error}; it "
            "is skipped, but for single probes, until one succeeds"
        )
    lane = data.get("lane") or "targets without a lane"
    return (
        f"{scraper} on {lane}: {seen.get('failed')} of the last {seen.get('of')} attempts failed"
        f"{error}; only single probes go out until one succeeds"
    )


def _ended(run: str | None, data: dict[str, Any]) -> str:
    verb = "was cancelled" if data.get("state") == "cancelled" else "finished"
    told = [f"{data.get('completed', 0):,} completed", f"{data.get('failed', 0):,} failed"]
    if data.get("cancelled"):
        told.append(f"{data['cancelled']:,} cancelled")
    partly = ", but not all of its targets were loaded" if data.get("load_incomplete") else ""
    return f"run {run} {verb}: {', '.join(told)}{partly}"


class DeliveryState(StrEnum):
    """`sending`: a process tries now. `waiting`: for the next attempt. `failed`: given up."""

    SENDING = "sending"
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """The notices that a hook wants: of some scrapers, or of all but these. `key` identifies the
    hook without its address or command; `words` name it for people.
    """

    key: str
    words: str
    kinds: frozenset[NoticeKind]
    scrapers: frozenset[str] = frozenset()
    all_others: bool = True


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A notice on its way to a hook. `attempts` counts this one."""

    notice: Notice
    hook: str
    words: str
    state: DeliveryState
    attempts: int
    due_at: datetime
    error: str


def retry_seconds(attempts: int) -> float | None:
    """How long to wait after so many attempts have failed; None to give up, after about a day."""
    if attempts >= MAX_ATTEMPTS:
        return None
    return min(_FIRST_RETRY_SECONDS * 2.0 ** (attempts - 1), _LONGEST_RETRY_SECONDS)
