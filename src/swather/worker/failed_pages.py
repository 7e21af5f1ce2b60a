"""What a browser showed when an attempt failed: a picture and the HTML, as files of the run."""

import asyncio
import logging
from collections import Counter
from concurrent.futures import Executor
from typing import Final

from swather.file_location import Location
from swather.net.egress_policy import BrowserPolicy
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

    def __init__(self, policy: BrowserPolicy, executor: Executor) -> None:
        self._executor = executor
        self._max_kept = MAX_KEPT if policy.keep_failed else 0
        self._kept: Counter[int] = Counter()

    def wants(self, attempt: Attempt) -> bool:
        """Whether there is room for what it showed."""
        return self._kept[attempt.job.run.id] < self._max_kept

    async def keep(self, attempt: Attempt, seen: Seen) -> None:
        """A failure that cannot be kept is a failure all the same."""
        if not self.wants(attempt):
            return
        self._kept[attempt.job.run.id] += 1
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


def _save(files: FileStore, name: str, seen: Seen) -> list[Location]:
    parts = ((seen.screenshot, "png", "image/png"), (seen.html, "html", "text/html"))
    return [
        files.link_name(files.save(content)[0], f"{name}.{extension}", media_type)
        for content, extension, media_type in parts
        if content
    ]
