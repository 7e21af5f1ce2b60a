"""img2dataset, over a list of URLs in a text file.

Settings: those of its README, with a process per core and 64 threads in each, and its defaults
otherwise: pictures are decoded, resized to 256 x 256 with a border, encoded again and written as
files, with a JSON file beside each. `resize_mode` "no" leaves out the resizing, not the decoding
and encoding. Shards are of 1,000 instead of 10,000, so that all processes have work. It writes no
file durably, and an interrupted shard is downloaded again.
"""

import time
from pathlib import Path
from typing import Any

import img2dataset

from bench import driver

PER_SHARD = 1_000


def download(
    urls: str, folder: str, workers: int, at_once: int, resize_mode: str
) -> dict[str, Any]:
    count = len(Path(urls).read_text().splitlines())
    before = driver.spent()["cpu_seconds"] + driver.spent_by_children()
    began = time.perf_counter()
    img2dataset.download(
        url_list=urls,
        output_folder=f"{folder}/pictures",
        processes_count=workers,
        thread_count=at_once,
        resize_mode=resize_mode,
        number_sample_per_shard=min(PER_SHARD, count // workers),
    )
    seconds = time.perf_counter() - began
    found = sum(1 for _ in Path(folder, "pictures").rglob("*.jpg"))
    assert found == count, f"{found} files of {count}"
    spent = driver.spent()["cpu_seconds"] + driver.spent_by_children() - before
    return {"seconds": seconds, "cpu_seconds": spent}


if __name__ == "__main__":
    driver.main(download=download)
