"""Where it was measured: the machine, its disk, the versions of everything."""

import os
import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.environment import PEERS
from bench.store.measure import disk_latency

OURS = ("swather", "apsw", "psycopg", "wreq", "selectolax", "msgspec")
THEIRS = (
    *("asyncpg", "celery", "crawlee", "dramatiq", "hiredis", "huey", "img2dataset"),
    *("pgqueuer", "procrastinate", "psycopg", "redis", "rq", "saq", "scrapy", "twisted", "uvloop"),
)
PROGRAMS = {
    "Chromium": ["chromium", "--version"],
    "PostgreSQL": ["psql", "--version"],
    "Redis server": ["redis-server", "--version"],
    "nginx": ["nginx", "-v"],
    "wrk": ["wrk", "--version"],
}


def describe() -> dict[str, Any]:
    return {
        "system": _system(),
        "kernel": platform.release(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "python": platform.python_version(),
        "fsync_ms": round(disk_latency(100).p50_ms, 2),
        "load": os.getloadavg()[0],
    }


def versions() -> dict[str, str]:
    """Of what is there: a part without peers is measured without them."""
    found = {name: metadata.version(name) for name in OURS}
    if PEERS.exists():
        found |= _of_peers()
    programs = {name: _of_program(command) for name, command in PROGRAMS.items()}
    return found | {name: version for name, version in programs.items() if version}


def _of_peers() -> dict[str, str]:
    program = f"from importlib.metadata import version as v; print(*map(v, {THEIRS!r}))"
    theirs = subprocess.run([PEERS, "-c", program], check=True, capture_output=True, text=True)
    return dict(zip(THEIRS, theirs.stdout.split(), strict=True))


def _of_program(command: list[str]) -> str:
    path = f"{os.environ['PATH']}:/usr/sbin"
    if shutil.which(command[0], path=path) is None:
        return ""
    said = subprocess.run(
        command,
        env={**os.environ, "PATH": path},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ).stdout
    number = re.search(r"\d+(?:\.\d+)+", said)
    return number[0] if number else "unknown"


def _system() -> str:
    release = Path("/etc/os-release")
    if release.exists() and (name := re.search(r'PRETTY_NAME="(.+)"', release.read_text())):
        return name[1]
    return platform.platform()


def _processor() -> str:
    about = Path("/proc/cpuinfo")
    if about.exists() and (name := re.search(r"model name\s*: (.+)", about.read_text())):
        return name[1]
    return platform.processor()
