"""Lines become targets; what a bad one leads to is said before anything is stored."""

import subprocess
import sys
import threading

import pytest

from swather.errors import BadLines, InputError
from swather.model.key import digest
from swather.model.payload import decode
from swather.model.task import Target
from swather.runs.intake import Intake
from swather.runs.layout import Layout
from swather.runs.pipe import Pipe
from swather.runs.targets import BadLine, Line, from_arguments, from_values, read_targets
from swather.store.batching import row_of
from tests.runs.given import a_scraper, an_intake, written


def values(intake: Intake, size: int = 100) -> list[object]:
    return [decode(row.target) for batch in intake.batches(size) for row in batch]


def test_targets_get_the_lane_and_key_of_their_scraper():
    (batch,) = an_intake(["HTTP://Example.com"]).batches(10)
    assert (batch[0].lane, batch[0].key) == ("example.com", digest("http://example.com/"))


def test_targets_that_are_made_already_are_left_alone():
    made = Target(value=1, lane="mine")
    assert list(an_intake([made]).batches(10)) == [[row_of(made)]]


def test_batches_are_full_but_for_the_last():
    assert [len(batch) for batch in an_intake(range(25)).batches(10)] == [10, 10, 5]


@pytest.mark.parametrize(("values", "is_empty"), [([], True), ([1], False)])
def test_a_check_finds_out_whether_there_is_anything_at_all(values, is_empty):
    intake = an_intake(values)
    intake.check()
    assert intake.is_empty is is_empty


def test_a_limit_counts_good_targets():
    lines = [BadLine(1, "bad", "t"), *from_values(range(5))]
    intake = Intake(a_scraper(), lines, limit=2, skip_bad=True)
    assert values(intake) == [0, 1]


def test_a_limit_reads_no_further_than_it_must():
    lines = from_values(range(1_000))
    assert values(Intake(a_scraper(), lines, limit=3)) == [0, 1, 2]
    assert next(lines).value == 3


def test_a_limit_must_be_positive():
    with pytest.raises(InputError, match="at least 1, got 0"):
        an_intake([], limit=0)


def test_a_check_tells_all_bad_lines_before_anything_is_stored(tmp_path):
    source = written(tmp_path, "t.csv", "id,url\n1,one\n2,\n3,three\n4,\n")
    lines = read_targets(source, Layout(column="url"))
    intake = Intake(a_scraper(), lines, skip_option="--skip-bad")
    with pytest.raises(BadLines) as caught:
        intake.check()
    text = str(caught.value)
    assert f"{source} line 3: column 'url' is empty" in text
    assert f"{source} line 5: column 'url' is empty" in text
    assert "--skip-bad" in text


def test_what_was_checked_is_not_lost():
    intake = an_intake(range(30))
    intake.check(10)
    assert values(intake) == list(range(30))


def test_a_target_that_cannot_be_stored_is_a_bad_line():
    with pytest.raises(BadLines, match=r"argument 2: .*cannot be requested"):
        Intake(a_scraper(), from_arguments(["http://a.example", "http://[::1"])).check()


@pytest.mark.parametrize("value", ["a\0b", "\ud800", float("nan"), object(), "x" * (2 << 20)])
def test_a_value_that_no_database_holds_is_a_bad_line(value):
    with pytest.raises(BadLines, match="target 2: "):
        an_intake(["good", value]).check()


def test_a_lane_function_that_fails_makes_a_bad_line():
    def lane(target):
        return target["site"]

    lines = from_values([{"site": "a"}, {}])
    with pytest.raises(BadLines, match="target 2: KeyError in the scraper's lane"):
        Intake(a_scraper(lane=lane), lines).check()


def test_without_skip_bad_what_came_before_the_bad_line_is_handed_out():
    lines = [*from_values(range(3)), BadLine(4, "bad", "t"), *from_values([9])]
    batches = Intake(a_scraper(), lines).batches(100)
    assert [row.target for row in next(batches)] == ["0", "1", "2"]
    with pytest.raises(BadLines, match="t line 4: bad"):
        next(batches)


def test_the_bad_lines_that_follow_the_first_are_listed_too():
    bad = [BadLine(number, "bad", "t") for number in range(1, 31)]
    with pytest.raises(BadLines) as caught:
        list(Intake(a_scraper(), bad).batches(10))
    listed = [line for line in str(caught.value).splitlines() if "line" in line]
    assert len(listed) == 10
    assert "and more" in str(caught.value)


def test_skip_bad_counts_them_and_keeps_the_first():
    bad = [BadLine(number, "bad", "t") for number in range(1, 31)]
    intake = Intake(a_scraper(), [*bad, *from_values([1])], skip_bad=True)
    intake.check()
    assert values(intake) == [1]
    assert (intake.skipped, len(intake.bad)) == (30, 10)


def test_lines_of_a_slow_pipe_are_handed_out_before_it_ends():
    more = threading.Event()

    def slow():
        yield Line(1, "first", None, "-")
        assert more.wait(20)
        yield Line(2, "second", None, "-")

    batches = Intake(a_scraper(), Pipe(slow())).batches(1_000)
    first = next(batch for batch in batches if batch)
    more.set()
    rest = [decode(row.target) for batch in batches for row in batch]
    assert ([decode(row.target) for row in first], rest) == (["first"], ["second"])


def test_a_check_does_not_wait_for_a_slow_pipe():
    more = threading.Event()

    def slow():
        yield Line(1, "first", None, "-")
        assert more.wait(20)

    intake = Intake(a_scraper(), Pipe(slow()))
    intake.check()
    more.set()
    assert values(intake) == ["first"]


def test_an_error_in_a_pipe_reaches_its_reader():
    def broken():
        yield Line(1, "first", None, "-")
        raise InputError("it is damaged")

    with pytest.raises(InputError, match="damaged"):
        values(Intake(a_scraper(), Pipe(broken())))


def test_a_pipe_is_not_read_far_ahead():
    taken = []

    def endless():
        for number in range(1_000_000):
            taken.append(number)
            yield Line(number, number, None, "-")

    entries = iter(Pipe(endless()))
    assert next(entry for entry in entries if entry is not None).value == 0
    assert len(taken) < 100_000


@pytest.mark.slow
def test_a_process_can_end_while_its_standard_input_is_open():
    code = (
        "from swather.runs.pipe import Pipe\n"
        "from swather.runs.targets import read_targets\n"
        "entries = iter(Pipe(read_targets('-')))\n"
        "print([next(filter(None, entries)).value, next(entries)])\n"
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        process.stdin.write("first\n")
        process.stdin.flush()
        assert process.wait(timeout=20) == 0
        assert process.stdout is not None
        assert process.stdout.read() == "['first', None]\n"
