"""Downloading local pictures of 50 KB, two processes each."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.driver import ask
from bench.environment import OURS, PEERS
from bench.figures import Figure
from bench.queues import QUEUES, Queue
from bench.servers.pictures import picture_site
from bench.setting import Contender, Setting, in_turns

WORKERS = 2
AT_ONCE = 64
WORK = "pictures"
SECONDS = 1_200.0


def measure(setting: Setting) -> list[Figure]:
    count = setting.pick(1_000, 10_000)
    with picture_site(count) as site:
        return in_turns(setting, _contenders(setting, site, count))


def _contenders(setting: Setting, site: str, count: int) -> Iterator[Contender]:
    for queue in QUEUES:
        if queue.kind == "ours":
            ours = partial(_ours, setting, queue, site, count)
            yield Contender(queue.who, "ours", ours, "decoded, committed")
    for mode, note in (("border", "resized"), ("no", "not resized")):
        theirs = partial(_driven, site, count, PEERS, "bench.peers.img2dataset", resize_mode=mode)
        name = "img2dataset" if mode == "border" else "img2dataset, resize_mode=no"
        yield Contender(name, "peer", theirs, f"decoded, {note}, encoded again")


def _ours(setting: Setting, queue: Queue, site: str, count: int) -> dict[tuple[str, str], float]:
    with queue.fresh(setting) as url:
        return _driven(site, count, OURS, "bench.ours.pictures", db=url)


def _driven(
    site: str, count: int, python: Path, module: str, **given: object
) -> dict[tuple[str, str], float]:
    with tempfile.TemporaryDirectory(prefix="swather-bench-", dir="/var/tmp") as folder:
        urls = Path(folder) / "urls.txt"
        urls.write_text("".join(f"{site}/{number}.jpg\n" for number in range(count)))
        answer = ask(
            python, module, "download", seconds=SECONDS,
            urls=str(urls), folder=folder, workers=WORKERS, at_once=AT_ONCE, **given,
        )  # fmt: skip
    return {
        (WORK, "pictures/s"): count / answer["seconds"],
        (f"{WORK}: CPU", "ms/picture"): answer["cpu_seconds"] / count * 1e3,
    }
