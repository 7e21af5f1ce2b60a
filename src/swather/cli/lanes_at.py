"""Where `swather lanes …` looks and changes: in a database, or through a server."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

import msgspec

from swather.api.client import Client
from swather.cli import database
from swather.cli.remote import client_of, notes_of, reasons_of
from swather.errors import InputError
from swather.model.history_details import LaneAnswers
from swather.model.lane import Breaker, Lane, PacedKind
from swather.model.pacing import Limits, parse_rate
from swather.runs import breaker_words, lane_words
from swather.runs.lane_changes import wanted_on
from swather.runs.lane_facts import AnswersByLane, answers_in, breakers_of, data_of
from swather.runs.limit_words import notes_on, notes_on_name
from swather.runs.reason import Reason
from swather.store import Store


class Found(NamedTuple):
    lanes: list[Lane]
    breakers: list[Breaker]
    answers: AnswersByLane

    def data(self) -> list[dict[str, Any]]:
        return [data_of(lane, self.breakers, self.answers) for lane in self.lanes]


class Asked(NamedTuple):
    """What `lanes set` was given; None: as it is."""

    rate: str | None
    in_flight: str | None
    burst: int | None
    override: bool | None


class Lanes(Protocol):
    def find(self, limit: int) -> Found: ...
    def show(self, name: str, kind: PacedKind) -> tuple[Found, list[Reason]]: ...
    def limit(self, names: list[str], kind: PacedKind, asked: Asked) -> tuple[Found, list[str]]: ...
    def cool(
        self, names: list[str], kind: PacedKind, seconds: float, *, dry_run: bool
    ) -> list[Lane]: ...
    def clear(self, names: list[str], kind: PacedKind, *, dry_run: bool) -> None: ...


@contextmanager
def lanes_at(db: str | None, server: str | None) -> Iterator[Lanes]:
    if server is not None:
        yield _There(client_of(server))
        return
    with database.opened(db) as store:
        yield _Here(store)


class _Here:
    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, limit: int) -> Found:
        return self._found(self._store.lanes.find(limit=limit))

    def show(self, name: str, kind: PacedKind) -> tuple[Found, list[Reason]]:
        self._note_typos([name], kind)
        found = self._store.lanes.get(name, kind)
        breakers = breakers_of(found, self._store.breakers.find())
        now, url = datetime.now(UTC), self._store.url
        holds = list(lane_words.holds(found, url=url, now=now))
        holds += [breaker_words.describe(each, url=url, now=now) for each in breakers]
        return self._found([found]), holds

    def limit(self, names: list[str], kind: PacedKind, asked: Asked) -> tuple[Found, list[str]]:
        lanes = self._store.lanes
        wanted = {name: wanted_on(lanes.get(name, kind), *asked) for name in names}
        self._note_typos(names, kind)
        for name, (limits, overrides) in wanted.items():
            lanes.limit(name, limits, kind, overrides=overrides)
        self._store.hints.send()
        found = [lanes.get(name, kind) for name in names]
        url = self._store.url
        notes = [note.in_words for lane in found for note in notes_on(lane, url=url)]
        return self._found(found), notes

    def cool(
        self, names: list[str], kind: PacedKind, seconds: float, *, dry_run: bool
    ) -> list[Lane]:
        self._note_typos(names, kind)
        if not dry_run:
            for name in names:
                self._store.lanes.cool(name, seconds, kind=kind)
            self._store.hints.send()
        return [self._store.lanes.get(name, kind) for name in names]

    def clear(self, names: list[str], kind: PacedKind, *, dry_run: bool) -> None:
        self._note_typos(names, kind)
        if not dry_run:
            for name in names:
                self._store.lanes.clear(name, kind)
            self._store.hints.send()

    def _found(self, lanes: list[Lane]) -> Found:
        return Found(lanes, self._store.breakers.find(), answers_in(self._store))

    def _note_typos(self, names: list[str], kind: PacedKind) -> None:
        for name in names:
            _tell(note.in_words for note in notes_on_name(self._store, name, kind))


class _There:
    def __init__(self, client: Client) -> None:
        self._client = client

    def find(self, limit: int) -> Found:
        return _found(self._client.lanes.list(limit=limit))

    def show(self, name: str, kind: PacedKind) -> tuple[Found, list[Reason]]:
        data = self._client.lanes.get(name, kind=kind)
        _tell(self._notes_of(data))
        return _found([data]), reasons_of(data["reasons"], self._client.url)

    def limit(self, names: list[str], kind: PacedKind, asked: Asked) -> tuple[Found, list[str]]:
        limits = asked._asdict()
        lanes = self._client.lanes
        rows = [lanes.limit(name, kind=kind, **limits) for name in names]
        return _found(rows), [note for row in rows for note in self._notes_of(row)]

    def cool(
        self, names: list[str], kind: PacedKind, seconds: float, *, dry_run: bool
    ) -> list[Lane]:
        _refuse(dry_run=dry_run)
        rows = [self._client.lanes.cool(name, seconds, kind=kind) for name in names]
        _tell(note for row in rows for note in self._notes_of(row))
        return _found(rows).lanes

    def clear(self, names: list[str], kind: PacedKind, *, dry_run: bool) -> None:
        _refuse(dry_run=dry_run)
        for name in names:
            _tell(self._notes_of(self._client.lanes.clear(name, kind=kind)))

    def _notes_of(self, row: dict[str, Any]) -> list[str]:
        return notes_of(row["notes"], self._client.url)


def _tell(notes: Iterable[str]) -> None:
    for note in notes:
        print(note, file=sys.stderr)


def _refuse(*, dry_run: bool) -> None:
    if dry_run:
        raise InputError("--dry-run looks into a database: leave --server out")


def _found(rows: list[dict[str, Any]]) -> Found:
    breakers = {(each["scraper"], each["lane"]): each for row in rows for each in row["breakers"]}
    answers = {row["lane"]: _answers(row["last_hour"]) for row in rows if row.get("last_hour")}
    opened = msgspec.convert(list(breakers.values()), list[Breaker])
    return Found([_lane(row) for row in rows], opened, answers)


def _answers(data: dict[str, Any]) -> LaneAnswers:
    return LaneAnswers(
        answers=data["answers"], too_many=data["too_many_requests"], is_about=data["is_about"]
    )


def _lane(data: dict[str, Any]) -> Lane:
    """What its data says; rates have gone through words."""
    texts = {name: data[name] or "" for name in ("cool_reason", "slowest_run")}
    same = ("kind", "paused", "cool_until", "in_flight", "strikes", "overrides")
    slow = ("learned_every_seconds", "crawl_delay_seconds")
    given = {
        "name": data[data["kind"]],
        "limits": _limits(data["rate"], data["max_in_flight"], data["burst"]),
        "run_limits": _limits(data["runs_rate"], data["runs_max_in_flight"]),
        **{name: data[name] for name in (*same, *slow)},
        **texts,
    }
    return msgspec.convert(given, Lane)


def _limits(rate: str | None, in_flight: int | None, burst: int = 1) -> Limits:
    return Limits(every_seconds=parse_rate(rate) if rate else 0.0, in_flight=in_flight, burst=burst)
