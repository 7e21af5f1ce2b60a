"""What is known about a lane, for programs and for people."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from swather.model.history_details import LaneAnswers
from swather.model.lane import Breaker, Lane, PacedKind
from swather.runs.lane_words import pace_of
from swather.runs.limit_words import rate_of
from swather.runs.words import share, time_ahead
from swather.store import Store

# How far back answers are counted.
ANSWERS_SECONDS: Final = 3_600.0
AnswersByLane = Mapping[str, LaneAnswers]


def data_of(lane: Lane, breakers: Iterable[Breaker], answers: AnswersByLane) -> dict[str, Any]:
    limits, in_force = lane.limits, lane.in_force
    return {
        str(lane.kind): lane.name,
        "kind": str(lane.kind),
        "rate": rate_of(limits),
        "burst": limits.burst,
        "max_in_flight": limits.in_flight,
        "in_flight": lane.in_flight,
        "every_seconds": in_force.every_seconds or None,
        "crawl_delay_seconds": lane.crawl_delay_seconds,
        "learned_every_seconds": lane.learned_every_seconds,
        "overrides": lane.overrides,
        "runs_rate": rate_of(lane.run_limits),
        "runs_max_in_flight": lane.run_limits.in_flight,
        "slowest_run": lane.slowest_run or None,
        "paused": lane.paused,
        "cool_until": lane.cool_until,
        "cool_reason": lane.cool_reason or None,
        "strikes": lane.strikes,
        "breakers": [msgspec.to_builtins(breaker) for breaker in breakers_of(lane, breakers)],
        "last_hour": _last_hour(last_answers_of(lane, answers)),
    }


def answers_in(store: Store) -> AnswersByLane:
    return store.history.lane_answers(seconds=ANSWERS_SECONDS)


def last_answers_of(lane: Lane, answers: AnswersByLane) -> LaneAnswers | None:
    """Scrapers have none: what they ask for is counted on its lane."""
    return answers.get(lane.name) if lane.kind is PacedKind.LANE else None


def share_429_in_words(answers: LaneAnswers | None) -> str | None:
    """'about 12.5%'; None if nothing is known."""
    if answers is None:
        return None
    return f"{'about ' if answers.is_about else ''}{share(answers.share)}"


def _last_hour(answers: LaneAnswers | None) -> dict[str, Any] | None:
    if answers is None:
        return None
    return {
        "answers": answers.answers,
        "too_many_requests": answers.too_many,
        "share_429": answers.share,
        "is_about": answers.is_about,
    }


def breakers_of(lane: Lane, breakers: Iterable[Breaker]) -> list[Breaker]:
    if lane.kind is PacedKind.SCRAPER:
        return [breaker for breaker in breakers if breaker.scraper == lane.name]
    return [breaker for breaker in breakers if breaker.lane == lane.name]


def row_of(lane: Lane, breakers: Iterable[Breaker], now: datetime) -> tuple[Any, ...]:
    """Name, kind, rate, in flight, state."""
    most = lane.in_force.in_flight
    in_flight = str(lane.in_flight)
    if most is not None:
        # More than the limit only after it was lowered, until they have ended.
        over = lane.in_flight > most
        in_flight = f"{lane.in_flight} (limit {most})" if over else f"{lane.in_flight} of {most}"
    return lane.name, str(lane.kind), pace_of(lane), in_flight, state_of(lane, breakers, now)


def state_of(lane: Lane, breakers: Iterable[Breaker], now: datetime) -> str:
    states = ["paused"] if lane.paused else []
    if lane.cool_until is not None and lane.cool_until > now:
        after = f" after {lane.cool_reason}" if lane.cool_reason else ""
        states.append(f"cooling until {time_ahead(lane.cool_until, now)}{after}")
    if lane.kind is PacedKind.LANE:
        opened = [breaker.scraper for breaker in breakers_of(lane, breakers)]
        states += [f"breaker open for {', '.join(opened)}"] if opened else []
    return "; ".join(states) or "open"


def facts_of(data: dict[str, Any]) -> list[tuple[str, Any]]:
    """What `lanes show` says of a lane, from its data."""
    most = data["max_in_flight"]
    facts: list[tuple[str, Any]] = [
        (data["kind"], data[data["kind"]]),
        ("rate", data["rate"]),
        ("override", "yes" if data["overrides"] else None),
        ("burst", data["burst"] if data["rate"] else None),
        ("in flight", data["in_flight"] if most is None else f"{data['in_flight']} of {most}"),
        ("strikes", data["strikes"]),
    ]
    if data["kind"] == "lane":
        answers = data["last_hour"]
        facts.append(("share of 429", None if answers is None else _share_of(answers)))
        facts += [
            ("runs ask for", _asked(data)),
            ("crawl delay", _seconds(data["crawl_delay_seconds"])),
            ("learned pace", _seconds(data["learned_every_seconds"])),
        ]
    return facts


def _share_of(answers: dict[str, Any]) -> str:
    """'about 12.5% of 80 answers in the last hour'."""
    about = "about " if answers["is_about"] else ""
    total = f"{answers['answers']:,} answers in the last hour"
    return f"{about}{share(answers['share_429'])} of {total}"


def _asked(data: dict[str, Any]) -> str | None:
    """'5/s, at most 8 in flight'."""
    said = [data["runs_rate"]] if data["runs_rate"] else []
    if data["runs_max_in_flight"] is not None:
        said.append(f"at most {data['runs_max_in_flight']} in flight")
    return ", ".join(said) or None


def _seconds(every: float | None) -> str | None:
    return None if every is None else f"one every {every:g} s"
