"""`python -m faults`: hold trials of every fault on both databases, and print what came of them."""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import swather.store
from bench.servers.postgres import postgres_server
from faults import injections
from faults.count import Count
from faults.network import Network
from faults.proxy import CuttingProxy
from faults.trial import Trial
from tests.postgres import PostgresServer

COLUMNS = ("lost", "phantom", "dup_effect", "stale_write", "stuck", "mislabelled", "wrong")
DISK_MEGABYTES = 24


def main() -> int:
    given = _arguments()
    print(f"seed {given.seed}; the same again: python -m faults --seed {given.seed}")
    failed = caught = 0
    with ExitStack() as stack:
        server = stack.enter_context(postgres_server()) if "postgres" in given.databases else None
        for database in given.databases:
            for name, fault in _faults(database, given.only).items():
                for number in range(given.trials):
                    counted, seconds = _hold(
                        database, server, name, fault, Random(f"{given.seed}{name}{number}"), given
                    )
                    failed += not counted.holds
                    print(_line(database, name, number, counted, seconds), flush=True)
            if given.control:
                caught += _control(database, server, given)
    print(f"{failed} trials failed" if failed else "every trial held")
    if given.control:
        print(f"without fences: {caught} of {len(given.databases)} controls caught")
    return 1 if failed or (given.control and caught < len(given.databases)) else 0


def _control(database: str, server: PostgresServer | None, given: argparse.Namespace) -> bool:
    """A checker that never fails proves nothing: without fences it must see stale writes."""
    for number in range(5):
        name = "heartbeats lost"
        random = Random(f"{given.seed}control{number}")
        counted, seconds = _hold(
            database, server, name, injections.mute_a_worker, random, given, fenced=False
        )
        print(_line(database, "no fences", number, counted, seconds, is_control=True), flush=True)
        if not counted.holds:
            return True
    return False


def _hold(
    database: str,
    server: PostgresServer | None,
    name: str,
    fault: injections.Fault,
    random: Random,
    given: argparse.Namespace,
    *,
    fenced: bool = True,
) -> tuple[Count, float]:
    began = time.monotonic()
    with ExitStack() as stack:
        folder = stack.enter_context(_folder(small=name == "full disk"))
        proxy = network = None
        if fault is injections.cut_the_network:
            network = stack.enter_context(Network())
            server = stack.enter_context(network.server())
        if database == "sqlite":
            url = f"sqlite:///{folder}/swather.db"
        else:
            assert server is not None
            url = stack.enter_context(server.fresh_database())
            swather.store.prepare(url)
            if fault is injections.cut_at_commit:
                proxy = CuttingProxy(url)
                stack.callback(proxy.close)
        trial = Trial(
            url,
            folder,
            random,
            targets=given.targets,
            fenced=fenced,
            # So that many are under way when their lease has run out.
            longest_seconds=8.0 if fault in injections.PAST_THE_LEASE else 1.0,
            through=proxy,
            network=network,
        )
        return trial.hold(fault), time.monotonic() - began


@contextmanager
def _folder(*, small: bool) -> Iterator[Path]:
    """A folder of its own; a small one is a file system of its own, which only root can mount."""
    with tempfile.TemporaryDirectory(prefix="swather-faults-") as name:
        if not small:
            yield Path(name)
            return
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", name], check=True
        )
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "-l", name], check=True)


def _faults(database: str, only: str | None) -> dict[str, injections.Fault]:
    own = injections.ON_SQLITE if database == "sqlite" else injections.ON_POSTGRES
    return {
        name: fault
        for name, fault in {**injections.ON_BOTH, **own}.items()
        if only is None or only in name
    }


def _line(
    database: str,
    name: str,
    number: int,
    counted: Count,
    seconds: float,
    *,
    is_control: bool = False,
) -> str:
    zero = " ".join(f"{column} {getattr(counted, column)}" for column in COLUMNS)
    verdict = "held" if counted.holds else "FAILED"
    if is_control:
        verdict = "missed" if counted.holds else "caught"
    return (
        f"{verdict:<6} {database:<8} {name:<24} #{number} {counted.tasks} tasks: {zero}; "
        f"{counted.dup_run} run again; {seconds:.0f} s"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("--trials", type=int, default=3, help="of each fault on each database")
    parser.add_argument("--targets", type=int, default=300, help="of each trial")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", help="faults whose name contains this")
    parser.add_argument("--control", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument(
        "--databases", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"]
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
