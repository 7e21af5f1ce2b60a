"""Plays what can hold a run back, on both databases, and prints what a person sees.

python -m tests.tour [SCENE]… [--on sqlite|postgres]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests import postgres
from tests.tour import dead_database
from tests.tour.scenes import SCENES
from tests.tour.stage import Missed, Stage


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    asked = _asked()
    scenes = [*SCENES, dead_database.a_dead_database]
    chosen = [scene for scene in scenes if scene.__name__ in asked.scenes or not asked.scenes]
    missed = []
    for kind in asked.on or ["sqlite", "postgres"]:
        server = postgres.start() if kind == "postgres" else None
        try:
            for scene in chosen:
                say(f"\n=== {kind}: {scene.__name__.replace('_', ' ')} ===")
                say(scene.__doc__ or "")
                if problem := _play(scene, server):
                    missed.append(f"{kind}, {scene.__name__}: {problem.splitlines()[0]}")
                    say(f"MISSED: {problem}")
        finally:
            if server is not None:
                server.stop()
    say("\n" + ("\n".join(["Missed:", *missed]) if missed else "Everything was named in time."))
    return 1 if missed else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--on", action="append", choices=["sqlite", "postgres"])
    return parser.parse_args()


def _play(scene: Callable[[Stage], None], server: postgres.PostgresServer | None) -> str | None:
    """What it missed."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        try:
            if server is None:
                scene(Stage(folder, f"sqlite:///{folder / 'queue.db'}", say))
            else:
                with server.fresh_database() as url:
                    stage = Stage(folder, url, say)
                    stage.swather("db", "init")
                    scene(stage)
        except (Missed, subprocess.TimeoutExpired) as error:
            return str(error)
    say(f"({time.monotonic() - began:.0f} s)")
    return None


if __name__ == "__main__":
    sys.exit(main())
