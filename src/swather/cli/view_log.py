"""Log records on the screen of a run that is executed in this process."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from swather.runs.view import View


class _Saying(logging.Handler):
    """Log records among what the view says, so that they do not break its picture."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view = view

    def emit(self, record: logging.LogRecord) -> None:
        task = getattr(record, "task", None)
        which = "" if task is None else f" [task {task}]"
        self._view.say(f"{record.levelname} {self.format(record)}{which}")


@contextmanager
def logged_to(view: View, *, verbose: bool) -> Iterator[None]:
    root, scrapers = logging.getLogger(), logging.getLogger("swather.scraper")
    before = root.level, scrapers.level
    handler = _Saying(view)
    root.addHandler(handler)
    root.setLevel(logging.INFO if verbose else logging.WARNING)
    # What a scraper says of itself is meant to be seen.
    scrapers.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        scrapers.setLevel(before[1])
