"""The live results file: every item once, in commit order, whatever is killed when."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from swather.errors import InputError
from swather.model.task_filter import TaskFilter
from swather.runs.items import Piece, pieces
from swather.runs.live import LiveExporter
from swather.runs.results_file import ResultsFile, position_path, set_aside
from swather.store import Store
from tests.runs.given import a_run_with, produce
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, data, finish

pytestmark = pytest.mark.slow


def lines(path: Path) -> list[object]:
    content = path.read_bytes()
    assert not content or content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def exported(store: Store, run: str, path: Path) -> list[object]:
    exporter = LiveExporter(store, run, path)
    exporter.start()
    written = exporter.finish()
    assert written.missing == 0
    assert written.lines == len(lines(path))
    return lines(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "books.jsonl"


def test_items_are_written_while_the_run_goes_on(store: Store, path: Path):
    run = a_run(store, 2)
    exporter = LiveExporter(store, run, path, every_seconds=0.01)
    exporter.start()
    produce(store, run, [{"title": "Ulysses"}, {"title": "Éire"}])
    while not path.stat().st_size:
        pass
    assert lines(path) == [{"title": "Ulysses"}, {"title": "Éire"}]
    produce(store, run, [{"title": "Dubliners"}])
    assert exporter.finish().lines == 3
    assert lines(path)[-1] == {"title": "Dubliners"}


def test_a_second_exporter_goes_on_where_the_first_stopped(store: Store, path: Path):
    run = a_run(store, 2)
    produce(store, run, [1, 2])
    assert exported(store, run, path) == [1, 2]
    produce(store, run, [3])
    assert exported(store, run, path) == [1, 2, 3]


def test_what_was_not_recorded_is_cut_off_and_written_again(store: Store, path: Path):
    run = a_run_with(store, [1, 2], [3])
    file = ResultsFile.open(path, store.runs.get(run))
    assert file is not None
    first, *_ = pieces(store, run)
    file.append(Piece(first.lines[:1], store.results.items(run, limit=1)[0].position, 1))
    file.commit()
    file.append(Piece([b"2\n", b'{"torn": '], "lost", 2))
    file.close()
    assert exported(store, run, path) == [1, 2, 3]


def test_a_file_that_was_removed_or_cut_is_written_anew(store: Store, path: Path):
    run = a_run_with(store, [1, 2])
    exported(store, run, path)
    path.unlink()
    assert exported(store, run, path) == [1, 2]
    path.write_bytes(b"1\n")
    assert exported(store, run, path) == [1, 2]


def test_a_file_that_is_cut_under_the_exporter_is_written_anew(store: Store, path: Path):
    run = a_run(store, 2)
    produce(store, run, [1])
    exporter = LiveExporter(store, run, path, every_seconds=0.01)
    exporter.start()
    while not path.stat().st_size:
        pass
    path.write_bytes(b"")
    produce(store, run, [2])
    exporter.finish()
    assert lines(path) == [1, 2]


def test_another_file_is_never_overwritten(store: Store, path: Path):
    run = a_run_with(store, [1])
    path.write_text("precious\n")
    with pytest.raises(InputError, match="not a results file of this run"):
        LiveExporter(store, run, path).start()
    assert path.read_text() == "precious\n"


def test_the_file_of_another_run_is_set_aside_or_refused(store: Store, path: Path):
    first, second = a_run_with(store, ["first"]), a_run_with(store, ["second"])
    exported(store, first, path)
    with pytest.raises(InputError, match=f"holds the results of run {first}"):
        LiveExporter(store, second, path).start()
    aside = set_aside(path, store.runs.get(second))
    assert aside is not None
    assert exported(store, second, path) == ["second"]
    assert exported(store, first, aside) == ["first"]
    assert set_aside(path, store.runs.get(second)) is None


def test_a_folder_that_is_not_there_is_told(store: Store, tmp_path: Path):
    with pytest.raises(InputError, match="cannot write results"):
        LiveExporter(store, a_run(store), tmp_path / "nowhere" / "books.jsonl").start()


def test_a_damaged_position_is_told_with_what_to_do(store: Store, path: Path):
    run = a_run_with(store, [1])
    exported(store, run, path)
    position_path(path).write_text("{")
    with pytest.raises(InputError, match="remove it"):
        LiveExporter(store, run, path).start()


def test_only_one_process_writes_and_the_next_one_takes_over(store: Store, path: Path):
    run = a_run(store, 2)
    first = LiveExporter(store, run, path)
    first.start()
    second = LiveExporter(store, run, path)
    second.start()
    produce(store, run, [1])
    first.finish()
    produce(store, run, [2])
    assert second.finish().lines == 2
    assert lines(path) == [1, 2]


def test_rows_that_were_replaced_by_a_retry_are_not_in_the_file_of_a_finished_run(
    store: Store, path: Path
):
    run = a_run(store, 2)
    produce(store, run, ["old", "older"], ["kept"])
    assert exported(store, run, path) == ["old", "older", "kept"]
    assert store.runs.settle(run)
    first = store.tasks.find(TaskFilter(run=run))[0].id
    store.tasks.retry(TaskFilter(run=run, task_ids=(first,)))
    produce(store, run, ["new"])
    assert store.runs.settle(run)
    assert exported(store, run, path) == ["kept", "new"]


def test_a_file_is_written_anew_from_the_first_item(store: Store, path: Path):
    run = a_run(store, 1)
    worker = a_worker(store)
    finish(store, completed(*claim(store, worker), "old"))
    assert exported(store, run, path) == ["old"]
    store.tasks.retry(TaskFilter(run=run))
    finish(store, completed(*claim(store, worker), "new"))
    exporter = LiveExporter(store, run, path)
    exporter.start_over()
    held = LiveExporter(store, run, path)
    with pytest.raises(InputError, match="is being written by another process"):
        held.start_over()
    assert exporter.finish().lines == 1
    assert lines(path) == ["new"]


def test_an_item_of_many_megabytes_is_written(store: Store, path: Path):
    run = a_run_with(store, ["x" * (9 << 20)], ["small"])
    assert [len(item) for item in exported(store, run, path)] == [9 << 20, 5]


def test_a_disk_that_is_full_for_a_while_leaves_no_torn_line(store: Store, path: Path, monkeypatch):
    run = a_run_with(store, ["first"], ["second"])
    exporter = LiveExporter(store, run, path, every_seconds=0.01)
    real, failures = ResultsFile.append, []

    def append(self, piece):
        if len(failures) < 2:
            failures.append(piece)
            real(self, Piece([piece.lines[0][:3]], "torn", 1))
            raise OSError(28, "No space left on device")
        real(self, piece)

    monkeypatch.setattr(ResultsFile, "append", append)
    exporter.start()
    while len(failures) < 2 or exporter.lines < 2:
        pass
    exporter.finish()
    assert lines(path) == ["first", "second"]


def full(*_: object) -> NoReturn:
    raise OSError(28, "No space left on device")


def test_a_disk_that_is_full_at_the_end_is_told_and_a_later_exporter_completes_the_file(
    store: Store, path: Path, monkeypatch
):
    run = a_run_with(store, ["first"], ["second"])
    exporter = LiveExporter(store, run, path)
    exporter.start()
    with monkeypatch.context() as patched:
        patched.setattr(ResultsFile, "commit", full)
        with pytest.raises(InputError, match="No space left"):
            exporter.finish()
    assert exported(store, run, path) == ["first", "second"]


def test_a_disk_that_is_full_at_the_beginning_is_told(store: Store, path: Path, monkeypatch):
    monkeypatch.setattr(ResultsFile, "_record", full)
    with pytest.raises(InputError, match="No space left"):
        LiveExporter(store, a_run(store), path).start()


# For each number that it reads, a child exports and dies at that many calls that touch the file or
# its position; a write dies half-way.
EXPORTERS = """
import os, signal, sys
import swather.store
import swather.store.postgres.store, swather.store.sqlite.store
from swather.runs.live import LiveExporter

url, run, path = sys.argv[1:]
write = os.write

def deadly(call):
    def called(*args):
        global left
        left -= 1
        if left == 0:
            if call is write:
                write(args[0], bytes(args[1])[: len(args[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args)
    return called

for line in sys.stdin:
    left = int(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for name in ("write", "fsync", "ftruncate", "replace"):
        setattr(os, name, deadly(getattr(os, name)))
    exporter = LiveExporter(swather.store.open(url), run, path, every_seconds=0.0)
    exporter.start()
    exporter.finish()
    os._exit(0)
"""


@pytest.fixture
def exporters(database: Database, store: Store, path: Path) -> Iterator[Callable[[str, int], int]]:
    """Export a run in a process that is killed at its n-th call; how the process ended."""
    started: list[subprocess.Popen[str]] = []

    def export(run: str, calls: int) -> int:
        if not started:
            command = [sys.executable, "-c", EXPORTERS, database.url, run, str(path)]
            pipe = subprocess.PIPE
            started.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
        (process,) = started
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{calls}\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    yield export
    for process in started:
        process.communicate(timeout=20)


def test_an_exporter_killed_at_any_moment_loses_and_doubles_nothing(
    store: Store, path: Path, exporters: Callable[[str, int], int]
):
    run = a_run(store, 100)
    leases = claim(store, a_worker(store), 100, runs=(run,))
    deaths = 0
    for calls in range(1, 21):
        for lease in (leases.pop() for _ in range(5)):
            items = [{"task": lease.task_id, "n": n} for n in range(50)]
            finish(store, completed(lease, *items))
        deaths += exporters(run, calls) == -signal.SIGKILL
    assert deaths > 10
    assert exported(store, run, path) == data(store, run, limit=100_000)
