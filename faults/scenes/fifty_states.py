"""Fifty states and DC on ten workers through fifty proxies, three of them killed for good; then on
four workers, on fifteen, and with a site that asks to be left alone.
"""

import json
import os
import subprocess
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from faults.scenes.place import SWATHER, Place
from swather.model.assignment import Plan
from swather.model.assignment_text import toml_of
from swather.model.partition import Partition
from swather.runs.export import export
from swather.runs.partition_plans import read_plan
from swather.testing import FakeSite
from swather.testing.proxies import LocalProxies
from swather.testing.site import Answer, Asked

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "us-states" / "swather.toml"
SCRAPERS: Final = Path(__file__).with_name("state_scrapers.py")
HOST: Final = "states.example"
PAGE_SECONDS: Final = 0.2
LEASE_SECONDS: Final = 30.0
SLOTS: Final = 4
PROXIES: Final = 50
KILLED: Final = (0, 4, 7)
COOL_SECONDS: Final = 5
DRAIN_SECONDS: Final = 600.0


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold."""
    plan = read_plan(EXAMPLE)
    each = max(targets // len(plan.numbers), 2)
    wrong: list[str] = []
    for workers, kill in ((10, KILLED), (4, ()), (15, ())):
        with ExitStack() as stack:
            act = Act(place, plan, each, workers)
            stack.callback(act.end)
            site = stack.enter_context(act.site.served())
            proxies = stack.enter_context(LocalProxies(PROXIES, hosts={HOST: site.url}))
            act.import_proxies(proxies)
            act.start("proxied", f"http://{HOST}")
            wrong += [f"{workers} workers: {each}" for each in act.hold(kill)]
            used = sum(bool(proxy.log) for proxy in proxies)
            print(f"  {used} of {PROXIES} proxies were used", flush=True)
    with ExitStack() as stack:
        act = Act(place, plan, 2, 10)
        stack.callback(act.end)
        site = stack.enter_context(act.site.served())
        act.start("direct", site.url)
        wrong += act.hold_cooled()
    return wrong


class Seen(NamedTuple):
    """A request to the site: from when to when it was answered, of which state, by which worker."""

    begins: float
    ends: float
    state: str
    worker: int


class Site:
    """The site of the states, which notes who asks for what and when. It answers 429 once, to the
    request for `refuses`.
    """

    def __init__(self, plan: Plan, each: int) -> None:
        self.paths = [f"/{state}/{number}" for state in plan.numbers for number in range(each)]
        self.seen: list[Seen] = []
        self.refuses = ""
        self.refused_at = 0.0

    def served(self) -> FakeSite:
        return FakeSite(dict.fromkeys(self.paths, self._answer))

    def _answer(self, asked: Asked) -> Answer:
        now = time.monotonic()
        if asked.path == self.refuses and not self.refused_at:
            self.refused_at = now
            return Answer(status=429, headers={"Retry-After": str(COOL_SECONDS)})
        state = asked.path.split("/")[1]
        self.seen.append(
            Seen(now, now + PAGE_SECONDS, state, int(asked.headers.get("x-worker", 0)))
        )
        return Answer(asked.path, seconds=PAGE_SECONDS)


class Act:
    """One run over all states, on so many workers."""

    def __init__(self, place: Place, plan: Plan, each: int, workers: int) -> None:
        self.site = Site(plan, each)
        self._place = place
        self._plan = plan
        self._each = each
        self._count = workers
        self._run = ""
        self._workers: list[subprocess.Popen[bytes]] = []
        # When each of the workers was killed that were, by process id.
        self.killed: dict[int, float] = {}

    def import_proxies(self, proxies: LocalProxies) -> None:
        listed = self._place.folder / "proxies.txt"
        listed.write_text("\n".join(proxy.url for proxy in proxies))
        for known in self._place.store.proxies.find():
            self._place.store.proxies.remove([known.id])
        self._call("proxies", "import", str(listed))

    def load(self, scraper: str, site: str) -> tuple[str, str]:
        """Enqueue a target for each page; the scraper's code and the run."""
        os.environ["SCENE_SITE"] = site
        spec = f"{SCRAPERS}:{scraper}"
        states = self._plan.numbers
        targets = self._place.folder / "states.jsonl"
        with targets.open("w") as lines:
            for number in range(self._each):
                lines.writelines(
                    json.dumps({"state": state, "number": number}) + "\n" for state in states
                )
        answer = json.loads(
            self._call("enqueue", spec, "--targets", str(targets), "--new", "--json")
        )
        self._run = answer["run"]
        return spec, self._run

    def start(self, scraper: str, site: str) -> None:
        """Load the run, and start its workers."""
        spec, _ = self.load(scraper, site)
        options = ("--run", self._run, "--lease-seconds", str(LEASE_SECONDS))
        for number in range(self._count):
            folder = self._place.empty_folder(f"worker-{number}")
            # Without the example's pauses between targets.
            (folder / "swather.toml").write_text(toml_of(self._plan))
            self._workers.append(
                self._place.worker(
                    f"worker-{number}", spec, *options, "--number", str(number),
                    "--concurrency", str(SLOTS),
                )
            )  # fmt: skip

    def hold(self, kill: tuple[int, ...]) -> list[str]:
        place, total = self._place, len(self.site.paths)
        began = time.monotonic()
        place.wait_for(self._run, lambda counts: counts.completed > total // 4, DRAIN_SECONDS)
        self._wait_for_homes(kill)
        for number in kill:
            self._workers[number].kill()
            self.killed[self._workers[number].pid] = time.monotonic()
        orphans = self.orphans(kill)
        place.wait_for(self._run, lambda counts: not counts.unfinished, DRAIN_SECONDS)
        seconds = time.monotonic() - began
        codes = [worker.wait(60) for worker in self._workers]
        print(
            f"  {total:,} targets of {len(self._plan.numbers)} states on {self._count} workers in "
            f"{seconds:.0f} s, {len(kill)} killed"
        )
        wanted = [-9 if number in kill else 0 for number in range(self._count)]
        return [
            *self.wrong_end(orphans),
            *([] if codes == wanted else [f"the workers ended with {codes}"]),
        ]

    def wrong_end(self, orphans: set[str]) -> list[str]:
        return [*self._wrong_results(), *self._overlaps(), *self._late(orphans)]

    def hold_cooled(self) -> list[str]:
        """The first page of one state is refused: no worker asks for any until the time is over."""
        self.site.refuses = "/CA/1"
        self._place.wait_for(self._run, lambda counts: not counts.unfinished, DRAIN_SECONDS)
        at = self.site.refused_at
        settled = [each.begins for each in self.site.seen if each.begins > at + 2.0]
        during = [begins for begins in settled if begins < at + COOL_SECONDS]
        states = {each.state for each in self.site.seen if each.begins > at + COOL_SECONDS}
        print(
            f"  after a 429 to one of 51 states, {len(during)} requests within {COOL_SECONDS} s; "
            f"then {len(settled) - len(during)} of {len(states)} states"
        )
        wrong = self._wrong_results()
        if not at or not states:
            wrong.append("the 429 came too late to show anything")
        if during:
            wrong.append(f"{len(during)} requests were made while the lane cooled")
        return wrong

    def end(self) -> None:
        for worker in self._workers:
            worker.kill()
            worker.wait()

    def _wait_for_homes(self, kill: tuple[int, ...]) -> None:
        """Until each of those who will be killed serves what is planned for it."""
        deadline = time.monotonic() + LEASE_SECONDS
        planned = {name for number in kill for name in self._plan.of(number)}
        while time.monotonic() < deadline:
            owners = {each.name: each.owner_id for each in self._found() if each.name in planned}
            homes = [{owners[name] for name in self._plan.of(number)} for number in kill]
            if all(len(ids) == 1 and None not in ids for ids in homes):
                return
            time.sleep(0.05)

    def orphans(self, kill: tuple[int, ...]) -> set[str]:
        """The states of the killed in which something is left to do."""
        counts = self._place.store.partitions.counts(self._run)
        names = [name for number in kill for name in self._plan.of(number)]
        return {name for name in names if counts[name].waiting}

    def _late(self, orphans: set[str]) -> list[str]:
        """Whether others have served those states within a lease."""
        if not orphans:
            return ["nothing was left of the states of the killed"] if self.killed else []
        killed_at = max(self.killed.values())
        first = {
            state: min(
                each.begins - killed_at
                for each in self.site.seen
                if each.state == state and each.worker not in self.killed
                and each.begins > killed_at
            )
            for state in orphans
        }  # fmt: skip
        heirs = {
            each.worker
            for each in self.site.seen
            if each.state in orphans and each.begins > killed_at and each.worker not in self.killed
        }
        print(
            f"  {len(orphans)} orphaned states were served by {len(heirs)} others after "
            f"{min(first.values()):.1f} to {max(first.values()):.1f} s; the lease is "
            f"{LEASE_SECONDS:.0f} s"
        )
        return [
            f"{state} was served after {seconds:.1f} s"
            for state, seconds in first.items()
            if seconds > LEASE_SECONDS
        ]

    def _wrong_results(self) -> list[str]:
        path = self._place.folder / f"{self._run}.jsonl"
        export(self._place.store, self._run, path)
        items = Counter(
            f"/{item['state']}/{item['number']}"
            for item in map(json.loads, path.read_text().splitlines())
        )
        asked = len(self.site.seen)
        print(f"  {len(items):,} results, {asked:,} requests")
        wrong = [f"{path}: {items[path]} results" for path in self.site.paths if items[path] != 1]
        in_flight = SLOTS * len(self.killed)
        if asked - len(self.site.paths) > in_flight:
            wrong.append(f"{asked:,} requests for {len(self.site.paths):,} targets")
        return wrong + self._place.store.upkeep.check()

    def _overlaps(self) -> list[str]:
        """States that two workers have asked for at one time; the dead ask for nothing."""
        wrong = []
        by_state: dict[str, list[Seen]] = defaultdict(list)
        for each in sorted(self.site.seen):
            ends = min(each.ends, self.killed.get(each.worker, each.ends))
            by_state[each.state].append(each._replace(ends=ends))
        for state, seen in by_state.items():
            last = seen[0]
            for each in seen[1:]:
                if each.worker != last.worker and each.begins < last.ends:
                    wrong.append(f"{state} was served by {last.worker} and {each.worker} at once")
                last = each if each.ends >= last.ends else last
        moves = sum(len({each.worker for each in seen}) - 1 for seen in by_state.values())
        print(f"  {moves} times a state went to another worker; {len(wrong)} overlaps")
        return wrong

    def _found(self) -> list[Partition]:
        return self._place.store.partitions.find(self._run)

    def _call(self, *words: str) -> str:
        return subprocess.run(
            [SWATHER, *words, "--db", self._place.url],
            cwd=self._place.folder,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
