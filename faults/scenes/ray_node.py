"""Four workers on three nodes of a real Ray cluster; one node is removed in the middle.

Ray is a large package, so that only those who play this scene install it: pip install ray
"""

import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from faults.scenes.place import SWATHER, Place
from swather import posix
from swather.runs.export import export

WORKERS: Final = 4
NODES: Final = 3
LEASE_SECONDS: Final = 5.0
# Ray takes about 15 seconds to give a silent node up; there must be work left after that.
TARGET_SECONDS: Final = 0.5
DRAIN_SECONDS: Final = 300.0
SCRAPER: Final = """\
import asyncio
import os

from swather import scraper


@scraper(in_flight=None, rate="none")
async def shelf(ctx, target):
    with open(ctx.params["ledger"], "a") as lines:
        lines.write(f"{target} {os.getpid()}\\n")
    await asyncio.sleep(float(ctx.params["seconds"]))
    yield {"target": target}
"""


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold."""
    with ExitStack() as stack:
        began = time.monotonic()
        cluster, nodes = stack.enter_context(_cluster())
        print(f"a head and {NODES} nodes of Ray are up after {time.monotonic() - began:.1f} s")
        print(f"they take {_memory_mb('/ray/|ray::|ray-'):,} MB")
        project = place.empty_folder("project")
        (project / "shelf.py").write_text(SCRAPER)
        run = _enqueued(place, project, targets)
        began = time.monotonic()
        fleet = stack.enter_context(_fleet(place, project, run, cluster.address))
        _until(lambda: len(place.store.workers.find()) >= WORKERS, "the workers register", fleet)
        print(
            f"{WORKERS} workers have registered {time.monotonic() - began:.1f} s after `fleet up`"
        )
        place.wait_for(run, lambda counts: counts.completed > targets // 4, DRAIN_SECONDS)
        print(
            f"workers and their actors take {_memory_mb('ray::RayWorker|swather.cli worker '):,} MB"
        )
        before = _places(place)
        cluster.remove_node(nodes[0], allow_graceful=False)
        removed = time.monotonic()
        print(f"a node is removed at {place.store.runs.counts(run).completed:,} completed")
        _until(lambda: any("moved" in one for one in _places(place)), "Ray moves a worker", fleet)
        print(f"Ray has moved a worker {time.monotonic() - removed:.1f} s later")
        moved_at = place.store.runs.counts(run).completed
        after = _places(place)
        place.wait_for(run, lambda counts: not counts.unfinished, DRAIN_SECONDS)
        code = fleet.wait(60)
        print(f"complete {time.monotonic() - removed:.1f} s after the removal; exit code {code}")
    for here, there in zip(before, after, strict=True):
        print(f"  {here}  ->  {there}")
    return [
        *_wrong_end(place, run, targets),
        *([] if moved_at < targets else ["a worker was moved when nothing was left to do"]),
        *([] if code == 0 else [f"the fleet ended with {code}"]),
        *(["a worker of the fleet is left"] if place.store.workers.find() else []),
    ]


@contextmanager
def _cluster() -> Iterator[tuple[Any, list[Any]]]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - not installed for the tests

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        yield cluster, [cluster.add_node(num_cpus=2) for _ in range(NODES)]
    finally:
        cluster.shutdown()


def _enqueued(place: Place, project: Path, targets: int) -> str:
    """The run."""
    lines = project / "targets.txt"
    lines.write_text("".join(f"target-{number}\n" for number in range(targets)))
    done = subprocess.run(
        [
            SWATHER, "enqueue", "shelf.py", "--targets", lines, "--db", place.url, "--json",
            "-p", f"ledger={place.folder / 'executed'}", "-p", f"seconds={TARGET_SECONDS}",
        ],
        cwd=project,
        stdout=subprocess.PIPE,
        check=True,
    )  # fmt: skip
    return str(json.loads(done.stdout)["run"])


@contextmanager
def _fleet(
    place: Place, project: Path, run: str, address: str
) -> Iterator["subprocess.Popen[bytes]"]:
    with (place.folder / "fleet.log").open("wb") as log:
        fleet = subprocess.Popen(
            [
                SWATHER, "fleet", "up", "shelf.py", "--run", run, "--on", "ray", "--yes",
                "--workers", str(WORKERS), "--lease-seconds", str(LEASE_SECONDS),
            ],
            cwd=project,
            env={
                **os.environ,
                "SWATHER_DB": place.url,
                "SWATHER_RAY_ADDRESS": address,
                "SWATHER_STAGGER_SECONDS": "0.1",
            },
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )  # fmt: skip
    try:
        yield fleet
    finally:
        fleet.terminate()
        fleet.wait()
        print((place.folder / "fleet.log").read_text(), end="")


def _places(place: Place) -> list[str]:
    """Where the fleet says that its workers are."""
    (supervisor,) = place.store.supervisors.find()
    return [f"worker {one['number']}: {one['where']}" for one in supervisor.said["workers"]]


def _memory_mb(pattern: str) -> int:
    """Of the processes of this machine whose commands look like this."""
    known = re.compile(pattern)
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):
            continue
        if known.search(command):
            found += posix.memory_bytes(int(process.name))
    return found >> 20


def _until(condition: Callable[[], bool], what: str, fleet: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120.0
    while not condition():
        if time.monotonic() > deadline or fleet.poll() is not None:
            raise RuntimeError(f"not so, though it should: {what}")
        time.sleep(0.1)


def _wrong_end(place: Place, run: str, targets: int) -> list[str]:
    counts = place.store.runs.counts(run)
    path = place.folder / "results.jsonl"
    export(place.store, run, path)
    with path.open() as lines:
        items = Counter(json.loads(line)["target"] for line in lines)
    with (place.folder / "executed").open() as lines:
        executed = Counter(line.split()[0] for line in lines)
    again = sum(executed.values()) - len(executed)
    print(
        f"{counts.completed:,} completed, {sum(items.values()):,} results of {len(items):,} "
        f"targets; {again:,} run again"
    )
    wrong = place.store.upkeep.check()
    if (counts.completed, counts.failed, counts.total) != (targets, 0, targets):
        wrong.append(f"counts: {counts}")
    if len(items) != targets or sum(items.values()) != targets:
        wrong.append(f"{sum(items.values()):,} results of {len(items):,} targets")
    return wrong
