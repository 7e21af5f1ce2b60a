"""The live exporter: a thread that writes a run's items to its results file as they come."""

import logging
import math
import threading
import time
from pathlib import Path
from typing import Final, NamedTuple

from swather.errors import InputError, StoreError
from swather.model.run import RunState
from swather.runs.items import Waiting, pieces
from swather.runs.results_file import ResultsFile
from swather.store import Store

_LONGEST_PAUSE_SECONDS: Final = 10.0
# A run that is still open continues elsewhere or later, and so does its file.
_OPEN_PATIENCE_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Written(NamedTuple):
    """What the file holds. `missing`: items of a run that continues elsewhere or later and will
    write them then.
    """

    path: Path
    lines: int
    missing: int


class LiveExporter:
    """JSON lines of a run's items in commit order; each item once, whatever is killed when.

    Only one process writes a file; another one's exporter waits for its turn.
    """

    def __init__(
        self, store: Store, run: str, path: Path | str, *, every_seconds: float = 0.5
    ) -> None:
        self._store = store.another()
        self._run = store.runs.get(run)
        self._path = Path(path)
        self._every_seconds = every_seconds
        self._file: ResultsFile | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._write_on, name="live exporter", daemon=True)
        self._began = False

    def start(self) -> None:
        """Open the file, so that an unusable one is reported at once, and begin to write."""
        self._open()
        self._began = True
        self._thread.start()

    def start_over(self) -> None:
        """Instead of `start`: empty the file, so that `finish` rewrites it."""
        self._open()
        if self._file is None:
            self._store.close()
            raise InputError(f"{self._path} is being written by another process; name another file")
        self._file.start_over()

    @property
    def lines(self) -> int:
        """How many are in the file by now, as far as this process knows."""
        return self._file.written.lines if self._file else 0

    def finish(self) -> Written:
        """Write what is still missing and stop; raises whatever prevents it."""
        self._ending.set()
        if self._began:
            self._thread.join()
        try:
            return self._complete()
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            if self._file is not None:
                self._file.close()
            self._store.close()

    def _open(self) -> None:
        try:
            self._file = ResultsFile.open(self._path, self._run)
        except OSError as error:
            self._store.close()
            raise self._unwritable(error) from error
        except BaseException:
            self._store.close()
            raise

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cannot write results to {self._path}: {error.strerror or error}")

    def _write_on(self) -> None:
        pause = self._every_seconds
        while not self._ending.wait(pause):
            try:
                self._catch_up()
                pause = self._every_seconds
                self._store.outage.answered()
            except (StoreError, OSError, InputError) as error:
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
                if isinstance(error, StoreError):
                    self._store.outage.failed(error)
                else:
                    _log.warning("%s: %s; retrying in %.1f s", self._path, error, pause)
                self._let_go()

    def _catch_up(self) -> bool:
        """Write what has come since; False when another process holds the file."""
        if self._file is not None and not self._file.is_in_place():
            self._let_go()
        if self._file is None:
            self._file = ResultsFile.open(self._path, self._run)
        if self._file is None:
            return False
        committed_at = time.monotonic()
        for piece in pieces(self._store, self._run.name, after=self._file.written.position):
            self._file.append(piece)
            if time.monotonic() > committed_at + self._every_seconds:
                self._file.commit()
                committed_at = time.monotonic()
        self._file.commit()
        return True

    def _complete(self) -> Written:
        holds = self._catch_up()
        ended = self._store.runs.get(self._run.name).state is not RunState.OPEN
        wanted = self._items()
        if self._file is not None and ended and self.lines > wanted:
            # Completed tasks were retried: their new rows replace the old ones.
            self._file.start_over()
            holds = self._catch_up()
        at_most = math.inf if ended else _OPEN_PATIENCE_SECONDS
        waiting = Waiting(self._store, self._run.name, at_most_seconds=at_most)
        while (missing := wanted - self.lines) > 0 or not holds:
            if waiting.goes_on(missing):
                holds = self._catch_up()
            elif not ended:
                break
            elif not holds:
                raise InputError(f"{self._path} is still being written by another process")
            else:
                raise waiting.in_vain(missing)
        return Written(self._path, self.lines, max(missing, 0))

    def _items(self) -> int:
        return self._store.runs.counts(self._run.name).items

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
