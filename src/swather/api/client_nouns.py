"""What a client can ask of each noun: runs, tasks, errors, lanes, workers, fleets."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import quote

from swather.api.connection import Connection

API: Final = "/api/v1"

Data = dict[str, Any]
Rows = list[Data]


class _Noun:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _get(self, path: str, **query: Any) -> Any:
        return self._connection.ask("GET", f"{API}{path}", query=query)

    def _post(self, path: str, body: Any = None, **query: Any) -> Any:
        return self._connection.ask("POST", f"{API}{path}", query=query, body=body)


class Runs(_Noun):
    """Runs, by name; a scraper's name means its newest run."""

    def list(self, *, state: str | None = None, limit: int = 100) -> Rows:
        """The newest first."""
        found: Rows = self._get("/runs", state=state, limit=limit)
        return found

    def start(
        self,
        scraper: str,
        targets: Iterable[Any] | None = None,
        *,
        params: Data | None = None,
        new: bool = True,
        keep_open: bool = False,
    ) -> Data:
        """Start a registered scraper, on these targets or on those that it is registered with. Its
        run waits for workers. With `new=False`, the same scraper, targets and params continue the
        run that they began.
        """
        body = {
            "scraper": scraper,
            "targets": None if targets is None else list(targets),
            "params": params or {},
            "new": new,
            "keep_open": keep_open,
        }
        return _data(self._post("/runs", body))

    def get(self, run: str) -> Data:
        """How it stands: counts, rate, estimate, what holds it back, workers, errors."""
        return _data(self._get(f"/runs/{_in_path(run)}"))

    def stats(self, run: str) -> Data:
        """Pending, claimed, completed, failed, remaining."""
        return _data(self._get(f"/runs/{_in_path(run)}/stats"))

    def why(self, run: str) -> Data:
        """What holds it back, and the commands that change it."""
        return _data(self._get(f"/runs/{_in_path(run)}/why"))

    def add(self, run: str, targets: Iterable[Any]) -> Data:
        """Add targets, up to 10,000; for more, `upload` them."""
        return _data(self._post(f"/runs/{_in_path(run)}/targets", {"targets": list(targets)}))

    def upload(self, run: str, targets: Iterable[Any]) -> Data:
        """Add any number of targets; they are sent and loaded as they come."""
        lines = (json.dumps(target).encode() + b"\n" for target in targets)
        path = f"{API}/uploads/{_in_path(run)}"
        return _data(self._connection.upload(path, _chunks(lines), "application/x-ndjson"))

    def upload_file(self, run: str, chunks: Iterable[bytes], form: str, **options: Any) -> Data:
        """The same for targets that are written down already, as txt, csv or jsonl. `options` say
        how to read them: column, key, header, rows, skip_bad, limit, priority_column and others.
        """
        path = f"{API}/uploads/{_in_path(run)}"
        query = {"form": form, **options}
        return _data(self._connection.upload(path, chunks, "text/plain", query=query))

    def pause(self, run: str) -> Data:
        return _data(self._post(f"/runs/{_in_path(run)}/pause"))

    def unpause(self, run: str) -> Data:
        return _data(self._post(f"/runs/{_in_path(run)}/unpause"))

    def cancel(self, run: str, *, dry_run: bool = False) -> Data:
        return _data(self._post(f"/runs/{_in_path(run)}/cancel", dry_run=dry_run))

    def close(self, run: str) -> Data:
        """Let it finish, if it was kept open."""
        return _data(self._post(f"/runs/{_in_path(run)}/close"))

    def export(
        self,
        run: str,
        format: str = "jsonl",  # noqa: A002 - what it is called everywhere
        *,
        complete_only: bool = False,
        outdated: bool = False,
        raw: bool = False,
    ) -> Iterator[bytes]:
        """All items as a file, piece by piece: jsonl, json, csv, xlsx or parquet."""
        query = {
            "format": format,
            "complete_only": complete_only,
            "outdated": outdated,
            "raw": raw,
        }
        return self._connection.stream(f"{API}/runs/{_in_path(run)}/export", query=query)

    def items(self, run: str, *, complete_only: bool = False) -> Iterator[Any]:
        """All items, one after another."""
        rest = b""
        for chunk in self.export(run, complete_only=complete_only):
            *lines, rest = (rest + chunk).split(b"\n")
            yield from map(json.loads, lines)


class Tasks(_Noun):
    """Tasks of a run. `which` are conditions, all of which a task must meet: state, reason, task
    (lists), error_class, group, lane, worker, text.
    """

    def list(self, run: str, *, after: int = 0, limit: int = 100, **which: Any) -> Data:
        """A part of them by number: `tasks`, and `next`, to be given as `after`."""
        path = f"/runs/{_in_path(run)}/tasks"
        return _data(self._get(path, after=after, limit=limit, **which))

    def each(self, run: str, **which: Any) -> Iterator[Data]:
        """All of them, by number."""
        after: int | None = 0
        while after is not None:
            page = self.list(run, after=after, limit=1_000, **which)
            yield from page["tasks"]
            after = None if page["next"] is None else int(page["next"])

    def get(self, task: int) -> Data:
        """With its events, items and files."""
        return _data(self._get(f"/tasks/{task}"))

    def why(self, task: int) -> Data:
        return _data(self._get(f"/tasks/{task}/why"))

    def retry(self, run: str, *, dry_run: bool = False, **which: Any) -> Data:
        """Failed ones, unless `which` says otherwise."""
        return _data(self._post(f"/runs/{_in_path(run)}/tasks/retry", which, dry_run=dry_run))

    def cancel(self, run: str, *, dry_run: bool = False, **which: Any) -> Data:
        return _data(self._post(f"/runs/{_in_path(run)}/tasks/cancel", which, dry_run=dry_run))


class Errors(_Noun):
    """Failures that look the same are one group."""

    def list(self, run: str, *, limit: int = 50) -> Rows:
        """The most frequent first."""
        found: Rows = self._get(f"/runs/{_in_path(run)}/errors", limit=limit)
        return found

    def retry(self, run: str, group: str, *, dry_run: bool = False) -> Data:
        """All tasks of a group that have failed."""
        path = f"/runs/{_in_path(run)}/errors/{_in_path(group)}/retry"
        return _data(self._post(path, dry_run=dry_run))


class Lanes(_Noun):
    """How fast each site is scraped. `kind="scraper"`: everything that a scraper does."""

    def list(self, *, limit: int = 100) -> Rows:
        found: Rows = self._get("/lanes", limit=limit)
        return found

    def get(self, lane: str, *, kind: str = "lane") -> Data:
        return _data(self._get(f"/lanes/{_in_path(lane)}", kind=kind))

    def limit(self, lane: str, *, kind: str = "lane", **limits: Any) -> Data:
        """`rate`, `in_flight`, `burst`, `override`; what is not named stays as it is."""
        path = f"{API}/lanes/{_in_path(lane)}"
        return _data(self._connection.ask("PUT", path, query={"kind": kind}, body=limits))

    def pause(self, lane: str, *, kind: str = "lane") -> Data:
        return _data(self._post(f"/lanes/{_in_path(lane)}/pause", kind=kind))

    def unpause(self, lane: str, *, kind: str = "lane") -> Data:
        return _data(self._post(f"/lanes/{_in_path(lane)}/unpause", kind=kind))

    def cool(self, lane: str, seconds: float, *, kind: str = "lane") -> Data:
        return _data(self._post(f"/lanes/{_in_path(lane)}/cool", {"seconds": seconds}, kind=kind))

    def clear(self, lane: str, *, kind: str = "lane") -> Data:
        return _data(self._post(f"/lanes/{_in_path(lane)}/clear", kind=kind))


class Workers(_Noun):
    """The workers of all fleets: a supervisor must be up that starts and stops them."""

    def list(self) -> Rows:
        found: Rows = self._get("/workers")
        return found

    def pause(self, worker: str) -> Data:
        return _data(self._post(f"/workers/{_in_path(worker)}/pause"))

    def unpause(self, worker: str) -> Data:
        return _data(self._post(f"/workers/{_in_path(worker)}/unpause"))

    def drain(self, worker: str) -> Data:
        """One worker finishes its running targets and exits."""
        return self.change(worker, "drain")

    def change(self, worker: str, verb: str) -> Data:
        """pause, unpause, drain or stop one worker."""
        return _data(self._post(f"/workers/{_in_path(worker)}/{verb}"))

    def start(self, num_workers: int) -> Data:
        return self._order("start", {"num_workers": num_workers})

    def stop(self) -> Data:
        return self._order("stop", None)

    def restart(self, num_workers: int | None = None) -> Data:
        return self._order("restart", {"num_workers": num_workers})

    def status(self) -> Data:
        """How they are, and how the work goes."""
        return _data(self._connection.ask("GET", "/jobs/workers/status"))

    def _order(self, verb: str, body: Any) -> Data:
        return _data(self._connection.ask("POST", f"/jobs/workers/{verb}", body=body))


class Fleets(_Noun):
    """Fleets, by name."""

    def list(self) -> Rows:
        found: Rows = self._get("/fleets")
        return found

    def get(self, fleet: str) -> Data:
        return _data(self._get(f"/fleets/{_in_path(fleet)}"))

    def scale(self, fleet: str, workers: int) -> Data:
        return _data(self._post(f"/fleets/{_in_path(fleet)}/scale", {"workers": workers}))


def _data(answer: Any) -> Data:
    found: Data = answer
    return found


def _in_path(name: str) -> str:
    return quote(name, safe="")


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Many lines at a time."""
    kept: list[bytes] = []
    size = 0
    for line in lines:
        kept.append(line)
        size += len(line)
        if size >= 64 << 10:
            yield b"".join(kept)
            kept, size = [], 0
    if kept:
        yield b"".join(kept)
