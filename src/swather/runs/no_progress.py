"""Notices a run in which no target ends any more."""

from typing import Final

from swather.model.notice import NewNotice, NoticeKind
from swather.model.run import RunState
from swather.runs.why import why_run
from swather.store import Store

MAX_RUNS: Final = 100
_MAX_REASONS: Final = 5


class NoProgress:
    """Remembers for each open run since when as many of its targets have ended as now."""

    def __init__(self, patience_seconds: float) -> None:
        self._patience_seconds = patience_seconds
        self._since: dict[int, tuple[int, float]] = {}

    def look(self, store: Store, now: float) -> list[str]:
        """The runs of which a notice was written now; `now` is of any clock that does not jump."""
        told, seen = [], {}
        for run in store.runs.find(state=RunState.OPEN, limit=MAX_RUNS):
            counts = store.runs.counts(run.name)
            # Only targets that are due can make progress.
            if run.paused or not counts.ready + counts.leased:
                continue
            done, since = self._since.get(run.id, (counts.done, now))
            if done != counts.done:
                done, since = counts.done, now
            seen[run.id] = done, since
            if now - since < self._patience_seconds:
                continue
            reasons = [reason.sentence for reason in why_run(store, run.name)]
            new = NewNotice(
                kind=NoticeKind.NO_PROGRESS,
                key=f"no_progress {run.id} {done}",
                scraper=run.scraper,
                run=run.name,
                data={
                    "seconds": round(now - since),
                    "done": done,
                    "unfinished": counts.unfinished,
                    "why": reasons[:_MAX_REASONS],
                },
            )
            if store.notices.add(new):
                told.append(run.name)
        self._since = seen
        return told
