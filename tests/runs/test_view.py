import io
from datetime import UTC, datetime
from typing import Any

from swather.model.run import Counts, RunState
from swather.model.source import BreakerState, SourceBreaker, SourceStats, UnderWay
from swather.runs.console import PlainConsole
from swather.runs.drawing import Drawing
from swather.runs.progress import Snapshot
from swather.runs.view import Lines, Picture, in_a_line, view_on
from swather.runs.worker_line import RunningTarget, WorkerLine


def snapshot(**fields: Any) -> Snapshot:
    given: dict[str, Any] = {
        "run": "r",
        "scraper": "books",
        "state": RunState.OPEN,
        "paused": False,
        "loading": False,
        "load_incomplete": False,
        "counts": Counts(ready=700, leased=10, scheduled=5, completed=260, failed=25, items=900),
        "running": 10,
        "rate_per_second": 41.0,
        "eta_seconds": 17.4,
        "seconds": 6.0,
        "workers": [],
        "errors": {"transient": 30, "timeout": 4},
        "created_at": datetime(2026, 2, 15, tzinfo=UTC),
    }
    return Snapshot(**{**given, **fields})


def worker(number: int) -> WorkerLine:
    current = [
        RunningTarget(task=1, target="https://example.com/[page]", seconds=1.0, worker="host")
    ]
    return WorkerLine(
        id=number,
        name=f"host_{number}",
        paused=False,
        running=10,
        completed=26,
        average_seconds=0.24,
        current=current,
    )


def console(*, terminal: bool) -> PlainConsole:
    return PlainConsole(file=io.StringIO(), width=100, force_terminal=terminal)


def written(on: PlainConsole) -> str:
    assert isinstance(on.file, io.StringIO)
    return on.file.getvalue()


def test_a_line_says_how_far_how_fast_and_what_failed():
    assert in_a_line(snapshot()) == (
        "285 of 1,000 · 41/s · ETA ~18s · 10 running · 5 waiting to retry · 25 failed · "
        "errors: transient 30, timeout 4"
    )


def test_a_run_that_is_loading_or_paused_says_so():
    said = in_a_line(snapshot(loading=True, paused=True, eta_seconds=None))
    assert said.startswith("285 of 1,000 so far · ")
    assert said.endswith(" · paused")


def test_without_a_terminal_there_are_lines_and_the_last_comes_once():
    on = console(terminal=False)
    with view_on(on) as view:
        assert isinstance(view, Lines)
        view.show(snapshot())
        over = snapshot(state=RunState.FINISHED)
        view.show(over)
        view.show(over)
        view.say("[not markup]")
    assert written(on).splitlines() == [in_a_line(over), "[not markup]"]


def test_a_terminal_shows_the_states_the_errors_and_the_workers():
    on = console(terminal=True)
    with view_on(on) as view:
        assert isinstance(view, Picture)
        view.show(snapshot(workers=[worker(number) for number in range(10)]))
    said = written(on)
    for words in (
        "285 of 1,000",
        "41/s",
        "ETA ~18s",
        "running 10",
        "completed 260",
        "failed 25",
        "items 900",
    ):
        assert words in said
    assert "errors  transient 30 · timeout 4" in said
    assert "host_0 · 10 running · 26 completed · 0.2s each · https://example.com/[page]" in said
    assert "and 2 more workers" in said


def stats(source: str, **fields: Any) -> SourceStats:
    return SourceStats(scraper="books", source=source, **fields)


SOURCES = [
    stats("api", succeeded=4, failed=2, skipped=2, counts={"images": 1_200, "videos": 0}),
    stats("mirror", under_way=UnderWay(state="asking", asking=2, done=10, total=40)),
    stats(
        "wikimedia_commons_of_the_whole_world",
        failed=3,
        failures={"HTTP 503 from \x1b[2J" + "x" * 80: 3},
        breaker=SourceBreaker(state=BreakerState.OPEN, retry_in=54.0),
    ),
]


def drawn(shown: Snapshot, width: int) -> list[str]:
    on = PlainConsole(file=io.StringIO(), width=width, force_terminal=False)
    on.print(Drawing(shown))
    return [line.rstrip() for line in written(on).splitlines()]


def test_each_source_has_a_bar_and_its_numbers():
    shown = snapshot(counts=Counts(completed=4, leased=12), sources=SOURCES, errors={})
    lines = drawn(shown, 100)[2:]
    assert [line.partition("  ")[0] for line in lines] == [
        "api", "mirror", "wikimedia_commons_o…",
    ]  # fmt: skip
    assert [line.count("━") for line in lines] == [8, 0, 3]  # of 16, for 16 targets
    assert lines[0].endswith("2 of 6 failed · 2 skipped · images 1,200")
    assert lines[1].endswith("asking 10 of 40")
    assert "3 of 3 failed · HTTP 503 from" in lines[2]
    assert all(len(line) <= 80 and "\x1b" not in line for line in drawn(shown, 80))


def test_the_bar_of_a_single_target_moves_while_it_is_asked():
    asking = [stats("api", under_way=UnderWay(state="asking", asking=1, done=n, total=20))
              for n in (0, 5, 10, 20)]  # fmt: skip
    shown = snapshot(counts=Counts(leased=1), sources=asking, errors={})
    assert [line.count("━") for line in drawn(shown, 80)[2:]] == [0, 4, 8, 16]


def test_the_bars_of_a_run_that_is_over_are_full():
    shown = snapshot(
        state=RunState.FINISHED,
        counts=Counts(completed=16),
        sources=[stats("api", succeeded=1, failed=1)],
        errors={},
    )
    assert drawn(shown, 80)[2].count("━") == 16


def test_more_sources_than_fit_are_counted():
    shown = snapshot(sources=[stats(f"s{n}") for n in range(15)], errors={})
    assert "and 3 more" in drawn(shown, 80)
