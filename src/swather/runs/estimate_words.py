"""An estimate as people read it: how long, whether that is only the least, and what decides it."""

from swather.model.estimate import Decides, Estimate
from swather.model.lane import PacedKind
from swather.runs.words import count, duration, estimate, rate


def estimate_words(found: Estimate) -> str:
    """'~2h 15m, limited by lane shop.example at 5/s'."""
    if found.decides is Decides.NOTHING:
        return "nothing waits"
    if found.seconds is None:
        return f"unknown: {_held(found)}"
    least = "at least " if found.is_least else ""
    return f"{least}{estimate(found.seconds)}{_limited(found)}"


def _held(found: Estimate) -> str:
    match found.decides:
        case Decides.PAUSED:
            return f"{_title(found)} is paused"
        case Decides.BREAKER:
            return f"nearly everything has failed on {_title(found)}, and its breaker is open"
        case Decides.PROXIES:
            return f"no proxy can be used for {_title(found)}"
        case _:
            return "no target has been scraped yet, and no rate is set"


def _limited(found: Estimate) -> str:
    by = ""
    match found.decides:
        case Decides.RATE:
            by = f"{_title(found)} at {rate(found.value)}"
        case Decides.IN_FLIGHT:
            by = f"{_title(found)} with {int(found.value)} in flight"
        case Decides.COOLING:
            by = f"{_title(found)}, which cools down for {duration(found.value)}"
        case Decides.SLOTS:
            by = count(int(found.value), "slot")
        case Decides.WORKER:
            owned = count(int(found.value), "target")
            by = f"worker {found.name}, whose partitions have {owned}"
        case Decides.RETRY:
            by = "the last task that waits to retry"
    return f", limited by {by}" if by else ""


def _title(found: Estimate) -> str:
    kind = "scraper" if found.kind is PacedKind.SCRAPER else "lane"
    return f"{kind} {found.name}"
