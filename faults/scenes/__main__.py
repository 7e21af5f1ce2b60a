"""`python -m faults.scenes`: hold whole scenes at full size, and say what did not hold."""

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import swather.store
from bench.servers.postgres import postgres_server
from faults.scenes import (
    bucket,
    crash_looper,
    fifty_states,
    fleet,
    hundred_thousand,
    listings,
    million,
    ray_node,
    schedulers,
)
from faults.scenes.place import Place
from tests.postgres import PostgresServer

Hold = Callable[..., list[str]]


# What holds it, and with how many targets.
SCENES: dict[str, tuple[Hold, int]] = {
    "bucket": (bucket.hold, 1_000),
    "crash_looper": (crash_looper.hold, 10_200),
    "fleet": (fleet.hold, 3_000),
    "hundred_thousand": (hundred_thousand.hold, 100_000),
    "fifty_states": (fifty_states.hold, 5_100),
    # Searches in all states.
    "listings": (listings.hold, 1_020),
    "million": (million.hold, 1_000_000),
    "ray_node": (ray_node.hold, 4_000),
    # Due times, one a minute.
    "schedulers": (schedulers.hold, 10),
}
# Those that compare with a small run on another database, which they are given as well.
COMPARING = {"million"}


def main() -> int:
    given = _arguments()
    failed = 0
    with ExitStack() as stack:
        server = stack.enter_context(postgres_server()) if "postgres" in given.databases else None
        for name in given.scenes:
            hold, targets = SCENES[name]
            for database in given.databases:
                with ExitStack() as scene:
                    print(f"{name} on {database}", flush=True)
                    place = _place(scene, database, server)
                    beside = [_place(scene, database, server)] if name in COMPARING else []
                    wrong = hold(place, given.targets or targets, *beside)
                for line in wrong[:20]:
                    print(f"  WRONG: {line}")
                print(f"{'FAILED' if wrong else 'held'}: {name} on {database}", flush=True)
                failed += bool(wrong)
    return 1 if failed else 0


def _place(scene: ExitStack, database: str, server: PostgresServer | None) -> Place:
    """One with a fresh database and a folder of its own, until the end of the scene."""
    temporary = tempfile.TemporaryDirectory(prefix="swather-scene-", ignore_cleanup_errors=True)
    folder = Path(scene.enter_context(temporary))
    url = f"sqlite:///{folder}/swather.db"
    if database == "postgres":
        assert server is not None
        url = scene.enter_context(server.fresh_database())
    swather.store.prepare(url)
    place = Place(url, folder)
    scene.callback(place.store.close)
    return place


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m faults.scenes", description=__doc__)
    default = [name for name in SCENES if name != "ray_node" or find_spec("ray")]
    parser.add_argument("scenes", nargs="*", default=default, choices=[*SCENES, []])
    parser.add_argument("--targets", type=int, help="instead of the scene's own number")
    parser.add_argument(
        "--databases", nargs="+", default=["postgres"], choices=["sqlite", "postgres"]
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
