"""A driver is a module that does one contender's work in a process of its own.

`python -m bench.peers.scrapy fetch '{"count": 10}'` prints its answer, a JSON object, last.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def main(**verbs: Callable[..., dict[str, Any]]) -> None:
    """The program of a driver: do the verb that was asked for, and print what came of it."""
    verb, given = sys.argv[1], json.loads(sys.argv[2])
    answer = verbs[verb](**given)
    print(json.dumps(answer), flush=True)


def ask(python: Path, module: str, verb: str, *, seconds: float = 300.0, **given: Any) -> Any:
    """The answer of a driver, in a process of its own."""
    command = [str(python), "-m", module, verb, json.dumps(given)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module} {verb} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def environment(**more: str) -> dict[str, str]:
    """The environment of drivers: nobody's settings but those they make themselves."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SWATHER_")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", **more}


def spent_by_children() -> float:
    """Processor seconds of the processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spent() -> dict[str, float]:
    """Processor seconds and peak memory of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"cpu_seconds": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}
