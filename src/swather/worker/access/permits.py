"""Permits from the store, as the loop asks for them."""

import asyncio
from collections.abc import Awaitable

from swather.model.lease import Permits
from swather.model.pacing import MAX_AHEAD_SECONDS
from swather.store.writer import Writer
from swather.worker.access.requester import Requester
from swather.worker.leases import Registration


class StorePermits:
    def __init__(self, writer: Writer, registration: Registration) -> None:
        self._writer = writer
        self._registration = registration

    def ask(
        self,
        requester: Requester,
        lane: str,
        *,
        in_flight: int | None = None,
        gives_up: bool = False,
    ) -> Awaitable[Permits]:
        """See swather.store.ports.Queue.permits."""
        requester.check()
        return asyncio.wrap_future(
            self._writer.permits(
                requester.fence,
                lane,
                in_flight=in_flight,
                gives_up=gives_up,
                ahead_seconds=MAX_AHEAD_SECONDS,
            )
        )

    def tell_in_flight(self, lane: str, count: int) -> Awaitable[None]:
        """See swather.store.ports.Queue.set_in_flight."""
        worker_id = self._registration.worker_id
        return asyncio.wrap_future(self._writer.set_in_flight(worker_id, lane, count))
