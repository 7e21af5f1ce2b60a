"""Probes: after its time on the blacklist, one request of the fleet decides on a proxy."""

import asyncio
import logging
from collections.abc import Collection
from time import monotonic
from typing import Final

from swather.model.proxy import Proxy
from swather.worker.access.pool_reports import Place
from swather.worker.access.pool_view import PoolView
from swather.worker.access.sites import Background
from swather.worker.settings import Registration

# How soon a probe that somebody else has got is asked for again.
ASK_AGAIN_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class PoolProbes:
    """The probes that this worker has got and not made yet, or whose result it waits for. Belongs
    to the loop's thread. `got` is set when there is one to make.
    """

    def __init__(
        self, background: Background, registration: Registration, probe_seconds: float
    ) -> None:
        self._background = background
        self._registration = registration
        self._seconds = probe_seconds
        self._to_make: dict[str, list[Proxy]] = {}
        # Until when the probe is ours; until when it is not asked for.
        self._ours: dict[Place, float] = {}
        self._asked: dict[Place, float] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self.got = asyncio.Event()

    def ask(self, view: PoolView, site: str) -> None:
        """Ask for the probes that are due on a site."""
        for proxy in view.due(site):
            place, now = (proxy.id, site), monotonic()
            if self._asked.get(place, 0.0) <= now:
                self._asked = {one: at for one, at in self._asked.items() if at > now}
                self._asked[place] = now + ASK_AGAIN_SECONDS
                task = asyncio.get_running_loop().create_task(self._take(proxy, site))
                self._asking.add(task)
                task.add_done_callback(self._asking.discard)

    def next(self, view: PoolView, site: str, avoided: Collection[str]) -> Proxy | None:
        """A proxy to make a probe through, with the next request to this site; none whose key is
        avoided.
        """
        if not (to_make := self._to_make.get(site)):
            return None
        to_make = [one for one in to_make if self.is_ours((one.id, site)) and view.proxy(one.key)]
        chosen = next((one for one in to_make if one.key not in avoided), None)
        self._to_make[site] = [one for one in to_make if one is not chosen]
        return chosen

    def is_ours(self, place: Place) -> bool:
        return self._ours.get(place, 0.0) > monotonic()

    def end(self, place: Place) -> bool:
        """A request has ended; whether it was a probe."""
        until = self._ours.pop(place, 0.0) if self._ours else 0.0
        return until > monotonic()

    def close(self) -> None:
        for task in self._asking:
            task.cancel()

    async def _take(self, proxy: Proxy, site: str) -> None:
        worker_id, seconds = self._registration.worker_id, self._seconds
        asked_at = monotonic()
        try:
            is_ours = await asyncio.wrap_future(
                self._background.call(
                    lambda store: store.proxies.probe(
                        proxy.id, site, worker_id=worker_id, seconds=seconds
                    )
                )
            )
        except Exception as error:  # noqa: BLE001 - it is asked for again
            _log.warning("a probe of %s could not be taken: %s", proxy, error)
            return
        if is_ours:
            self._asked[proxy.id, site] = self._ours[proxy.id, site] = asked_at + seconds
            self._to_make.setdefault(site, []).append(proxy)
            self.got.set()
