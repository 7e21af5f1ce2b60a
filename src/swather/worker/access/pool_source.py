"""Proxies of the pool for the requests of one scraper."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from random import Random
from time import monotonic
from typing import Any, Final

from swather.errors import FetchError
from swather.masking import masked
from swather.model.proxy import BlacklistRule, Proxy, ProxyFault
from swather.model.proxy_choice import ProxyChoice, ProxyStrategy, Rotation
from swather.model.run import Run
from swather.net.cookies import is_by_proxy
from swather.net.egress import Egress
from swather.net.egress_policy import PoolPolicy
from swather.net.errors import BadResponse, ConnectionFailed, FetchTimeout, ProxyFailed
from swather.scraping.proxies import Proxies, Selection, selection_of
from swather.scraping.scraper import Scraper
from swather.store.ports import Store
from swather.worker.access.egress_source import NoEgress, Traveller
from swather.worker.access.pool_probes import PoolProbes
from swather.worker.access.pool_reports import PoolReports
from swather.worker.access.pool_view import PoolView
from swather.worker.access.sites import Background
from swather.worker.settings import Registration

# How often the database is asked whether the pool has changed, and told how proxies fare.
LOOK_SECONDS: Final = 0.5
# Without a request for so long, it is not asked any more.
REST_SECONDS: Final = 30.0
# How long a request waits for a proxy before its target gives its slot to others.
PATIENCE_SECONDS: Final = 5.0
# How long a lane without a proxy is left alone before somebody looks again: one may return early.
COOL_SECONDS: Final = 15.0
CLOSE_SECONDS: Final = 2.0
_BLOCKED: Final = "the site refuses this address"
_MAX_ERROR_CHARACTERS: Final = 300
_FAULTS: Final[tuple[tuple[type[FetchError], ProxyFault], ...]] = (
    (ProxyFailed, ProxyFault.PROXY),
    (FetchTimeout, ProxyFault.TIMEOUT),
    (ConnectionFailed, ProxyFault.NETWORK),
    (BadResponse, ProxyFault.NETWORK),
)

_log = logging.getLogger(__name__)


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
        self._selection = selection
        self._policy = policy
        self._background = background
        self._registration = registration
        self._rule = BlacklistRule(policy.threshold, policy.blacklist_seconds)
        is_off = policy.rotation is Rotation.OFF
        self._strategy = ProxyStrategy.STICKY_WORKER if is_off else policy.strategy
        self._choice = ProxyChoice(self._strategy, random or Random())
        self._view: PoolView | None = None
        self._reports = PoolReports()
        self._probes = PoolProbes(background, registration, policy.probe_seconds)
        # The names of its runs, by id, and how many egresses the database was told they have.
        self._runs: dict[int, str] = {}
        self._told: dict[int, int] = {}
        self._told_at = 0.0
        self._looking: asyncio.Task[None] | None = None
        self._look_now = asyncio.Event()
        self._changed = asyncio.Event()
        self._used_at = 0.0
        self._leased = -1

    @property
    def is_out(self) -> bool:
        return self._view is not None and self._view.is_out

    @property
    def trouble(self) -> str:
        view = self._view
        return view.why_out() if view is not None and view.is_out else ""

    def serve(self, run: Run) -> None:
        """From now on its pace keeps step with the number of proxies, if it has one."""
        if run.lane_limits.every_seconds:
            self._runs[run.id] = run.name

    def choose(self, traveller: Traveller, lane: str, session: str) -> Egress | None:
        self._used_at = monotonic()
        if self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._keep_looking())
        view = self._view
        if view is None:
            return None
        self._probes.ask(view, lane)
        if (probe := self._probes.next(view, lane)) is not None:
            return Egress(probe.url)
        usable = view.usable(lane)
        if traveller.failed_keys:
            usable = _without(usable, traveller) or usable
        if not usable:
            return None
        if (kept := self._kept(traveller, view, usable, session)) is not None:
            return kept
        return Egress(self._choice.choose(usable, lane, session).url)

    async def wait(self, traveller: Traveller, lane: str, session: str) -> Egress:
        give_up_at = monotonic() + PATIENCE_SECONDS
        while True:
            self._probes.got.clear()
            changed = self._changed
            if (egress := self.choose(traveller, lane, session)) is not None:
                return egress
            left, view = give_up_at - monotonic(), self._view
            first = 0.0 if view is None else view.first_return_seconds(lane)
            if left <= 0 or first is None or first > left:
                raise await self._none_for(traveller, view, lane)
            await _any_of(changed, self._probes.got, min(left, first or LOOK_SECONDS))

    def may_use(self, egress: Egress, lane: str) -> bool:
        proxy = self._proxy(egress)
        if proxy is None or self._view is None:
            return False
        place = (proxy.id, lane)
        return self._probes.is_ours(place) or any(p.id == proxy.id for p in self._view.usable(lane))

    def has_other(self, traveller: Traveller, lane: str) -> bool:
        return self._view is not None and bool(_without(self._view.usable(lane), traveller))

    def answered(self, egress: Egress, lane: str, status: int, seconds: float) -> None:
        del status
        if (proxy := self._proxy(egress)) is not None:
            is_probe = self._probes.end((proxy.id, lane))
            self._reports.succeeded((proxy.id, lane), seconds, is_probe=is_probe)
            if is_probe:
                self._look_now.set()

    def blocked(self, egress: Egress, lane: str, retry_after_seconds: float | None) -> bool:
        self._note(egress, lane, ProxyFault.BANNED, _BLOCKED, retry_after_seconds)
        if self._view is None:
            return False
        # Where none is left at all, requests wait for the first to return.
        usable = self._view.usable(lane)
        return not usable or any(proxy.key != egress.key for proxy in usable)

    def failed(self, egress: Egress, lane: str, error: FetchError, seconds: float) -> None:
        del seconds
        fault = next((fault for kind, fault in _FAULTS if isinstance(error, kind)), None)
        if fault is not None:
            self._note(egress, lane, fault, masked(str(error))[:_MAX_ERROR_CHARACTERS])

    async def renew(self, traveller: Traveller) -> None:
        """Another proxy for this attempt, its lane and its session."""
        if traveller.egress is not None:
            traveller.failed_keys.add(traveller.egress.key)
            if (proxy := self._proxy(traveller.egress)) is not None:
                self._choice.let_go(proxy.id)

    def forget(self, run_id: int) -> None:
        self._runs.pop(run_id, None)
        self._told.pop(run_id, None)

    async def close(self) -> None:
        self._probes.close()
        if self._looking is not None:
            self._looking.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._tell()

    def _proxy(self, egress: Egress) -> Proxy | None:
        """None for one that is not in the pool, or no longer."""
        return None if self._view is None else self._view.proxy(egress.key)

    def _kept(
        self, traveller: Traveller, view: PoolView, usable: list[Proxy], session: str
    ) -> Egress | None:
        """The proxy that the attempt has used so far, if it is to use no other."""
        if traveller.egress is None or not (
            self._policy.rotation is Rotation.TARGET
            or is_by_proxy(session)
            or (self._strategy is ProxyStrategy.STICKY_SESSION and not session)
        ):
            return None
        proxy = view.proxy(traveller.egress.key)
        is_usable = proxy is not None and any(one.id == proxy.id for one in usable)
        return traveller.egress if is_usable else None

    def _note(
        self,
        egress: Egress,
        lane: str,
        fault: ProxyFault,
        error: str,
        retry_after_seconds: float | None = None,
    ) -> None:
        """Tell the fleet of a fault at once. Here, it counts before they know."""
        proxy, view = self._proxy(egress), self._view
        if proxy is None or view is None:
            return
        is_probe = self._probes.end((proxy.id, lane))
        in_a_row = self._reports.failed(
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
        self._look_now.set()

    async def _none_for(self, traveller: Traveller, view: PoolView | None, lane: str) -> NoEgress:
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
        await self._call(lambda store: store.lanes.cool(lane, seconds, why))
        return NoEgress(why, 0.0 if lane == traveller.requester.lease.lane else seconds)

    async def _keep_looking(self) -> None:
        while monotonic() - self._used_at < REST_SECONDS or self.is_out:
            self._look_now.clear()
            try:
                await self._look(await self._tell())
            except Exception as error:  # noqa: BLE001 - it is tried again until it succeeds
                _log.warning("the proxy pool could not be read: %s", error)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._look_now.wait()
        # The next request looks again, and waits for that.
        self._view = self._looking = None

    async def _tell(self) -> int:
        """Tell the database how proxies fare; the version of the pool."""
        reports, self._told_at = self._reports.take(), monotonic()

        def tell(store: Store) -> int:
            if reports:
                return store.proxies.report(reports, self._rule)
            return store.proxies.version()

        try:
            version: int = await self._call(tell)
        except BaseException:
            self._reports.give_back(reports)
            raise
        return version

    async def _look(self, version: int) -> None:
        """Read the pool if it is of another version, and tell its runs how many egresses they have
        if that is another number.
        """
        if self._view is None or self._view.version != version:
            view: PoolView = await self._call(self._read)
            if self._view is not None:
                view.keep_marks(self._view, made_after=self._told_at)
            self._view = view
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()
        egresses = max(self._view.healthy, 1)
        untold = {
            number: name
            for number, name in self._runs.items()
            if self._told.get(number) != egresses
        }
        if untold:
            await self._call(lambda store: _set_egresses(store, untold.values(), egresses))
            self._told.update(dict.fromkeys(untold, egresses))

    def _read(self, store: Store) -> PoolView:
        tags, country, source = self._selection
        leased = None
        if self._policy.per_worker is not None:
            leased = store.proxies.checkout(
                self._registration.worker_id,
                self._policy.per_worker,
                tags=(*tags, *self._policy.tags),
                country=country,
                source=source,
            )
            self._warn_of_few(len(leased), self._policy.per_worker)
        read_at = monotonic()
        pool = store.proxies.pool(tags=tags, country=country, source=source)
        return PoolView(pool, read_at, self._selection, leased=leased, tags=self._policy.tags)

    def _warn_of_few(self, leased: int, wanted: int) -> None:
        if leased < wanted and leased != self._leased:
            _log.warning(
                "this worker asked for %d proxies of its own, and %d were free", wanted, leased
            )
        self._leased = leased

    async def _call(self, work: Any) -> Any:
        return await asyncio.wrap_future(self._background.call(work))


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


def _without(usable: list[Proxy], traveller: Traveller) -> list[Proxy]:
    """Those that have not failed the target."""
    return [proxy for proxy in usable if proxy.key not in traveller.failed_keys]


def _set_egresses(store: Store, runs: Iterable[str], egresses: int) -> None:
    for run in runs:
        store.runs.set_egresses(run, egresses)


async def _any_of(one: asyncio.Event, other: asyncio.Event, seconds: float) -> None:
    """Wait for either, but no longer than that."""
    waits = [asyncio.ensure_future(event.wait()) for event in (one, other)]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
