"""1,000 files into a bucket by two workers, of which one is killed; then the server is away for
30 s.
"""

import os
import time
from hashlib import sha256
from typing import Final

from faults.scenes.place import Place
from faults.scenes.scrapers import content_of
from tests.fake_s3 import FakeS3

LEASE_SECONDS: Final = 5.0
AWAY_SECONDS: Final = 30.0
DRAIN_SECONDS: Final = 600.0
SIZE: Final = 100_000


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold."""
    with FakeS3() as s3:
        os.environ.update(s3.environment)
        options = ["-p", f"bytes={SIZE}", "-p", "seconds=0.1"]
        run = place.enqueue("--targets", str(place.urls(targets)), *options)["run"]
        for name in ("machine-0", "machine-1"):
            settings = place.empty_folder(name) / "swather.toml"
            settings.write_text('files_folder = "s3://bucket/scene"\n')
        options = ["--run", run, "--lease-seconds", str(LEASE_SECONDS), "--concurrency", "20"]
        workers = [place.worker(f"machine-{number}", *options) for number in range(2)]
        try:
            place.wait_for(run, lambda counts: counts.completed > targets // 4, DRAIN_SECONDS)
            workers[0].kill()
            print(f"killed one at {place.store.runs.counts(run).completed:,} completed")
            place.wait_for(run, lambda counts: counts.completed > targets // 2, DRAIN_SECONDS)
            s3.stop()
            went_at = place.store.runs.counts(run).completed
            time.sleep(AWAY_SECONDS)
            back_at = place.store.runs.counts(run)
            s3.start()
            print(f"away at {went_at:,} completed, back at {back_at.completed:,}")
            place.wait_for(run, lambda counts: not counts.unfinished, DRAIN_SECONDS)
            codes = [worker.wait(60) for worker in workers]
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()
        print(f"the workers ended with {codes}; {sum(s3.requests.values()):,} requests")
        return [
            *_wrong_files(place, targets, s3),
            *_wrong_counts(place, run, targets),
            *([] if codes == [-9, 0] else [f"the workers ended with {codes}"]),
        ]


def _wrong_files(place: Place, targets: int, s3: FakeS3) -> list[str]:
    with (place.folder / "urls.txt").open() as lines:
        wanted = {
            f"scene/{url.rpartition('/')[2]}.bin": content_of(url, SIZE)
            for url in map(str.strip, lines)
        }
    named = s3.named()
    half = [
        key
        for key, stored in s3.objects.items()
        if "/.content/" in key and sha256(stored.content).hexdigest() != key.rpartition("/")[2]
    ]
    print(f"{len(named):,} of {targets:,} files are there, {len(half)} with a wrong hash")
    wrong = [f"{key} is missing or not whole" for key in wanted if named.get(key) != wanted[key]]
    wrong += [f"{key} should not be there" for key in named if key not in wanted]
    return [*wrong, *(f"{key} does not have its hash" for key in half)]


def _wrong_counts(place: Place, run: str, targets: int) -> list[str]:
    counts = place.store.runs.counts(run)
    wrong = [] if not place.store.results.unlinked() else ["some files are not marked as named"]
    if (counts.completed, counts.failed, counts.files) != (targets, 0, targets):
        wrong.append(f"counts: {counts}")
    return wrong
