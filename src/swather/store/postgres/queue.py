"""The queue: claim, finish, checkpoint, permits; every write fenced by its token."""

import logging
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from swather.model.lease import Claimed, ClaimRequest, Permits
from swather.model.outcome import Completed, File, Item, Memory, Outcome, Standing, Verdict
from swather.model.pacing import Limits
from swather.model.payload import encode
from swather.model.source import SourceNote
from swather.model.task import Target
from swather.store.checks import check_permits
from swather.store.finish_rows import Prepared
from swather.store.finishing import Plan, prepare, prepare_results
from swather.store.ports import Fence, Finished
from swather.store.postgres.arrays import Bigints
from swather.store.postgres.ask import Attempt
from swather.store.postgres.claim import Claimer
from swather.store.postgres.connection import Connection
from swather.store.postgres.finish import Fences, Finisher, all_plain, complete, tell_returned
from swather.store.postgres.names import lane_id
from swather.store.postgres.permits import PermitRequest, Permitter
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries
from swather.store.source_rows import check_note

_log = logging.getLogger(__name__)


class PostgresQueue:
    """See swather.store.ports.Queue."""

    def __init__(
        self,
        connection: Connection,
        settings: PostgresSettings,
        claimer: Claimer,
        finisher: Finisher,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._claimer = claimer
        self._finisher = finisher
        self._permits = Permitter(connection)

    def claim(self, request: ClaimRequest) -> Claimed:
        with self._connection.turn():
            return self._claimer.claim(request)

    def finish(self, outcomes: Sequence[Outcome], claim: ClaimRequest | None = None) -> Finished:
        """The claim's first look is part of the transaction; more follow if needed."""
        if not outcomes:
            return Finished([], None if claim is None else self.claim(claim))
        prepared = []
        for outcome in outcomes:
            payload = prepare(outcome)
            if payload.children:
                children = self._finisher.add_children_ahead(outcome.fence, payload.children)
                payload = payload._replace(children=list(children))
            prepared.append(payload)

        with self._connection.turn():
            if all_plain(outcomes, prepared):
                return self._complete(outcomes, prepared, claim)
            return self._finish(outcomes, prepared, claim)

    def _complete(
        self,
        outcomes: Sequence[Completed],
        prepared: Sequence[Prepared],
        claim: ClaimRequest | None,
    ) -> Finished:
        """The fast path; what it does not accept takes the slow one."""

        def work() -> tuple[Fences, Attempt | None]:
            fences = complete(self._connection, outcomes, prepared)
            return fences, None if claim is None else self._claimer.attempt(claim)

        fences, attempt = self._connection.transact(work)
        accepted = set(fences())
        verdicts, left = [], []
        for place, outcome in enumerate(outcomes):
            if outcome.fence in accepted:
                accepted.remove(outcome.fence)
                verdicts.append(Verdict.ACCEPTED)
            else:
                verdicts.append(Verdict.STALE)
                left.append(place)
        if left:
            again = self._finish([outcomes[n] for n in left], [prepared[n] for n in left], None)
            for place, verdict in zip(left, again.verdicts, strict=True):
                verdicts[place] = verdict
        return Finished(verdicts, self._claimed(claim, attempt))

    def _finish(
        self,
        outcomes: Sequence[Outcome],
        prepared: Sequence[Prepared],
        claim: ClaimRequest | None,
    ) -> Finished:
        def work() -> tuple[list[Verdict], Plan, Attempt | None]:
            verdicts, plan = self._finisher.finish(outcomes, prepared)
            attempt = None if claim is None else self._claimer.attempt(claim)
            self._finisher.write_contended(plan)
            return verdicts, plan, attempt

        verdicts, plan, attempt = self._connection.transact(work)
        tell_returned(plan, self._claimer.returned)
        return Finished(verdicts, self._claimed(claim, attempt))

    def _claimed(self, claim: ClaimRequest | None, attempt: Attempt | None) -> Claimed | None:
        """The outcomes are committed by now: an error of the claim must not hide their verdicts."""
        if claim is None:
            return None
        try:
            return self._claimer.complete(claim, attempt)
        except Exception as error:  # noqa: BLE001 - the next claim raises it if it lasts
            _log.warning("%s: %s; claiming again", type(error).__name__, error)
            return None

    def progress(self, fence: Fence, progress: Any) -> Verdict:
        encoded = encode(progress, what="progress")
        row = self._connection.row(
            queries.save_progress,
            {"task_id": fence[0], "token": fence[1], "progress": encoded, "said": encoded[:500]},
            hot=True,
        )
        return Verdict.STALE if row is None else Verdict.ACCEPTED

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
        prepared = prepared._replace(children=list(rest))

        def work() -> Verdict:
            lease = self._finisher.held_lease(fence)
            if lease is None:
                return Verdict.STALE
            this = {"task_id": lease.task_id}
            if lease.replaces:
                self._finisher.drop_replaced(lease.task_id)
                self._connection.execute(queries.keep_lease, this, hot=True)
            plan = Plan(self._settings.event_level())
            plan.produce(lease, part, prepared)
            if sources and not self._finisher.is_committed(lease.task_id, part):
                plan.note(lease, sources)
            self._finisher.write(plan)
            self._connection.execute(
                queries.save_checkpoint,
                {**this, "run_id": lease.run_id, "part": part + 1, "cursor": encoded},
                hot=True,
            )
            self._finisher.write_contended(plan)
            return Verdict.ACCEPTED

        return self._connection.transact(work)

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
        number = lane_id(self._connection, lane)
        request = PermitRequest(fence, number, count, in_flight, gives_up, ahead_seconds, limits)
        return self._connection.transact(lambda: self._permits.give(request))

    def set_in_flight(self, worker_id: int, lane: str, n: int) -> None:
        check_permits(lane, 1, n)
        number = lane_id(self._connection, lane)
        self._connection.transact(lambda: self._permits.set_in_flight(worker_id, number, n))

    def standing(self, fences: Collection[Fence]) -> dict[Fence, Standing]:
        rows = self._connection.rows(
            queries.standing,
            {
                "tasks": Bigints(task_id for task_id, _ in fences),
                "tokens": Bigints(token for _, token in fences),
            },
            hot=True,
        )
        return {(row[0], row[1]): Standing(row[2]) for row in rows}
