"""A directory of 51 states through fifty proxies, some of them banned, on ten workers: every
business once, and every row counted. Then another layout, a browser, and all searches enqueued
twice.
"""

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from faults.scenes.million import Peak
from faults.scenes.place import Place
from swather.builtin.listings.scraper import SITE_FILE
from swather.builtin.listings.us_cities import cities
from swather.builtin.listings.us_states import STATES
from swather.model.run import Counts
from swather.model.task_filter import TaskFilter
from swather.runs.export import export
from swather.runs.fresh_chance import close_breakers
from swather.testing.directory import Directory, Search, directory
from swather.testing.proxies import LocalProxies

if TYPE_CHECKING:
    import subprocess

HOST: Final = "directory.example"
WORKERS: Final = 10
SLOTS: Final = 4
PROXIES: Final = 50
CATEGORIES: Final = ("gyms", "movers", "pest control", "plumbers")
BROWSER_STATE: Final = "DE"
BROWSER_SEARCHES: Final = 12
# Failures for another layout that are waited for; the breaker opens at the twentieth attempt.
LAYOUTS: Final = 20
DRAIN_SECONDS: Final = 900.0
PATIENCE_SECONDS: Final = 30.0
ALL_SEARCHES: Final = 309_720
# What the memory of `enqueue` may grow by from a tenth of them to all.
GROWTH_MB: Final = 10.0
# What SQLite keeps of the file (cache_size), which a small one does not fill.
CACHE_MB: Final = 64.0


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold, of so many searches."""
    searches = _searches(STATES, targets)
    wrong: list[str] = []
    for hold_act in (_proxied, _changed):
        with ExitStack() as stack:
            site = stack.enter_context(directory())
            proxies = stack.enter_context(LocalProxies(PROXIES, hosts={HOST: site.url}))
            act = Act(place, site, searches, f"http://{HOST}", "proxies = true")
            stack.callback(act.end)
            act.import_proxies(proxies)
            wrong += hold_act(act)
    with ExitStack() as stack:
        site = stack.enter_context(directory())
        act = Act(place, site, _searches(STATES, len(STATES)), site.url)
        stack.callback(act.end)
        wrong += [f"directly: {each}" for each in _closed(act)]
    with ExitStack() as stack:
        site = stack.enter_context(directory(is_scripted=True))
        few = _searches([BROWSER_STATE], BROWSER_SEARCHES)
        act = Act(place, site, few, site.url, "browser = true")
        stack.callback(act.end)
        act.start(2)
        wrong += [f"in a browser: {each}" for each in act.drained()]
    return wrong + _enqueued_twice(place)


def _proxied(act: "Act") -> list[str]:
    """Five proxies are banned for good, and ten others for a while in the middle."""
    for number in range(5):
        act.site.ban(403, 1e9, f"proxy-{number}")
    act.start(WORKERS)
    total = len(act.searches)
    for number, (status, seconds) in enumerate(((429, 5.0), (403, 3.0)), 1):
        act.wait_for(lambda counts, least=total * number // 4: counts.completed > least)
        for proxy in range(5):
            act.site.ban(status, seconds, f"proxy-{10 * number + proxy}")
    wrong = act.drained()
    if not (act.site.refused[403] and act.site.refused[429]):
        wrong.append("nobody was banned")
    return wrong


def _closed(act: "Act") -> list[str]:
    """The whole site refuses everyone for a while: all workers wait, and nothing is lost."""
    act.start(WORKERS)
    act.wait_for(lambda counts: counts.completed > len(act.searches) // 4)
    act.site.ban(429, 3.0)
    wrong = act.drained()
    return wrong if act.site.refused[429] else [*wrong, "nobody was refused"]


def _changed(act: "Act") -> list[str]:
    """Searches that find something end as layout_changed, the others are complete; and the breaker
    opens, so that not all of them are wasted on it.
    """
    act.site.has_new_layout = True
    act.start(WORKERS)
    counts = act.wait_for(lambda counts: counts.failed >= LAYOUTS)
    said = act.why()
    act.cancel()
    print(f"  another layout: {counts.failed:,} of {counts.total:,} failed, {counts.reasons}")
    wrong = [] if "breaker" in said else [f"no breaker has opened: {said}"]
    if counts.reasons.get("layout_changed") != counts.failed or counts.items:
        wrong.append(f"with another layout, {counts.reasons} and {counts.items:,} items")
    return wrong


class Act:
    """One run of these searches on the site."""

    def __init__(
        self, place: Place, site: Directory, searches: list[Search], base: str, *options: str
    ) -> None:
        self.site = site
        self.searches = searches
        self._place = place
        self._file = place.folder / "directory.toml"
        self._file.write_text(_site_file(base, *options))
        self._workers: list[subprocess.Popen[bytes]] = []
        self._run = ""

    def import_proxies(self, proxies: LocalProxies) -> None:
        listed = self._place.folder / "proxies.txt"
        listed.write_text("\n".join(proxies.urls))
        store = self._place.store
        store.proxies.remove([known.id for known in store.proxies.find()])
        self._place.call("producer", "proxies", "import", str(listed))

    def start(self, workers: int) -> None:
        path = self._place.folder / "searches.jsonl"
        with path.open("w") as lines:
            for state, city, category in self.searches:
                target = {"state": state, "city": city, "category": category}
                lines.write(json.dumps(target) + "\n")
        answer = self._place.call(
            "producer", "enqueue", str(self._file), "--targets", str(path), "--new"
        )
        self._run = answer["run"]
        options = (str(self._file), "--run", self._run, "--concurrency", str(SLOTS))
        self._workers = [
            self._place.worker(f"worker-{number}", *options) for number in range(workers)
        ]

    def wait_for(self, is_there: Any) -> Counts:
        return self._place.wait_for(self._run, is_there, DRAIN_SECONDS)

    def drained(self) -> list[str]:
        """What is wrong in the end: each business once, each row counted."""
        began = time.monotonic()
        counts = self.wait_for(lambda counts: not counts.unfinished)
        seconds = time.monotonic() - began
        codes = [worker.wait(60) for worker in self._workers]
        truth = self.site.truth(self.searches)
        path = self._place.folder / f"{self._run}.jsonl"
        export(self._place.store, self._run, path)
        items = [json.loads(line) for line in path.read_text().splitlines()]
        found = [int(item["url"].rpartition("/")[2]) for item in items]
        rejected = sum(counts.rejected.values())
        seen = counts.items + counts.duplicates + rejected
        print(
            f"  {len(self.searches):,} searches, {counts.total:,} pages, {seen:,} rows: "
            f"{counts.items:,} businesses, {counts.duplicates:,} duplicates, {rejected:,} rejected "
            f"{counts.rejected}; {sum(self.site.refused.values()):,} requests refused "
            f"{dict(self.site.refused)}; the rest took {seconds:.0f} s",
            flush=True,
        )
        wrong = self._place.store.upkeep.check()
        if sorted(found) != sorted(truth.businesses):
            wrong.append(f"{len(found):,} businesses, expected {len(truth.businesses):,}")
        if not seen == truth.rows == self.site.rows_served:
            wrong.append(f"{seen:,} rows, expected {truth.rows:,}; {self.site.rows_served:,} shown")
        expected = {"closed": truth.closed, "no_key": truth.adverts}
        expected["repeated_page"] = truth.repeated
        if counts.rejected != {reason: n for reason, n in expected.items() if n}:
            wrong.append(f"rejected {counts.rejected}, expected {expected}")
        if counts.failed:
            wrong.append(f"{counts.failed:,} failed: {counts.reasons}")
        if any(codes):
            wrong.append(f"the workers ended with {codes}")
        return wrong

    def why(self) -> str:
        """What holds the run, once something does."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while "breaker" not in (said := str(self._place.call("producer", "why", self._run))):
            if time.monotonic() > deadline:
                break
            time.sleep(0.5)
        return said

    def cancel(self) -> None:
        store = self._place.store
        store.tasks.cancel(TaskFilter(run=self._run))
        store.runs.cancel(self._run)
        close_breakers(store, "directory")

    def end(self) -> None:
        for worker in self._workers:
            worker.kill()
            worker.wait()


def _enqueued_twice(place: Place) -> list[str]:
    """All searches there are: the second time adds none, and no memory is needed for more."""
    wrong, peaks = [], []
    for categories, expected in (("gyms,movers,hotels", ALL_SEARCHES // 10), ("", ALL_SEARCHES)):
        chosen = ["--categories", categories] if categories else []
        for added in (expected, 0):
            peak = Peak()
            peak.start()
            began = time.monotonic()
            answer = place.call("producer", "enqueue", "listings", "--states", "all", *chosen)
            seconds, most = time.monotonic() - began, peak.stop()
            print(
                f"  enqueued {expected:,}: {answer['enqueued']:,} new, in {seconds:.1f} s with "
                f"{most:.0f} MB at most",
                flush=True,
            )
            if answer["enqueued"] != added:
                wrong.append(f"enqueued {answer['enqueued']:,} of {expected:,}, expected {added:,}")
            peaks.append(most)
    allowed = GROWTH_MB + (CACHE_MB if place.url.startswith("sqlite") else 0.0)
    if max(peaks[2:]) > max(peaks[:2]) + allowed:
        wrong.append(f"the memory grew from {max(peaks[:2]):.0f} to {max(peaks[2:]):.0f} MB")
    return wrong


def _searches(states: Any, count: int) -> list[Search]:
    """The largest cities of each state with some categories: so many searches, about."""
    each = max(round(count / len(states) / len(CATEGORIES)), 1)
    taken: dict[str, int] = {}
    found = []
    for city in cities(frozenset(states)):
        taken[city.state] = taken.get(city.state, 0) + 1
        if taken[city.state] <= each:
            found += [(city.state, city.name, category) for category in CATEGORIES]
    return found


def _site_file(base: str, *options: str) -> str:
    """The one that ships, for another address, and as fast as the stand-in can answer."""
    text = Path(SITE_FILE).read_text()
    for old, new in (
        ("https://www.yellowpages.com", base),
        ('name = "listings"', 'name = "directory"'),
        ('rate = "30/min"', 'rate = "none"'),
        ("in_flight = 2", "in_flight = 4"),
    ):
        text = text.replace(old, new)
    return text + "".join(f"{option}\n" for option in options)
