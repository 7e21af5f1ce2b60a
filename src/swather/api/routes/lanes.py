"""Lanes over HTTP: how fast each site is scraped, pauses and cool-downs."""

from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Path, Query

from swather.api import answers_lanes as answers
from swather.api import lane_changes
from swather.api.answers import shown
from swather.api.parameters import Do, Limit, new_router
from swather.api.problems import Refused
from swather.api.served import TheStore
from swather.model.lane import PacedKind
from swather.model.task import MAX_NAME_BYTES
from swather.runs import breaker_words, lane_words
from swather.runs.lane_changes import FIELDS, wanted_on
from swather.runs.lane_facts import answers_in, breakers_of, data_of
from swather.runs.limit_words import LaneNote, notes_on, notes_on_name
from swather.runs.selection import lane_names
from swather.store import Store

router = new_router("lanes")


class _Named:
    """A lane or scraper that a request means."""

    def __init__(
        self,
        lane: Annotated[
            str,
            Path(
                min_length=1,
                max_length=MAX_NAME_BYTES,
                description="A lane, which is often a host; or a scraper, with kind=scraper.",
                examples=["example.com"],
            ),
        ],
        kind: Annotated[PacedKind, Query(description="What is named.")] = PacedKind.LANE,
    ) -> None:
        (self.name,) = lane_names([lane], scrapers=kind is PacedKind.SCRAPER)
        self.kind = kind

    @property
    def paced(self) -> lane_changes.Paced:
        return self.name, self.kind

    def notes(self, store: Store) -> list[LaneNote]:
        """To be asked before the lane is changed: what nobody has used is what may be mistyped."""
        return list(notes_on_name(store, self.name, self.kind))


Named = Annotated[_Named, Depends()]


@router.get("", response_model=list[answers.Lane])
def list_lanes(store: TheStore, limit: Limit = 100) -> Any:
    """Lanes and scrapers that are limited, held back or in use."""
    breakers, found = store.breakers.find(), answers_in(store)
    return shown([data_of(lane, breakers, found) for lane in store.lanes.find(limit=limit)])


@router.post("/{lane:path}/pause", response_model=answers.NotedLane)
def pause_lane(store: TheStore, do: Do, named: Named) -> Any:
    """Start nothing on a lane until it is unpaused; it need not have been used yet."""
    return _changed(store, named, lambda: lane_changes.pause_lane(do, named.paced))


@router.post("/{lane:path}/unpause", response_model=answers.NotedLane)
def unpause_lane(store: TheStore, do: Do, named: Named) -> Any:
    """End a pause or a cool-down, and close open breakers. Limits stay."""
    return _changed(store, named, lambda: lane_changes.unpause_lane(do, named.paced))


@router.post("/{lane:path}/cool", response_model=answers.NotedLane)
def cool_lane(store: TheStore, do: Do, named: Named, given: answers.Cool) -> Any:
    """Leave a lane alone for a while; a longer cool-down is not shortened."""
    return _changed(store, named, lambda: lane_changes.cool_lane(do, named.paced, given.seconds))


@router.post("/{lane:path}/clear", response_model=answers.NotedLane)
def clear_lane(store: TheStore, do: Do, named: Named) -> Any:
    """Forget limits set for a lane, pause, cool-down, strikes, learned pace and open breakers."""
    return _changed(store, named, lambda: lane_changes.clear_lane(do, named.paced))


@router.get("/{lane:path}", response_model=answers.LaneDetail)
def get_lane(store: TheStore, named: Named) -> Any:
    """One lane, and what holds it back."""
    now = datetime.now(UTC)
    found = store.lanes.get(named.name, named.kind)
    breakers = breakers_of(found, store.breakers.find())
    holds = list(lane_words.holds(found, url=store.url, now=now))
    holds += [breaker_words.describe(each, url=store.url, now=now) for each in breakers]
    notes = named.notes(store)
    known = data_of(found, breakers, answers_in(store))
    return shown({**known, "notes": notes, "reasons": holds})


@router.put("/{lane:path}", response_model=answers.NotedLane)
def limit_lane(store: TheStore, do: Do, named: Named, given: answers.Limits) -> Any:
    """Limit how fast a lane is scraped, over all runs and workers, within a second. `notes` say
    which other limits apply.
    """
    if given == answers.Limits():
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY, "nothing to set: name rate, in_flight or burst"
        )
    in_flight = None if given.in_flight is None else str(given.in_flight)

    def limit(own: Store) -> None:
        lane = own.lanes.get(named.name, named.kind)
        limits, overrides = wanted_on(
            lane, given.rate, in_flight, given.burst, given.override, naming=FIELDS
        )
        own.lanes.limit(named.name, limits, named.kind, overrides=overrides)

    detail = given.model_dump(exclude_none=True)
    verb = lane_changes.verb_of(named.paced, "set")
    changed = _changed(store, named, lambda: do.now(verb, named.name, limit, detail))
    found = store.lanes.get(named.name, named.kind)
    return {**changed, "notes": changed["notes"] + shown(list(notes_on(found, url=store.url)))}


def _changed(store: Store, named: _Named, change: Callable[[], None]) -> Any:
    notes = named.notes(store)
    change()
    found = store.lanes.get(named.name, named.kind)
    known = data_of(found, store.breakers.find(), answers_in(store))
    return shown({**known, "notes": notes})
