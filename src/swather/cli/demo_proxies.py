"""`swather demo --proxies`: a run through local proxies, of which some die and some are banned."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from swather.cli.demo_proxies_report import HOST, SOURCE, Report, report_on
from swather.model.proxy import Pool, ProxyFilter
from swather.runs.progress import Snapshot
from swather.runs.proxy_words import usable_on
from swather.runs.view import View, WrappingView
from swather.runs.words import count
from swather.testing.proxies import LocalProxies

if TYPE_CHECKING:
    from swather.store.ports import Store
    from swather.testing.shop import Shop

SCRAPER: Final = "swather.cli.demo_proxied:proxied_books"
LOGIN: Final = "demo:secret"
PROXIES: Final = 12
PAGES_PER_WORKER: Final = 8
# So that all of it fits into a demo: a proxy is blacklisted soon and not for long.
SETTINGS: Final = {
    "SWATHER_PROXY_BLACKLIST_THRESHOLD": "3",
    "SWATHER_PROXY_BLACKLIST_MINUTES": "0.05",
}


class _Step(NamedTuple):
    """What happens once this share of the pages is done."""

    share: float
    what: str


_STEPS: Final = (
    _Step(0.15, "die"),
    _Step(0.35, "ban"),
    _Step(0.55, "revive"),
    _Step(0.65, "unban"),
)


class TroublingView(WrappingView):
    """Shows a run like the view it is given; makes trouble for some of its proxies as it advances,
    and tells what the pool makes of it.
    """

    def __init__(self, view: View, store: "Store", proxies: LocalProxies, *, pages: int) -> None:
        super().__init__(view)
        self._store = store
        self._pages = pages
        self._mortal, self._bannable = proxies[:3], proxies[3:6]
        self._steps = list(_STEPS)
        self._version = -1
        self._told = ""

    def show(self, snapshot: Snapshot) -> None:
        super().show(snapshot)
        if self._steps and snapshot.counts.done >= self._steps[0].share * self._pages:
            self._take(self._steps.pop(0).what)
        if (version := self._store.proxies.version()) != self._version:
            self._version = version
            self._tell(self._store.proxies.pool(tags=["demo"]))

    def _take(self, what: str) -> None:
        match what:
            case "die":
                for proxy in self._mortal:
                    proxy.die()
                self.say(f"{len(self._mortal)} proxies die")
            case "ban":
                for proxy in self._bannable:
                    proxy.ban(HOST, status=429)
                self.say(f"the shop bans the addresses of {len(self._bannable)} others")
            case "revive":
                for proxy in self._mortal:
                    proxy.revive()
                self.say("the dead proxies are back")
            case "unban":
                for proxy in self._bannable:
                    proxy.unban(HOST)
                self.say("the ban is over")

    def _tell(self, pool: Pool) -> None:
        found = usable_on(pool, HOST, {proxy.worker_id or 0 for proxy in pool.proxies})
        said = f"  pool: {found.usable} of {found.total} usable"
        if found.blacklisted:
            said += f", {found.blacklisted} blacklisted"
        if found.probed:
            said += f", {found.probed} to be probed"
        if said != self._told:
            self._told = said
            self.say(said)


def scrape_through_proxies(
    site: "Shop", url: str, workers: int, folder: Path, *, keep: bool
) -> Report:
    """As `swather run` does, with a view that also makes trouble. Proxies that are gone after it
    stay in the pool only with `keep`.
    """
    from swather.cli import output
    from swather.cli.demo_run import order_for, work_through
    from swather.fleet.driver import RunDriver
    from swather.model.proxy_list import ProxyLine
    from swather.runs.view import view_on
    from swather.store import factory

    # Of this process and its workers.
    os.environ.update(SETTINGS)
    factory.prepare(url)
    store = factory.open(url)
    try:
        with LocalProxies(PROXIES, hosts={HOST: site.url}, login=LOGIN) as proxies:
            lines = [ProxyLine(url=each, tags=("demo",)) for each in proxies.urls]
            store.proxies.load(lines, source=SOURCE, replace=True)
            order = order_for(
                SCRAPER,
                f"http://{HOST}/",
                url,
                folder,
                workers=workers,
                pages_per_worker=PAGES_PER_WORKER,
            )
            with RunDriver(order) as driver:
                run = driver.run
                view = TroublingView(view_on(output.stderr()), store, proxies, pages=site.pages)
                view.say(f"the shop has {len(site.books)} books on {site.pages} pages, at {HOST}")
                view.say(
                    f"{count(workers, 'worker')} scrape it through {len(proxies)} proxies on this "
                    "machine; nothing else can reach it"
                )
                results, seconds = work_through(driver, SCRAPER, view)
            return report_on(store, run.name, site, proxies, results, seconds)
    finally:
        if not keep:
            rows = store.proxies.find(ProxyFilter(source=SOURCE))
            store.proxies.remove([row.id for row in rows])
        store.close()
