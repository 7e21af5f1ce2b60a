"""The verbs of sources: may one be asked, and how have they answered? What attempts note of them is
committed with results: see Queue.
"""

from typing import Protocol

from swather.model.source import SourceState, SourceStats
from swather.store.ports.queue import Fence


class Sources(Protocol):
    def ask(self, fence: Fence, scraper: str, source: str) -> SourceState:
        """Whether the source may be asked. When the time of an open breaker is over, one attempt of
        the fleet may; a stale fence may not.
        """
        ...

    def find(self, *, since_seconds: float, scraper: str | None = None) -> list[SourceStats]:
        """All that were asked in the last `since_seconds`, counted by whole hours, or that have
        failed since they last succeeded.
        """
        ...

    def of_run(self, run: str) -> list[SourceStats]:
        """Those that the run has asked, and those that its running attempts report
        (`ctx.progress`).
        """
        ...

    def reset(self, scraper: str, source: str) -> bool:
        """Close a source's breaker and forget its failures in a row; whether there were any."""
        ...
