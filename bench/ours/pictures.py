"""Swather downloading pictures: `swather run media` with two workers, as a person starts it.

Each picture is a target. Its bytes are streamed to disk, its type is found by its first bytes, it
is decoded by Pillow, compared with what was downloaded before, and published with the commit of its
item. The limit of 8 requests in flight per host is off: concurrency is what all contenders have.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench import driver

SWATHER = Path(sys.executable).parent / "swather"


def download(urls: str, folder: str, workers: int, at_once: int, db: str) -> dict[str, Any]:
    count = len(Path(urls).read_text().splitlines())
    command = [
        SWATHER, "run", "media", "--targets", urls, "--db", db, "--workers", str(workers),
        "--concurrency", str(at_once), "--output-dir", f"{folder}/pictures", "--json",
    ]  # fmt: skip
    before = driver.spent_by_children()
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False,
        env=driver.environment(SWATHER_IN_FLIGHT="100000"),
    )  # fmt: skip
    seconds = time.perf_counter() - began
    assert done.returncode == 0, done.stderr[-2000:]
    completed = json.loads(done.stdout)["counts"]["completed"]
    found = sum(
        1 for path in Path(folder, "pictures").rglob("*.jpg") if ".content" not in path.parts
    )
    assert completed == found == count, f"{completed} completed, {found} files of {count}"
    return {"seconds": seconds, "cpu_seconds": driver.spent_by_children() - before}


if __name__ == "__main__":
    driver.main(download=download)
