"""The queue: claim, finish, checkpoint, permits; every write fenced by its token."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from swather.model.lease import Claimed, ClaimRequest, Permits
from swather.model.outcome import File, Item, Memory, Outcome, Standing, Verdict
from swather.model.pacing import Limits
from swather.model.payload import encode
from swather.model.source import SourceNote
from swather.model.task import EventKind, Target
from swather.store.checks import check_permits
from swather.store.finishing import Plan, prepare, prepare_results
from swather.store.ports import Fence, Finished
from swather.store.source_rows import check_note
from swather.store.sqlite.claim import Claimer
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.finish import MAX_CHILDREN, Finisher
from swather.store.sqlite.names import lane_id
from swather.store.sqlite.permits import PermitRequest, Permitter
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries


class SQLiteQueue:
    """See swather.store.ports.Queue."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._claimer = Claimer(connection, settings)
        self._finisher = Finisher(connection, settings)
        self._permitter = Permitter(connection)

    def claim(self, request: ClaimRequest) -> Claimed:
        with self._connection.transaction():
            return self._claimer.claim(request)

    def finish(self, outcomes: Sequence[Outcome], claim: ClaimRequest | None = None) -> Finished:
        prepared = []
        for outcome in outcomes:
            payload = prepare(outcome)
            if len(payload.children) > MAX_CHILDREN:
                rest = self._finisher.add_children_ahead(outcome.fence, payload.children)
                payload = payload._replace(children=list(rest))
            prepared.append(payload)
        with self._connection.transaction():
            verdicts = self._finisher.finish(outcomes, prepared) if outcomes else []
            claimed = self._claimer.claim(claim) if claim is not None else None
            return Finished(verdicts, claimed)

    def progress(self, fence: Fence, progress: Any) -> Verdict:
        encoded = encode(progress, what="progress")
        with self._connection.transaction():
            lease = self._finisher.held_lease(fence)
            if lease is None:
                return Verdict.STALE
            self._connection.execute(
                queries.save_progress,
                {"task_id": fence[0], "token": fence[1], "progress": encoded},
            )
            plan = Plan(self._settings.event_level)
            plan.log(EventKind.PROGRESS, lease, encoded[:500])
            self._finisher.write(plan)
            return Verdict.ACCEPTED

    def checkpoint(
        self,
        fence: Fence,
        *,
        part: int,
        cursor: Any,
        items: Sequence[Item] = (),
        children: Sequence[Target] = (),
        files: Sequence[File] = (),
        memories: Sequence[Memory] = (),
        sources: Sequence[SourceNote] = (),
        rejected: Mapping[str, int] = MappingProxyType({}),
    ) -> Verdict:
        for note in sources:
            check_note(note)
        encoded = encode(cursor, what="cursor")
        prepared = prepare_results(items, children, files, memories, rejected)
        rest = self._finisher.add_children_ahead(fence, prepared.children)
        with self._connection.transaction():
            lease = self._finisher.held_lease(fence)
            if lease is None:
                return Verdict.STALE
            plan = Plan(self._settings.event_level)
            if lease.replaces:
                self._finisher.drop_replaced([lease.task_id], plan)
                self._connection.execute(queries.keep_lease, (lease.task_id,))
            plan.produce(lease, part, prepared._replace(children=list(rest)))
            if sources and not self._finisher.is_committed(lease.task_id, part):
                plan.note(lease, sources)
            self._finisher.write(plan)
            self._connection.execute(
                queries.save_checkpoint,
                {
                    "task_id": lease.task_id,
                    "run_id": lease.run_id,
                    "part": part + 1,
                    "cursor": encoded,
                    "now": self._connection.clock.wall(),
                },
            )
            return Verdict.ACCEPTED

    def permits(
        self,
        fence: Fence,
        lane: str,
        count: int = 1,
        *,
        in_flight: int | None = None,
        gives_up: bool = False,
        ahead_seconds: float = 0.0,
        limits: Limits | None = None,
    ) -> Permits:
        check_permits(lane, count, in_flight, ahead_seconds)
        with self._connection.transaction():
            lease = self._finisher.held_lease(fence)
            if lease is None:
                return Permits(0)
            number = lane_id(self._connection, lane)
            request = PermitRequest(
                lease, number, count, in_flight, gives_up, ahead_seconds, limits
            )
            return self._permitter.give(request)

    def set_in_flight(self, worker_id: int, lane: str, n: int) -> None:
        check_permits(lane, 1, n)
        with self._connection.transaction():
            self._permitter.set_in_flight(worker_id, lane_id(self._connection, lane), n)

    def standing(self, fences: Collection[Fence]) -> dict[Fence, Standing]:
        found = {}
        with self._connection.reading():
            for fence in fences:
                answer = self._connection.value(
                    queries.standing, {"task_id": fence[0], "token": fence[1]}
                )
                found[fence] = Standing(answer)
        return found
