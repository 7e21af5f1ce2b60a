"""Exports: JSON lines, CSV that no spreadsheet runs, Parquet; whole or not at all."""

import csv
import io
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet
import pytest

from swather.errors import InputError, MissingExtra, NotFound, StoreError
from swather.model.outcome import Item
from swather.model.task_filter import TaskFilter
from swather.runs.export import Format, check_format, export, format_of, write_items
from swather.runs.items import Reading
from swather.runs.live import LiveExporter
from swather.store import Store
from tests.runs.given import a_run_with, produce
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, failed, finish

BOOKS = (
    [{"title": "Ulysses", "price": 12.5, "tags": ["a", "b"]}],
    [{"title": "Éire, 1916", "stock": 3, "price": 2}, {"title": None, "isbn": "=1+1"}],
)


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_json_lines_hold_the_items_in_commit_order(store: Store, tmp_path: Path):
    run = a_run_with(store, *BOOKS)
    exported = export(store, run, tmp_path / "books.jsonl")
    lines = exported.path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [*BOOKS[0], *BOOKS[1]]
    assert exported.items == 3


def test_csv_has_the_columns_of_all_items(store: Store, tmp_path: Path):
    run = a_run_with(store, *BOOKS)
    path = tmp_path / "books.csv"
    export(store, run, path)
    assert rows(path) == [
        ["title", "price", "tags", "stock", "isbn"],
        ["Ulysses", "12.5", '["a","b"]', "", ""],
        ["Éire, 1916", "2", "", "3", ""],
        ["", "", "", "", "'=1+1"],
    ]


def test_raw_csv_leaves_the_cells_as_they_are(store: Store, tmp_path: Path):
    run = a_run_with(store, *BOOKS)
    export(store, run, tmp_path / "books.csv", raw=True)
    assert rows(tmp_path / "books.csv")[3][4] == "=1+1"


def test_items_that_are_no_objects_have_one_column(store: Store, tmp_path: Path):
    run = a_run_with(store, ["a", 1, [2], None])
    export(store, run, tmp_path / "x.csv")
    assert rows(tmp_path / "x.csv") == [["value"], ["a"], ["1"], ["[2]"], [""]]


def test_the_names_of_columns_are_prefixed_too(store: Store, tmp_path: Path):
    run = a_run_with(store, [{"=HYPERLINK()": 1}])
    export(store, run, tmp_path / "x.csv")
    assert rows(tmp_path / "x.csv")[0] == ["'=HYPERLINK()"]


def test_parquet_columns_have_the_type_of_what_they_hold(store: Store, tmp_path: Path):
    items = [
        {"n": 1, "x": 1, "b": True, "t": "a", "mixed": 1, "deep": {"a": [1]}, "big": 2**70},
        {"n": None, "x": 0.5, "b": False, "t": "b", "mixed": "one", "deep": None, "big": 1},
        {"n": 2**60, "never": None},
    ]
    run = a_run_with(store, items)
    export(store, run, tmp_path / "x.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert {field.name: str(field.type) for field in table.schema} == {
        "n": "int64", "x": "double", "b": "bool", "t": "string",
        "mixed": "string", "deep": "string", "big": "string", "never": "string",
    }  # fmt: skip
    first, second, third = table.to_pylist()
    assert (first["x"], first["deep"], first["big"]) == (1.0, '{"a":[1]}', str(2**70))
    assert (second["mixed"], third["n"], third["never"]) == ("one", 2**60, None)


def test_large_whole_numbers_among_floats_stay_exact(store: Store, tmp_path: Path):
    run = a_run_with(store, [{"n": 2**53 + 1}, {"n": 0.5}])
    export(store, run, tmp_path / "x.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert table.column("n").to_pylist() == [str(2**53 + 1), "0.5"]


MIXED = {
    "number and text": ([1, 0.5, 'a "b"'], ["1", "0.5", 'a "b"']),
    "boolean and number": ([True, 1, 0.5], ["true", "1", "0.5"]),
    "text and nested": (["a", {"b": ["c"]}, []], ["a", '{"b":["c"]}', "[]"]),
    "date and year": (["2026-02-15", 2026], ["2026-02-15", "2026"]),
    "beyond 64 bits": ([2**70, "a", -(2**70)], [str(2**70), "a", str(-(2**70))]),
    "missing": ([None, "NaN", 1], [None, "NaN", "1"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", MIXED)
def test_a_mixed_column_has_the_same_texts_in_every_table(store: Store, tmp_path: Path, kind):
    values, texts = MIXED[kind]
    run = a_run_with(store, [{"n": n, "value": value} for n, value in enumerate(values)])
    for form in (Format.PARQUET, Format.CSV):
        export(store, run, tmp_path / f"x.{form}", raw=form is Format.CSV)
    table = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert table.column("value").to_pylist() == texts
    assert [row[1] for row in rows(tmp_path / "x.csv")[1:]] == [text or "" for text in texts]


def test_json_is_one_array(store: Store, tmp_path: Path):
    export(store, a_run_with(store, *BOOKS), tmp_path / "books.json")
    assert json.loads((tmp_path / "books.json").read_bytes()) == [*BOOKS[0], *BOOKS[1]]
    export(store, a_run(store, 1), tmp_path / "books.json")
    assert json.loads((tmp_path / "books.json").read_bytes()) == []


def test_items_of_a_target_that_failed_since_are_left_out_until_they_are_asked_for(
    store: Store, tmp_path: Path
):
    run, worker = a_run(store, 2), a_worker(store)
    finish(store, *(completed(lease, lease.target) for lease in claim(store, worker, 2)))
    store.tasks.retry(TaskFilter(run=run))
    first, second = claim(store, worker, 2)
    finish(store, failed(first), completed(second, "new"))
    assert export(store, run, tmp_path / "x.jsonl").items == 1
    assert (tmp_path / "x.jsonl").read_text() == '"new"\n'
    assert export(store, run, tmp_path / "old.json", outdated=True).items == 1
    assert json.loads((tmp_path / "old.json").read_text()) == [0]
    with pytest.raises(InputError, match="ask for either"):
        export(store, run, tmp_path / "x.jsonl", outdated=True, complete_only=True)


@pytest.mark.parametrize("form", list(Format))
def test_a_run_without_items_has_an_empty_file(store: Store, tmp_path: Path, form: Format):
    path = tmp_path / f"x.{form}"
    assert export(store, a_run(store, 1), path).items == 0
    assert path.exists()
    if form is Format.PARQUET:
        assert pyarrow.parquet.read_table(path).num_rows == 0


def test_partial_items_can_be_left_out(store: Store, tmp_path: Path):
    run = a_run_with(store, ["complete"])
    other = a_run(store, 1)
    (lease,) = claim(store, a_worker(store), runs=(other,))
    store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("partial")])
    finish(store, failed(lease))
    assert export(store, other, tmp_path / "all.jsonl").items == 1
    assert export(store, other, tmp_path / "complete.jsonl", complete_only=True).items == 0
    assert export(store, run, tmp_path / "complete.csv", complete_only=True).items == 1


def test_an_export_waits_for_items_that_an_open_transaction_hides(
    store: Store, other: Store, database: Database, tmp_path: Path
):
    run = a_run(store, 1)
    with ThreadPoolExecutor(2) as threads:
        with database.transaction() as connection:
            connection.execute("CREATE TABLE elsewhere (n INTEGER)")
            producing = threads.submit(produce, other, run, ["hidden"])
            if not database.one_writer:
                producing.result(timeout=10)
            assert store.results.items(run) == []
            exporting = threads.submit(export, store, run, tmp_path / "x.jsonl")
            if database.one_writer:
                assert exporting.result(timeout=10).items == 0
        producing.result(timeout=10)
        exported = exporting.result(timeout=10)
    assert exported.items == (0 if database.one_writer else 1)


def test_a_failing_export_leaves_the_old_file_and_no_litter(
    store: Store, tmp_path: Path, monkeypatch
):
    run = a_run_with(store, ["new"])
    path = tmp_path / "out" / "x.jsonl"
    path.parent.mkdir()
    path.write_text("old\n")

    def broken(*_args, **_kwargs):
        raise StoreError("the database is away")

    monkeypatch.setattr(store.results, "items", broken)
    with pytest.raises(StoreError):
        export(store, run, path)
    assert path.read_text() == "old\n"
    assert list(path.parent.iterdir()) == [path]


def test_an_export_over_a_live_file_ends_its_being_live(store: Store, tmp_path: Path):
    run, other = a_run_with(store, ["live"]), a_run_with(store, ["other"])
    path = tmp_path / "x.jsonl"
    live = LiveExporter(store, run, path)
    live.start()
    live.finish()
    export(store, other, path)
    with pytest.raises(InputError, match="not a results file of this run"):
        LiveExporter(store, run, path).start()
    assert path.read_text() == '"other"\n'


def test_an_unknown_run_or_folder_is_told(store: Store, tmp_path: Path):
    with pytest.raises(NotFound):
        export(store, "nowhere", tmp_path / "x.jsonl")
    with pytest.raises(InputError, match=r"results to .*x\.jsonl: No such file or directory$"):
        export(store, a_run(store), tmp_path / "nowhere" / "x.jsonl")


def test_items_can_be_written_to_a_stream(store: Store):
    stream = io.BytesIO()
    reading = Reading(store, a_run_with(store, [{"a": 1}]))
    write_items(reading, stream, Format.CSV)
    assert reading.lines == 1
    assert stream.getvalue() == b"a\n1\n"


def test_the_name_of_a_file_tells_its_format():
    assert format_of("a/books.PARQUET") is Format.PARQUET
    with pytest.raises(InputError, match=r"\.jsonl, \.json, \.csv, \.xlsx and \.parquet"):
        format_of("books.xls")


@pytest.mark.parametrize(
    ("form", "module"), [(Format.PARQUET, "pyarrow"), (Format.XLSX, "xlsxwriter")]
)
def test_a_format_without_its_package_is_told_with_the_command(monkeypatch, form, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'swather\[{form}\]'"):
        check_format(form)
