"""Proxies of the pool for the requests of one scraper."""

import asyncio
from dataclasses import replace
from random import Random
from time import monotonic
from typing import Final

from swather.errors import FetchError
from swather.masking import masked
from swather.model.proxy import Proxy, ProxyFault
from swather.model.proxy_choice import ProxyChoice, ProxyStrategy, Rotation
from swather.model.run import Run
from swather.net.cookies import is_by_proxy
from swather.net.egress import Egress
from swather.net.egress_policy import PoolPolicy
from swather.net.errors import BadResponse, ConnectionFailed, FetchTimeout, ProxyFailed
from swather.scraping.proxies import Proxies, Selection, selection_of
from swather.scraping.scraper import Scraper
from swather.worker.access.egress_source import Asker, NoEgress
from swather.worker.access.pool_probes import PoolProbes
from swather.worker.access.pool_view import PoolView
from swather.worker.access.pool_watch import LOOK_SECONDS, PoolWatch
from swather.worker.access.sites import Background
from swather.worker.settings import Registration

# How long a request waits for a proxy before its target gives its slot to others.
PATIENCE_SECONDS: Final = 5.0
# How long a lane without a proxy is left alone before somebody looks again: one may return early.
COOL_SECONDS: Final = 15.0
_BLOCKED: Final = "the site refuses this address"
_MAX_ERROR_CHARACTERS: Final = 300
_FAULTS: Final[tuple[tuple[type[FetchError], ProxyFault], ...]] = (
    (ProxyFailed, ProxyFault.PROXY),
    (FetchTimeout, ProxyFault.TIMEOUT),
    (ConnectionFailed, ProxyFault.NETWORK),
    (BadResponse, ProxyFault.NETWORK),
)


class PoolSource:
    """See EgressSource. What others do to the pool is known here within a second; what this worker
    sees of a proxy counts at once.
    """

    def __init__(
        self,
        selection: Selection,
        policy: PoolPolicy,
        background: Background,
        registration: Registration,
        random: Random | None = None,
    ) -> None:
        self._policy = policy
        is_off = policy.rotation is Rotation.OFF
        self._strategy = ProxyStrategy.STICKY_WORKER if is_off else policy.strategy
        self._choice = ProxyChoice(self._strategy, random or Random())
        self._watch = PoolWatch(selection, policy, background, registration)
        self._probes = PoolProbes(background, registration, policy.probe_seconds)

    @property
    def is_out(self) -> bool:
        return self._watch.view is not None and self._watch.view.is_out

    @property
    def trouble(self) -> str:
        view = self._watch.view
        return view.why_out() if view is not None and view.is_out else ""

    def serve(self, run: Run) -> None:
        """From now on its limits keep step with the number of proxies."""
        self._watch.serve(run)

    def choose(self, asker: Asker, lane: str, session: str) -> Egress | None:
        self._watch.use()
        view = self._watch.view
        if view is None:
            return None
        usable = view.usable(lane)
        self._probes.ask(view, lane)
        fresh = _without(usable, asker) if asker.failed_keys else usable
        # Before a probe, which would take the request out of its session.
        if (kept := self._kept(asker, view, fresh, session)) is not None:
            return kept
        avoided = asker.failed_keys if usable else ()
        if (probe := self._probes.next(view, lane, avoided)) is not None:
            return Egress(probe.url)
        if not usable:
            return None
        kept = None if fresh else self._kept(asker, view, usable, session)
        return kept or Egress(self._choice.choose(fresh or usable, lane, session).url)

    async def wait(self, asker: Asker, lane: str, session: str) -> Egress:
        give_up_at = monotonic() + PATIENCE_SECONDS
        while True:
            self._probes.got.clear()
            changed = self._watch.changed
            if (egress := self.choose(asker, lane, session)) is not None:
                return egress
            left, view = give_up_at - monotonic(), self._watch.view
            first = 0.0 if view is None else view.first_return_seconds(lane)
            if left <= 0 or first is None or first > left:
                raise await self._none_for(asker, view, lane)
            await _any_of(changed, self._probes.got, min(left, first or LOOK_SECONDS))

    def may_use(self, egress: Egress, lane: str) -> bool:
        proxy, view = self._proxy(egress), self._watch.view
        if proxy is None or view is None:
            return False
        is_usable = any(one.id == proxy.id for one in view.usable(lane))
        return is_usable or self._probes.is_ours((proxy.id, lane))

    def has_other(self, asker: Asker, lane: str) -> bool:
        view = self._watch.view
        return view is not None and bool(_without(view.usable(lane), asker))

    def answered(self, egress: Egress, lane: str, status: int, seconds: float) -> None:
        del status
        if (proxy := self._proxy(egress)) is not None:
            is_probe = self._probes.end((proxy.id, lane))
            self._watch.reports.succeeded((proxy.id, lane), seconds, is_probe=is_probe)
            if is_probe:
                self._watch.hurry()

    def blocked(self, egress: Egress, lane: str, retry_after_seconds: float | None) -> bool:
        self._note(egress, lane, ProxyFault.BANNED, _BLOCKED, retry_after_seconds)
        if self._watch.view is None:
            return False
        # Where none is left at all, requests wait for the first to return.
        usable = self._watch.view.usable(lane)
        return not usable or any(proxy.key != egress.key for proxy in usable)

    def failed(self, egress: Egress, lane: str, error: FetchError, seconds: float) -> None:
        del seconds
        fault = next((fault for kind, fault in _FAULTS if isinstance(error, kind)), None)
        if fault is not None:
            self._note(egress, lane, fault, masked(str(error))[:_MAX_ERROR_CHARACTERS])

    async def renew(self, asker: Asker) -> None:
        """Another proxy for this attempt, its lane and its session."""
        if asker.egress is not None:
            asker.failed_keys.add(asker.egress.key)
            if (proxy := self._proxy(asker.egress)) is not None:
                self._choice.let_go(proxy.id)

    def forget(self, run_id: int) -> None:
        self._watch.forget(run_id)

    async def close(self) -> None:
        self._probes.close()
        await self._watch.close()

    def _proxy(self, egress: Egress) -> Proxy | None:
        """None for one that is not in the pool, or no longer."""
        return None if self._watch.view is None else self._watch.view.proxy(egress.key)

    def _kept(
        self, asker: Asker, view: PoolView, usable: list[Proxy], session: str
    ) -> Egress | None:
        """The proxy that the attempt or its session has used so far, if it is to use no other."""
        is_sticky = self._strategy is ProxyStrategy.STICKY_SESSION
        if asker.egress is not None and (
            self._policy.rotation is Rotation.TARGET
            or is_by_proxy(session)
            or (is_sticky and not session)
        ):
            proxy = view.proxy(asker.egress.key)
            is_usable = proxy is not None and any(one.id == proxy.id for one in usable)
            return asker.egress if is_usable else None
        held = self._choice.held(usable, session) if is_sticky and session else None
        return None if held is None else Egress(held.url)

    def _note(
        self,
        egress: Egress,
        lane: str,
        fault: ProxyFault,
        error: str,
        retry_after_seconds: float | None = None,
    ) -> None:
        """Tell the fleet of a fault at once. Here, it counts before they know."""
        proxy, view = self._proxy(egress), self._watch.view
        if proxy is None or view is None:
            return
        is_probe = self._probes.end((proxy.id, lane))
        in_a_row = self._watch.reports.failed(
            (proxy.id, lane),
            fault,
            error,
            is_probe=is_probe,
            retry_after_seconds=retry_after_seconds,
        )
        site = "" if fault is ProxyFault.PROXY else lane
        if fault is ProxyFault.BANNED and retry_after_seconds:
            view.mark(proxy.id, site, retry_after_seconds)
        elif is_probe or in_a_row >= self._policy.threshold:
            view.mark(proxy.id, site, self._policy.blacklist_seconds)
        if fault in (ProxyFault.PROXY, ProxyFault.BANNED):
            self._choice.let_go(proxy.id)
        self._watch.hurry()

    async def _none_for(self, asker: Asker, view: PoolView | None, lane: str) -> NoEgress:
        """Why there is none. Where only this lane has none it cools down, so that nothing is
        claimed on it meanwhile; where no lane has one, nothing is claimed anyway.
        """
        if view is None:
            return NoEgress("the database has not said which proxies there are", 1.0)
        if view.is_out:
            return NoEgress(view.why_out(), 0.0)
        why = view.why_out(lane)
        first = view.first_return_seconds(lane) or LOOK_SECONDS
        seconds = min(max(first, LOOK_SECONDS), COOL_SECONDS)
        if not lane:
            return NoEgress(why, seconds)
        await self._watch.call(lambda store: store.lanes.cool(lane, seconds, why))
        return NoEgress(why, 0.0 if lane == asker.requester.lease.lane else seconds)


def chosen(scraper: Scraper, policy: PoolPolicy) -> tuple[Selection, PoolPolicy]:
    """Which proxies a scraper uses, and how: as its decorator says, else as the policy does."""
    proxies = scraper.options.proxies
    own = proxies if isinstance(proxies, Proxies) else Proxies()
    policy = replace(
        policy,
        strategy=ProxyStrategy(own.strategy or policy.strategy),
        rotation=Rotation(own.rotation or policy.rotation),
        per_worker=own.per_worker or policy.per_worker,
    )
    return selection_of(scraper.name, proxies), policy


def _without(usable: list[Proxy], asker: Asker) -> list[Proxy]:
    """Those that have not failed the target."""
    return [proxy for proxy in usable if proxy.key not in asker.failed_keys]


async def _any_of(one: asyncio.Event, other: asyncio.Event, seconds: float) -> None:
    """Wait for either, but no longer than that."""
    waits = [asyncio.ensure_future(event.wait()) for event in (one, other)]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
