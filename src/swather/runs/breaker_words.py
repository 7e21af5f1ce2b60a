"""An open circuit breaker in words: what it saw, and what that suggests."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from swather.model.lane import Breaker
from swather.runs.reason import Reason
from swather.runs.words import clock_time, command, count, duration, time_ahead

# Which part of what was seen makes a cause likely.
_MOST: Final = 0.6
_REFUSALS: Final = frozenset({"401", "403", "429", "451"})
_MAX_KINDS: Final = 4
# In place of a status; '' is from releases that did not tell the two apart.
_NO_ANSWER: Final = "no answer"
_UNSEEN: Final = frozenset({"no request", ""})


def describe(breaker: Breaker, *, url: str, now: datetime) -> Reason:
    where = f"on lane {breaker.lane}" if breaker.lane else "on targets without a lane"
    title = f"The breaker of {breaker.scraper} {where} has been open since"
    opened, next_probe = clock_time(breaker.opened_at, now), time_ahead(breaker.probe_at, now)
    errors = command("errors", breaker.scraper, url=url)
    closing = (
        ("lanes", "unpause", breaker.lane)
        if breaker.lane
        else ("unpause", "--scraper", breaker.scraper)
    )
    return Reason(
        code="breaker_open",
        text=(
            f"{title} {opened}: {_evidence(breaker.seen)}.\n"
            f"One target is tried every {duration(breaker.probe_seconds)}, the next at "
            f"{next_probe}. If it succeeds, the breaker closes.{_probes(breaker.seen)}\n"
            f"{suggestion(breaker.seen)} To see the errors: {errors}."
        ),
        brief=f"{title} {opened}; next try at {next_probe}. {suggestion(breaker.seen)}",
        stops=True,
        change="To close it now",
        command=command(*closing, url=url),
        mentions=(errors,),
        values={
            "scraper": breaker.scraper,
            "lane": breaker.lane,
            "opened_at": breaker.opened_at,
            "probe_at": breaker.probe_at,
            "probe_seconds": breaker.probe_seconds,
            "seen": breaker.seen,
        },
    )


def suggestion(seen: Mapping[str, Any]) -> str:
    """Whether the site is down, bans us, or sends pages that the scraper cannot read. What our own
    requests did not see is not said of the site.
    """
    statuses, classes = _counts(seen, "statuses"), _counts(seen, "classes")
    if _share(statuses, lambda status: status == _NO_ANSWER or status.startswith("5")) >= _MOST:
        silent = _share(statuses, _NO_ANSWER.__eq__) >= _MOST
        return "The site looks down" + (": it does not answer." if silent else " or overloaded.")
    refused = _share(statuses, _REFUSALS.__contains__) >= _MOST
    if refused or _share(classes, lambda name: name == "blocked") >= _MOST:
        return "The site seems to have banned us, or finds us too fast."
    if _share(classes, lambda name: name == "crash") >= _MOST:
        return "The scraper's process crashes: look for a bug, or for memory running out."
    if _share(statuses, _UNSEEN.__contains__) >= _MOST:
        return _unseen(seen)
    return _answered(statuses, classes)


def _answered(statuses: Mapping[str, int], classes: Mapping[str, int]) -> str:
    if _share(classes, lambda name: name == "timeout") >= _MOST:
        return "The site answers, but the scraper does not finish in time."
    if _share(statuses, lambda status: status[:1] in {"2", "3"}) >= _MOST:
        return (
            "The site answers normally, so the scraper looks broken: its code has a bug, or the "
            "pages have changed."
        )
    return "No single cause stands out."


def _unseen(seen: Mapping[str, Any]) -> str:
    said = (
        "Swather saw no answer from the site: the scraper failed before its first request, or "
        "uses an HTTP client of its own."
    )
    error = str(seen.get("error") or "").rstrip(".")
    return f"{said} Look at the exception: {error}." if error else said


def _evidence(seen: Mapping[str, Any]) -> str:
    said = f"{seen.get('failed', '?')} of the last {seen.get('of', '?')} attempts failed"
    mixes = [
        _mix(_counts(seen, "statuses"), "no answer seen", "HTTP "),
        _mix(_counts(seen, "classes"), "unknown"),
    ]
    if mixes := [mix for mix in mixes if mix]:
        said += f" ({'; '.join(mixes)})"
    if error := seen.get("error"):
        said += f", most often with: {str(error).rstrip('.')}"
    return said


def _mix(counts: Mapping[str, int], nameless: str, prefix: str = "") -> str:
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    shown = [
        f"{(prefix if name.isdecimal() else '') + name or nameless}: {number:,}"
        for name, number in ordered[:_MAX_KINDS]
    ]
    return ", ".join(shown + ["…"] * (len(ordered) > _MAX_KINDS))


def _probes(seen: Mapping[str, Any]) -> str:
    probes, last = seen.get("probes"), seen.get("last_probe")
    if not isinstance(probes, int) or not isinstance(last, dict):
        return ""
    how = " ".join(
        filter(None, (f"HTTP {last['status']}" if last.get("status") else "", last.get("class")))
    )
    return f" {count(probes, 'try', 'tries')} failed so far, the last with {how or 'no answer'}."


def _counts(seen: Mapping[str, Any], name: str) -> dict[str, int]:
    found = seen.get(name)
    if not isinstance(found, dict):
        return {}
    return {str(key): number for key, number in found.items() if isinstance(number, int)}


def _share(counts: Mapping[str, int], is_one: Callable[[str], bool]) -> float:
    total = sum(counts.values())
    return sum(number for key, number in counts.items() if is_one(key)) / total if total else 0.0
