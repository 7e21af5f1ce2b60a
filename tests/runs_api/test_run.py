"""swather.run: a whole run in this process."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pandas as pd
import pyarrow.parquet
import pytest

import swather
import swather.store
from swather import Permanent, RunResult, scraper
from swather.errors import BadLines, InputError, LoadError, MissingExtra
from swather.model.worker import WorkerKind

pytestmark = pytest.mark.slow


@scraper
async def double(ctx, target):
    if target == 7:
        raise Permanent("seven", reason="seven")
    return {"target": target, "double": 2 * target}


def numbers(result: RunResult) -> list[int]:
    return sorted(item["target"] for item in result)


def test_a_list_is_scraped_and_its_items_are_there(url: str):
    result = swather.run(double, range(10), db=url, progress=False)
    assert (result.state, result.completed, result.failed) == ("finished", 9, 1)
    assert numbers(result) == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert [(group.title, group.tasks) for group in result.failures] == [("seven", 1)]
    assert "10 tasks: 9 completed, 1 failed." in str(result)
    assert "9 completed, 1 failed, 9 items" in repr(result)


def test_the_same_call_again_goes_on_and_another_one_does_not(url: str):
    first = swather.run(double, [1, 2], db=url, progress=False)
    again = swather.run(double, [1, 2], db=url, progress=False)
    other = swather.run(double, [1, 3], db=url, progress=False)
    anew = swather.run(double, [1, 2], db=url, new=True, progress=False)
    assert first.run == again.run
    assert len({first.run, other.run, anew.run}) == 3
    assert numbers(other) == [1, 3]


def test_a_temporary_database_without_proxies_is_not_waited_for():
    @scraper(proxies=True)
    async def proxied(ctx, url): ...

    with pytest.raises(InputError, match="'proxied' uses proxies, and the temporary database"):
        swather.run(proxied, ["http://shop.example/"], progress=False)


def test_a_missing_browser_ends_no_target(url: str, monkeypatch: pytest.MonkeyPatch):
    @scraper(browser=True)
    async def rendered(ctx, url): ...

    monkeypatch.setenv("SWATHER_CHROMIUM", "/nix")
    with pytest.raises(InputError, match="chromium names '/nix'"):
        swather.run(rendered, ["http://shop.example/"], db=url, progress=False)
    with closing(swather.store.open(url)) as store:
        assert store.runs.find() == []


def test_a_limit_holds_for_what_is_given_and_for_what_is_found(url: str):
    @scraper
    async def successors(ctx, number):
        ctx.add(number + 1)
        return {"target": number}

    def limited(limit: int) -> RunResult:
        return swather.run(successors, [1, 5, 9], db=url, limit=limit, progress=False)

    assert numbers(limited(2)) == [1, 5]
    more = limited(7)
    assert (more.state, len(numbers(more))) == ("finished", 7)
    assert {1, 5, 9} < set(numbers(more))
    assert limited(7).run == more.run
    with pytest.raises(InputError, match="limit must be at least 1, got 0"):
        limited(0)


def test_without_a_database_nothing_is_left_behind():
    result = swather.run(double, [1], progress=False)
    folder = Path(result.url.removeprefix("sqlite:///")).parent
    assert numbers(result) == [1]
    assert folder.exists()
    del result
    assert not folder.exists()
    assert list(Path().iterdir()) == []


def test_it_works_inside_a_running_event_loop():
    async def cell() -> RunResult:
        return swather.run(double, [1, 2], progress=False)

    assert numbers(asyncio.run(cell())) == [1, 2]


def test_targets_of_a_generator_are_drawn_in_the_callers_thread():
    threads = set()

    def generated() -> Iterator[int]:
        for number in range(5):
            threads.add(threading.current_thread())
            yield number

    assert numbers(swather.run(double, generated(), progress=False)) == [0, 1, 2, 3, 4]
    assert threads == {threading.current_thread()}


def test_work_begins_before_a_slow_generator_has_ended():
    began = threading.Event()

    @scraper
    async def tells(ctx, target):
        began.set()

    def generated() -> Iterator[int]:
        yield 1
        time.sleep(0.3)  # long enough for what has come to be loaded
        yield 2
        assert began.wait(20)
        yield 3

    assert swather.run(tells, generated(), progress=False).completed == 3


def test_a_plain_function_and_a_class_run_too():
    @scraper
    def plain(ctx, target):
        return {"target": target}

    @scraper
    class Sets:
        def setup(self):
            self.ready = True

        async def scrape(self, ctx, target):
            return {"target": target, "ready": self.ready}

    assert numbers(swather.run(plain, [1], progress=False)) == [1]
    assert numbers(swather.run(Sets, [1], progress=False)) == [1]


def test_results_are_written_live_or_at_the_end():
    swather.run(double, [1, 2], output="double.jsonl", progress=False)
    lines = Path("double.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["target"] for line in lines) == [1, 2]
    result = swather.run(double, [1], output="double.csv", progress=False)
    assert Path("double.csv").read_text() == "target,double\n1,2\n"
    assert result.export("more.csv").read_text() == "target,double\n1,2\n"


ROWS = [
    {"n": 1, "price": 0.5, "new": True, "title": "a", "tags": ["x"], "isbn": 1},
    {"n": 2**60, "price": 2, "new": False, "title": "b", "tags": [], "isbn": "1-X"},
    {"n": None, "price": None, "new": None, "title": None, "tags": None, "isbn": None},
]


@scraper
def same(ctx, target):
    return target


def test_a_data_frame_has_a_row_per_item_and_types_that_lose_nothing():
    result = swather.run(same, ROWS, progress=False, concurrency=1)
    frame = result.to_pandas().sort_values("n")
    assert {name: str(dtype) for name, dtype in frame.dtypes.items() if name != "title"} == {
        "n": "Int64", "price": "float64", "new": "boolean", "tags": "object", "isbn": "object",
    }  # fmt: skip
    assert [None if value is pd.NA else value for value in frame["n"]] == [1, 2**60, None]
    assert frame["isbn"].tolist() == [1, "1-X", None]
    assert frame["tags"].tolist() == [["x"], [], None]
    whole = swather.run(same, [{"n": 1}, {"n": 2}], progress=False).to_pandas()
    assert str(whole["n"].dtype) == "int64"
    assert swather.run(same, [], progress=False).to_pandas().empty


def test_an_arrow_table_is_what_a_parquet_export_holds(tmp_path: Path):
    result = swather.run(same, ROWS, progress=False)
    table = result.to_arrow()
    assert table.equals(pyarrow.parquet.read_table(result.export(tmp_path / "x.parquet")))
    assert table.num_rows == len(ROWS)
    assert swather.run(same, [], progress=False).to_arrow().num_rows == 0


@pytest.mark.parametrize(
    ("method", "module", "extra"),
    [("to_pandas", "pandas", "pandas"), ("to_arrow", "pyarrow", "parquet")],
)
def test_a_package_that_is_not_there_is_told_with_the_command(monkeypatch, method, module, extra):
    result = swather.run(same, [], progress=False)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'swather\[{extra}\]'"):
        getattr(result, method)()


def test_a_table_of_another_run_is_set_aside_and_a_strangers_is_refused(url: str):
    first = swather.run(double, [1], db=url, output="double.csv", progress=False)
    swather.run(double, [2], db=url, output="double.csv", progress=False)
    assert Path("double.csv").read_text() == "target,double\n2,4\n"
    assert Path(f"double.{first.run}.csv").read_text() == "target,double\n1,2\n"
    Path("mine.csv").write_text("precious")
    with pytest.raises(InputError, match=r"mine\.csv exists and Swather did not write it"):
        swather.run(double, [3], db=url, output="mine.csv", progress=False)
    assert Path("mine.csv").read_text() == "precious"


def test_without_a_database_a_table_is_replaced():
    for number in (1, 2):
        swather.run(double, [number], output="double.csv", progress=False)
    assert Path("double.csv").read_text() == "target,double\n2,4\n"


def test_a_temporary_database_is_removed_when_the_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(BadLines):
        swather.run(double, [object()], progress=False)
    assert list(tmp_path.iterdir()) == []


def test_params_reach_the_scraper_and_a_name_finds_one(tmp_path: Path):
    Path("mine.py").write_text(
        "from swather import scraper\n\n\n@scraper\nasync def mine(ctx, target):\n"
        "    return ctx.params\n"
    )
    result = swather.run("mine.py", "a", params={"pages": 3}, progress=False)
    assert list(result) == [{"pages": 3}]


def test_it_stops_after_its_time_and_goes_on_later(url: str):
    @scraper
    async def slow(ctx, target):
        await ctx.sleep(seconds)
        return {"target": target}

    seconds = 3600.0
    first = swather.run(slow, [1, 2], db=url, max_seconds=0.3, grace_seconds=0.0, progress=False)
    assert (first.state, first.counts.leased, first.counts.ready) == ("open", 0, 2)
    seconds = 0.0
    second = swather.run(slow, [1, 2], db=url, progress=False)
    assert (second.run, numbers(second)) == (first.run, [1, 2])


def test_an_interrupt_lets_running_targets_end(url: str):
    @scraper
    def interrupted(ctx, target):
        with closing(swather.store.open(url)) as store:
            while any(worker.kind is WorkerKind.PRODUCER for worker in store.workers.find()):
                time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
        return {"target": target}

    # A process that was started in the background ignores SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            swather.run(interrupted, [1], db=url, output="one.jsonl", progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert json.loads(Path("one.jsonl").read_text()) == {"target": 1}


def test_an_error_of_the_generator_stops_the_run():
    def generated() -> Iterator[int]:
        yield 1
        raise LookupError("no more")

    before = set(threading.enumerate())  # other tests leave stuck threads behind on purpose
    with pytest.raises(LookupError, match="no more"):
        swather.run(double, generated(), db="sqlite:///queue.db", progress=False)
    left = set(threading.enumerate()) - before
    assert [thread for thread in left if "swather" in thread.name] == []


def test_progress_is_shown_on_stderr(capsys: pytest.CaptureFixture[str]):
    swather.run(double, [1, 2])
    assert "2 of 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"targets": [object()]}, BadLines),
        ({"targets": [1], "concurrency": 0}, InputError),
        ({"targets": [1], "output": "x.xml"}, InputError),
        ({"targets": [1], "db": "mysql://x"}, InputError),
        ({"targets": [1], "resume": "a", "new": True}, InputError),
    ],
)
def test_bad_input_is_told_at_once(arguments, error):
    with pytest.raises(error):
        swather.run(double, arguments.pop("targets"), progress=False, **arguments)


def test_a_script_that_every_process_would_run_again_is_told_so(tmp_path: Path):
    """Its children load the scraper by the script's path, and with it the call that made them."""
    script = tmp_path / "script.py"
    script.write_text(
        "import swather\n"
        "@swather.scraper(isolation='process')\n"
        "def words(ctx, target): return {'target': target}\n"
        "print(swather.run(words, ['a'], progress=False))\n"
    )
    ended = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=60, check=False
    )
    assert "1 failed (permanent)" in ended.stdout
    assert "script.py calls swather.run while it is being loaded" in ended.stdout
    assert "put the call under `if __name__ == " in ended.stdout
    with pytest.raises(LoadError, match=r"script\.py calls swather\.run while it is being loaded"):
        swather.run(str(script), ["a"])
    assert numbers(swather.run(double, [1], progress=False)) == [1]


NOT_IN_A_FILE = """
import swather

@swather.scraper(isolation="process")
def iso(ctx, target):
    return target

swather.run(iso, [1], progress=False)
"""


def test_a_child_process_cannot_import_what_is_in_no_file_and_this_is_told_at_once():
    said = subprocess.run(
        [sys.executable, "-c", NOT_IN_A_FILE],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert said.returncode == 1
    told = said.stderr.splitlines()[-1]
    assert "is defined in a notebook or an interactive session" in told
    assert "%%writefile iso.py" in told


def test_nor_what_is_defined_inside_a_function():
    @scraper(isolation="process")
    def inner(ctx, target):
        return target

    with pytest.raises(InputError, match="is defined inside a function"):
        swather.run(inner, [1], progress=False)
