"""Which hosts the runs of a worker may reach; what is allowed is the run's, kept in the store."""

import asyncio
from collections import defaultdict
from concurrent.futures import Executor
from typing import Final
from weakref import WeakValueDictionary

from swather.net.private_hosts import canonical_port, refusal_reason
from swather.store.ports import AllowedHosts, Sighting
from swather.worker.jobs import Job

MAX_KNOWN: Final = 10_000


class HostAccess:
    """Asks the store about hosts at private addresses, and always before it refuses one: a
    person may have given it since. Hosts that are found on the public web are reached at once, and
    noted in the store a little later, many in one transaction.
    """

    def __init__(self, allowed: AllowedHosts, executor: Executor) -> None:
        self._allowed = allowed
        self._executor = executor
        self._known: set[tuple[int, str, int, bool]] = set()
        # Where a run first found a name, if no person had given it by then.
        self._found: dict[tuple[int, str], str] = {}
        self._public: defaultdict[str, list[Sighting]] = defaultdict(list)
        # The targets of a run begin together, and one of them asks for all.
        self._turns: WeakValueDictionary[tuple[int, str, int], asyncio.Lock] = WeakValueDictionary()

    def is_known(self, job: Job, host: str, port: int, *, private: bool) -> bool:
        """Whether the run may reach the host, without asking."""
        return job.allow_private or (job.run.id, host, port, private) in self._known

    async def refusal(
        self, job: Job, host: str, port: int, address: str, *, private: bool
    ) -> str | None:
        """Why the run may not reach a host at this address, None if it may."""
        if job.allow_private:
            return None
        found = self._found.get((job.run.id, host), address)
        if not private:
            self._public[job.run.name].append((host, canonical_port(port), found))
            self._remember((job.run.id, host, port, private), found)
            return None
        async with self._turn(job.run.id, host, port):
            if (job.run.id, host, port, private) in self._known:
                return None  # another attempt has asked by now
            first = await asyncio.get_running_loop().run_in_executor(
                self._executor, self._allowed.pin, job.run.name, host, canonical_port(port), found
            )
            if (why := refusal_reason(host, first)) is not None:
                return why
            self._remember((job.run.id, host, port, private), found)
            return None

    def _turn(self, run_id: int, host: str, port: int) -> asyncio.Lock:
        place = (run_id, host, port)
        turn = self._turns.get(place)
        if turn is None:
            turn = self._turns[place] = asyncio.Lock()
        return turn

    def take_public(self) -> dict[str, list[Sighting]]:
        """Hosts that runs have found on the public web since this was last asked."""
        public, self._public = self._public, defaultdict(list)
        return public

    def _remember(self, place: tuple[int, str, int, bool], found: str) -> None:
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
            self._found.clear()
        self._known.add(place)
        self._found[place[:2]] = found
