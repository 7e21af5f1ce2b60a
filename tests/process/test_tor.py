"""Workers as processes, each with a Tor daemon of its own: at once, killed, and after their end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.tor_network import EXITS, GONE, TorNetwork
from tests.tor_site import tor_site
from tests.worker.given import wait_until

PROGRAM = Path(sys.executable).with_name("swather")
PATIENCE_SECONDS = 120.0
SCRAPER = """
from swather import scraper

@scraper(tor=True, robots=False, rate="4/s")
async def through_tor(ctx, url):
    yield {"exit": (await ctx.get(url)).text}
"""


class Daemons:
    """Those that have their folders here: process by folder."""

    def __init__(self, temporary: Path) -> None:
        self._temporary = temporary

    def find(self) -> dict[str, int]:
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes().decode().split("\0")
                if len(words) > 2 and words[2].startswith(str(self._temporary)):
                    found[words[2]] = int(process.name)
        return found

    @staticmethod
    def worker_of(daemon: int) -> int:
        return int(Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def swather_run(url: str, folder: Path, network: TorNetwork) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            [PROGRAM, "run", "through_tor.py", "--targets", "urls.txt", "--db", url,
             "--workers", "2", "--concurrency", "2", "-o", "out.jsonl"],
            cwd=folder,
            env={**os.environ, "SWATHER_TOR_CONFIG": network.config, "TMPDIR": str(folder / "tmp")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def listening_ports(process: int) -> set[int]:
    """Where a process listens."""
    inodes = set()
    for opened in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            inodes.add(str(opened.readlink()))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {
        int(row[1].rpartition(":")[2], 16)
        for row in rows
        if row[3] == "0A" and f"socket:[{row[9]}]" in inodes
    }


@pytest.mark.timeout(300)
def test_workers_have_their_own_daemons_and_a_killed_one_leaves_none(
    either_url: str, tmp_path: Path, tor_net: TorNetwork
):
    (tmp_path / "tmp").mkdir()
    (tmp_path / "through_tor.py").write_text(SCRAPER)
    daemons = Daemons(tmp_path / "tmp")
    with tor_site(tor_net) as site:
        urls = [f"{site.url}/{number}" for number in range(16)]
        (tmp_path / "urls.txt").write_text("\n".join(urls))
        with swather_run(either_url, tmp_path, tor_net) as run:
            wait_until(lambda: len(daemons.find()) == 2 and site.log, PATIENCE_SECONDS)
            both = sorted(daemons.find().items())
            (folder, first), (_, second) = both
            assert daemons.worker_of(first) != daemons.worker_of(second)
            ports = [listening_ports(process) for process in (first, second)]
            assert [len(each) for each in ports] == [2, 2]
            assert ports[0].isdisjoint(ports[1])
            os.kill(daemons.worker_of(first), signal.SIGKILL)
            wait_until(lambda: folder not in daemons.find())
            assert run.wait(PATIENCE_SECONDS) == 0, (tmp_path / "stderr").read_text()
            wait_until(lambda: daemons.find() == {})
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert len(rows) == len(urls)
        assert {row["exit"] for row in rows} <= set(EXITS)
        assert {came_by for came_by, _ in site.log} <= {*EXITS, GONE}, "none came directly"
