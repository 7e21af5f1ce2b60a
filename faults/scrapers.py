"""What the campaign scrapes: nothing, but slowly enough to be interrupted."""

import os
import random
import time
from pathlib import Path

from swather import scraper


@scraper(retries=3, timeout=60, in_flight=None, version="1")
def campaign(ctx, target):
    """Notes that it runs, where no database is involved, and leaves an item and now and then a
    file.
    """
    ledger, key = Path(target["ledger"]), target["key"]
    with ledger.open("a") as lines:
        lines.write(f"{key} {os.getpid()}\n")
    time.sleep(random.uniform(0.0, target["seconds"]))
    if target["saves"]:
        ctx.save(f"file of {key}".encode(), name=f"{key}.txt")
        ctx.checkpoint({"saved": True})
    # A target that may have killed its workers runs in a child of one.
    ctx.emit({"key": key, "pids": [os.getpid(), os.getppid()]})
