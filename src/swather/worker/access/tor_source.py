"""Tor as an egress source: a circuit for each lane or session of a run."""

from collections import Counter
from typing import Final

from swather.errors import FetchError, InputError, Permanent
from swather.net.egress import Egress
from swather.net.egress_policy import TorPolicy
from swather.net.errors import ConnectionFailed, FetchTimeout, ProxyFailed
from swather.net.tor.circuits import Circuits
from swather.net.tor.own_tor import OwnTor
from swather.net.tor.process import TorFailed
from swather.net.tor.tor import GivenTor, Tor
from swather.worker.access.egress_source import Asker, NoEgress

# An attempt waits so long for Tor to be connected; then its target comes again.
WAIT_SECONDS: Final = 30.0
AGAIN_SECONDS: Final = 10.0
# A site that has blocked so many circuits in a row blocks Tor, and its lane cools down.
MAX_BLOCKED: Final = 5


class Tors:
    """The ways of one worker into Tor: one daemon for each exit country that is asked for."""

    def __init__(self, policy: TorPolicy) -> None:
        self._policy = policy
        self._by_country: dict[str, Tor] = {}

    def of(self, country: str) -> Tor:
        """A daemon that runs already is used in place of our own; it chooses its exits itself."""
        if country not in self._by_country:
            socks = self._policy.socks
            if socks is not None and country:
                raise InputError(
                    f"tor={country!r} needs a Tor daemon of the worker's own, and tor_socks is "
                    f"{socks}: unset it, or use tor=True and set ExitNodes in that daemon's torrc"
                )
            self._by_country[country] = (
                OwnTor(self._policy, country) if socks is None else GivenTor(socks)
            )
        return self._by_country[country]

    async def close(self) -> None:
        for tor in self._by_country.values():
            await tor.close()


class TorSource:
    """See swather.worker.access.egress_source.EgressSource."""

    def __init__(self, tor: Tor) -> None:
        self._tor = tor
        self._circuits = Circuits()
        self._blocked: Counter[str] = Counter()

    @property
    def trouble(self) -> str:
        return self._tor.trouble

    @property
    def is_out(self) -> bool:
        return self._tor.is_starting

    def choose(self, asker: Asker, lane: str, session: str) -> Egress | None:
        socks = self._tor.socks
        return None if socks is None else self._leave(socks, asker, lane, session)

    async def wait(self, asker: Asker, lane: str, session: str) -> Egress:
        try:
            socks = await self._tor.wait(WAIT_SECONDS)
        except TorFailed as error:
            if error.is_hopeless:
                raise Permanent(str(error), reason="no_tor") from None
            raise NoEgress(str(error), AGAIN_SECONDS) from None
        return self._leave(socks, asker, lane, session)

    def may_use(self, egress: Egress, lane: str) -> bool:
        del egress, lane
        return self._tor.socks is not None

    def has_other(self, asker: Asker, lane: str) -> bool:
        del asker
        return self._tor.socks is not None and self._blocked[lane] < MAX_BLOCKED

    def answered(self, egress: Egress, lane: str, status: int, seconds: float) -> None:
        del egress, status, seconds
        self._blocked.pop(lane, None)

    def blocked(self, egress: Egress, lane: str, retry_after_seconds: float | None) -> bool:
        del retry_after_seconds
        if self._circuits.renew(egress):
            # Once for all requests that were in flight by this circuit.
            self._blocked[lane] += 1
        return self._blocked[lane] < MAX_BLOCKED

    def failed(self, egress: Egress, lane: str, error: FetchError, seconds: float) -> None:
        del lane, seconds
        if isinstance(error, ProxyFailed):
            self._tor.suspect()
        elif isinstance(error, ConnectionFailed | FetchTimeout):
            self._circuits.renew(egress)

    async def renew(self, asker: Asker) -> None:
        """For its last request, which may have been in a session, and for its own lane."""
        if asker.egress is not None:
            self._circuits.renew(asker.egress)
        self._circuits.forget(_purpose(asker, asker.requester.lease.lane))
        await self._tor.new_identity()

    def forget(self, run_id: int) -> None:
        """Its circuits expire by themselves."""

    async def close(self) -> None:
        """The daemons are the worker's."""

    def _leave(self, socks: str, asker: Asker, lane: str, session: str) -> Egress:
        return self._circuits.egress(socks, session or _purpose(asker, lane))


def _purpose(asker: Asker, lane: str) -> str:
    return f"{asker.requester.job.run.id} {lane}"
