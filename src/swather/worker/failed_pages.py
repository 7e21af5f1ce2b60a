"""What a browser showed when an attempt failed: a picture and the HTML, as files of the run."""

import asyncio
import logging
from collections import Counter
from concurrent.futures import Executor
from pathlib import Path
from typing import Final

from swather.scraping.files import FileStore
from swather.scraping.tabs import Seen
from swather.worker.attempt import Attempt

# Attempts of a run of which a worker keeps them; all others fail like these.
MAX_KEPT: Final = 100

_log = logging.getLogger(__name__)


class FailedPages:
    """They are no results: their names, failures/TASK-ATTEMPT.png and .html, are given at once, and
    the log of the task says where they are.
    """

    def __init__(self, executor: Executor, *, max_kept: int = MAX_KEPT) -> None:
        self._executor = executor
        self._max_kept = max_kept
        self._kept: Counter[int] = Counter()

    async def keep(self, attempt: Attempt, seen: Seen) -> None:
        """A failure that cannot be kept is a failure all the same."""
        run_id = attempt.job.run.id
        if self._kept[run_id] >= self._max_kept:
            return
        self._kept[run_id] += 1
        name = f"failures/{attempt.lease.task_id}-{attempt.lease.attempt}"
        try:
            paths = await asyncio.get_running_loop().run_in_executor(
                self._executor, _save, attempt.job.files, name, seen
            )
        except OSError as error:
            _log.warning(
                "the page task %d failed on was not kept: %s", attempt.lease.task_id, error
            )
            return
        shown = " and ".join(map(str, paths))
        attempt.notes.keep(logging.WARNING, "the page it failed on: %s", (shown,))


def _save(files: FileStore, name: str, seen: Seen) -> list[Path]:
    parts = ((seen.screenshot, "png", "image/png"), (seen.html, "html", "text/html"))
    return [
        files.link_name(files.save(content)[0], f"{name}.{extension}", media_type)
        for content, extension, media_type in parts
        if content
    ]
