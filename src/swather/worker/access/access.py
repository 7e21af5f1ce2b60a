"""The way to the web that all attempts of a worker share."""

from collections.abc import Callable, Collection
from concurrent.futures import Executor
from functools import cache, cached_property, partial

from swather.net.egress import WayOut
from swather.net.egress_policy import PoolPolicy, TorPolicy
from swather.net.fetcher import Fetcher
from swather.net.robots import Robots
from swather.scraping.code_version import CodeVersions
from swather.store.ports import Store
from swather.worker.access.egress_source import EgressSource
from swather.worker.access.hosts import HostAccess
from swather.worker.access.permits import InFlight, StorePermits
from swather.worker.access.pool_source import PoolSource, chosen
from swather.worker.access.sites import Background, Sites
from swather.worker.access.throttle import Throttle
from swather.worker.access.tor_source import Tors, TorSource
from swather.worker.jobs import Job
from swather.worker.measurements import Measurements
from swather.worker.settings import Politeness, Registration


class Access:
    """Belongs to the loop's thread."""

    def __init__(
        self,
        store: Store,
        permits: StorePermits,
        policy: Politeness,
        new_fetcher: Callable[[], Fetcher],
        background: Background,
        executor: Executor,
        codes: CodeVersions,
        pool: PoolPolicy,
        registration: Registration,
        tor: TorPolicy,
        measurements: Measurements,
    ) -> None:
        self.measurements = measurements
        self.throttle = Throttle(permits.ask, InFlight(permits.tell_in_flight))
        self.sites = Sites(policy, self.throttle, background, codes)
        self.hosts = HostAccess(store.allowed_hosts, executor)
        self._new_robots = partial(
            Robots,
            store.robots,
            executor=executor,
            ttl_seconds=policy.robots_ttl_seconds,
            max_crawl_delay_seconds=policy.max_crawl_delay_seconds,
        )
        self._user_agent = policy.user_agent
        # What robots.txt says to a User-Agent, the worker's own if None.
        self.robots = cache(self._robots_for)
        self._new_fetcher = new_fetcher
        self._background = background
        self._pool = pool
        self._registration = registration
        # By the scrapers whose requests do not leave directly.
        self.sources: dict[str, EgressSource] = {}
        self._tors = Tors(tor)

    @cached_property
    def fetcher(self) -> Fetcher:
        """Made for the first request: many workers make none."""
        return self._new_fetcher()

    def _robots_for(self, user_agent: str | None) -> Robots:
        return self._new_robots(user_agent=user_agent or self._user_agent)

    def egress_source(self, job: Job) -> EgressSource:
        """Where the requests of a job get their egress that do not leave directly."""
        source = self.sources.get(job.scraper.name)
        if source is None:
            source = self.sources[job.scraper.name] = self._new_source(job)
        if isinstance(source, PoolSource):
            source.serve(job.run)
        return source

    @property
    def out(self) -> Collection[str]:
        """The scrapers whose requests cannot leave, wherever they go."""
        return [name for name, source in self.sources.items() if source.is_out]

    @property
    def trouble(self) -> str:
        """Why requests have to wait for an egress, for people to read."""
        troubles = {source.trouble: None for source in list(self.sources.values())}
        return "; ".join(filter(None, troubles))

    @property
    def lacks_only_proxies(self) -> bool:
        """Whether that is for want of a proxy alone."""
        lacking = [source for source in list(self.sources.values()) if source.trouble]
        return bool(lacking) and all(isinstance(source, PoolSource) for source in lacking)

    def _new_source(self, job: Job) -> EgressSource:
        match job.way_out:
            case WayOut.POOL:
                selection, policy = chosen(job.scraper, self._pool)
                return PoolSource(selection, policy, self._background, self._registration)
            case WayOut.TOR:
                country = job.scraper.options.tor
                return TorSource(self._tors.of(country if isinstance(country, str) else ""))
            case WayOut.DIRECT:
                raise AssertionError("direct requests need no source")

    def forget(self, run_id: int) -> None:
        """The run is over."""
        for source in self.sources.values():
            source.forget(run_id)
        if "fetcher" in vars(self):
            self.fetcher.forget(run_id)

    async def close(self) -> None:
        for source in self.sources.values():
            await source.close()
        await self._tors.close()
        if "fetcher" in vars(self):
            await self.fetcher.close()
