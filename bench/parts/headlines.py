"""Ten workers with fifty proxies against one, and fifty workers against one on pages of 6 s, beside
what two systems that Swather replaces claim.

Delays are scaled down, and figures multiplied by as much: what else a target costs counts for more
here than it would with the real delays.
"""

import json
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import swather.store
from bench.figures import ROOT, Figure
from bench.fleet import done_at, enqueue, fleet, wait_until
from bench.processes import memory_mb
from bench.queues import QUEUES, Queue
from bench.servers.directory import LimitingDirectory
from bench.setting import Contender, Setting, Size, in_turns, say
from bench.workers import folder
from swather.builtin.listings.categories import CATEGORIES
from swather.builtin.listings.us_cities import cities
from swather.builtin.listings.us_states import STATES
from swather.model.proxy_list import parse_proxies
from swather.testing import Answer, FakeSite
from swather.testing.directory import search_of
from swather.testing.proxies import LocalProxies

CODE = ROOT / "bench" / "ours" / "headlines.py"
PLAN = ROOT / "examples" / "us-states" / "swather.toml"
HOST = "directory.example"
PROXIES = 50
SCALE = 20
# 2,000 targets/h by ten workers are 18 s for each; 14 of these are the delay.
PAGE_SECONDS = 4.0
# The 215 days of one worker for 309,720 targets are one a minute.
LIMIT_SECONDS = 60.0
PER_STATE = 60
SETTLE_SECONDS = 5.0
SLOW_SECONDS = 6.0
Values = dict[tuple[str, str], float]


@dataclass(frozen=True)
class States:
    """One fleet on the directory; `code` is its scraper, `every_seconds` the limit of the site."""

    work: str
    workers: int
    code: str
    every_seconds: float = LIMIT_SECONDS

    @property
    def uses_proxies(self) -> bool:
        return self.code != "direct"


DELAYS_ONE = "delays alone: 1 worker"
DELAYS_TEN = "delays alone: 10 workers, 50 proxies"
LIMITED_ONE = "limited: 1 worker"
LIMITED_TEN = "limited: 10 workers, 50 proxies"
FLEETS = (
    States(DELAYS_ONE, 1, "direct", 0.0),
    States(DELAYS_TEN, 10, "pooled", 0.0),
    States(LIMITED_ONE, 1, "direct"),
    States("limited: 10 workers", 10, "direct"),
    States("limited: 1 worker, 50 proxies", 1, "pooled"),
    States(LIMITED_TEN, 10, "pooled"),
    States("limited: 10 workers, 5 proxies each", 10, "own_five"),
)
CLAIMED = "claimed by what it replaces"


def measure(setting: Setting) -> list[Figure]:
    ours = [queue for queue in QUEUES if queue.kind == "ours"]
    of_states = [Contender(one.who, "ours", partial(_states, setting, one)) for one in ours]
    of_pages = [Contender(one.who, "ours", partial(_pages, setting, one)) for one in ours]
    return [
        *in_turns(setting, of_states, repeats=1),
        *in_turns(setting, of_pages, repeats=1),
        *_claims(),
    ]


def _claims() -> Iterator[Figure]:
    """215 days or a week for 309,720 targets; 10 or 500 URLs a minute."""
    for work, value, unit in (
        (LIMITED_ONE, 60.0, "targets/h"),
        (LIMITED_TEN, 2_000.0, "targets/h"),
        ("limited: ratio", 30.0, "times"),
        ("1 worker", 10.0, "URLs/min"),
        ("50 workers", 500.0, "URLs/min"),
        ("ratio", 50.0, "times"),
    ):
        yield Figure(work, CLAIMED, "peer", unit, (value,))


def _states(setting: Setting, queue: Queue) -> Values:
    values: Values = {}
    for one in FLEETS:
        rate, refused = _searched(setting, queue, one)
        say(f"    {one.work}: {rate:,.0f} targets/h, {refused:.0f} % refused")
        values[one.work, "targets/h"] = rate
        values[f"{one.work}: refused", "%"] = refused
    for what, ten, alone in (
        ("delays alone", DELAYS_TEN, DELAYS_ONE),
        ("limited", LIMITED_TEN, LIMITED_ONE),
    ):
        ratio = values[ten, "targets/h"] / values[alone, "targets/h"]
        values[f"{what}: ratio", "times"] = ratio
    return values


def _searched(setting: Setting, queue: Queue, one: States) -> tuple[float, float]:
    """Targets an hour as with the real delays, and how many % of the requests were refused."""
    every_seconds = one.every_seconds / SCALE
    # Where an address is the limit, a target comes every three seconds.
    seconds = setting.pick(10, 10, 20) * (2 if one.every_seconds else 1)
    with (
        queue.fresh(setting) as url,
        folder() as directory,
        LimitingDirectory(PAGE_SECONDS / SCALE, every_seconds) as site,
        LocalProxies(PROXIES, hosts={HOST: site.url}) as proxies,
    ):
        _set(directory, every_seconds)
        _import(url, proxies)
        base = f"http://{HOST}" if one.uses_proxies else site.url
        code = f"{CODE}:{one.code}"
        enqueue(directory, url, code, _targets(directory, base))
        with fleet(directory, url, code, one.workers):
            time.sleep(SETTLE_SECONDS)
            refused, begun = site.too_many, len(done_at(directory))
            time.sleep(seconds)
            at = done_at(directory)[begun:]
            refused = site.too_many - refused
    if len(at) < 3:
        raise RuntimeError(f"{len(at)} targets were done in {seconds} s")
    per_second = (len(at) - 1) / (at[-1] - at[0])
    return per_second / SCALE * 3600, 100 * refused / (len(at) + refused)


def _set(directory: Path, every_seconds: float) -> None:
    """The settings of the example, as much quicker as everything else, and the site's limit."""
    lines = []
    for line in PLAN.read_text().splitlines():
        name, equals, value = line.partition(" = ")
        is_delay = name in ("min_delay_seconds", "max_delay_seconds")
        lines.append(f"{name}{equals}{float(value) / SCALE}" if is_delay else line)
    rate = f'"1/{every_seconds:g}s"' if every_seconds else '"none"'
    text = "\n".join([f"rate = {rate}", *lines, ""])
    assert tomllib.loads(text)["max_delay_seconds"] == 20 / SCALE
    (directory / "swather.toml").write_text(text)


def _import(url: str, proxies: LocalProxies) -> None:
    store = swather.store.open(url)
    store.proxies.load(parse_proxies(proxies.urls)[0], source="bench", replace=True)
    store.close()


def _targets(directory: Path, base: str) -> Path:
    """As many searches of each state: of its largest cities, for all categories."""
    taken: Counter[str] = Counter()
    path = directory / "searches.jsonl"
    with path.open("w") as lines:
        for city in cities(frozenset(STATES)):
            for category in CATEGORIES:
                if taken[city.state] < PER_STATE:
                    taken[city.state] += 1
                    address = base + search_of((city.state, city.name, category))
                    lines.write(json.dumps({"url": address, "state": city.state}) + "\n")
    return path


def _pages(setting: Setting, queue: Queue) -> Values:
    seconds = SLOW_SECONDS if setting.size is Size.FULL else setting.pick(1, 2)
    count = setting.pick(250, 1_000)
    times = SLOW_SECONDS / seconds
    values: Values = {}
    for workers, pages in ((1, 6), (50, count)):
        name = "1 worker" if workers == 1 else f"{workers} workers"
        with _slow_site(pages, seconds) as site, queue.fresh(setting) as url, folder() as directory:
            took, at, memory, start = _fetched(directory, url, site, pages, workers)
        # From the first of everyone's second pages to the first of their last ones.
        per_second = (pages - 2 * workers) / (at[-workers] - at[workers])
        values[name, "URLs/min"] = per_second / times * 60
        if workers > 1:
            values[f"{name}: {pages:,} pages", "s"] = took
            values[f"{name}: start", "s"] = start
            values[f"{name}: memory", "MB"] = memory
    values["ratio", "times"] = values["50 workers", "URLs/min"] / values["1 worker", "URLs/min"]
    return values


@contextmanager
def _slow_site(pages: int, seconds: float) -> Iterator[str]:
    page = Answer("<h1>A page that takes its time</h1>" + "." * 10_000, seconds=seconds)
    with FakeSite({f"/page/{number}": page for number in range(pages)}) as site:
        yield site.url


def _fetched(
    directory: Path, url: str, site: str, pages: int, workers: int
) -> tuple[float, list[float], float, float]:
    """How long all pages took, when each was done, the memory of all workers, and how long these
    took to start.
    """
    targets = directory / "pages.txt"
    targets.write_text("".join(f"{site}/page/{number}\n" for number in range(pages)))
    code = f"{CODE}:slow_page"
    begun = time.monotonic()
    with fleet(directory, url, code, workers) as pids:
        start = time.monotonic() - begun
        begun = time.monotonic()
        enqueue(directory, url, code, targets)
        wait_until(lambda: len(done_at(directory)) >= pages, f"{pages} pages", 1_200.0)
        at = done_at(directory)
        memory = sum(map(memory_mb, pids))
    assert len(at) == pages, f"{len(at)} of {pages}"
    return at[-1] - begun, at, memory, start
