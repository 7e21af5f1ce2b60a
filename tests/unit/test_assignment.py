import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.assignment import Plan, balanced, check
from swather.model.assignment_text import plan_of_csv, plan_of_toml

PENDING = st.dictionaries(st.text(min_size=1, max_size=3), st.integers(0, 1_000), max_size=30)


@given(pending=PENDING, workers=st.integers(1, 12))
def test_balanced_gives_every_partition_to_one_worker_and_none_much_more(pending, workers):
    plan = balanced(pending, workers)
    assert check(Plan({n: names for n, names in plan.workers.items() if names}), pending) == (
        [] if pending else check(Plan({}))
    )
    loads = [sum(pending[name] for name in plan.of(number)) for number in range(workers)]
    assert sum(loads) == sum(pending.values())
    assert max(loads) - min(loads) <= max(pending.values(), default=0)


@given(pending=PENDING, workers=st.integers(1, 12), data=st.data())
def test_what_is_kept_stays_where_it_is(pending, workers, data):
    kept = {
        name: data.draw(st.integers(0, 15))
        for name in data.draw(st.sets(st.sampled_from(sorted(pending) or [""])))
    }
    numbers = balanced(pending, workers, kept).numbers
    assert numbers.items() >= kept.items()
    assert numbers.keys() == pending.keys() | kept.keys()
    assert all(number < workers for name, number in numbers.items() if name not in kept)


def test_partitions_in_which_nothing_waits_are_spread_evenly():
    plan = balanced(dict.fromkeys("abcdefg", 0), 3)
    assert sorted(len(names) for names in plan.workers.values()) == [2, 2, 3]


def test_balanced_needs_a_worker():
    with pytest.raises(InputError, match="at least 1 worker"):
        balanced({"a": 1}, 0)


@pytest.mark.parametrize(
    "text",
    [
        '0 = ["CA", "MT"]\n1 = ["TX"]',
        'db = "sqlite:///x.db"\n[partitions]\n1 = ["TX"]\n0 = ["CA", "MT"]',
        '[tool.other]\n[tool.swather.partitions]\n0 = [" CA ", "MT"]\n1 = ["TX"]',
    ],
)
def test_a_plan_is_read_from_toml(text):
    assert plan_of_toml(text) == Plan({0: ("CA", "MT"), 1: ("TX",)})


@pytest.mark.parametrize(
    "text",
    [
        "0,CA\n0,MT\n1,TX\n",
        "\N{BOM}Partition, Worker\nCA,0\n\nMT,0\nTX,1",
        "state,partition,worker\nx,CA,0\nx,MT,0\nx,TX,1\n",
    ],
)
def test_a_plan_is_read_from_csv(text):
    assert plan_of_csv(text) == Plan({0: ("CA", "MT"), 1: ("TX",)})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 = [", "it is not TOML"),
        ('0 = ["CA"]\n0 = ["MT"]', "it is not TOML: Cannot overwrite a value"),
        ('0 = ["CA"]\n00 = ["MT"]', "worker 0 is listed twice"),
        ('zero = ["CA"]\n0 = ["MT"]', "'zero' is not a worker number"),
        ('-1 = ["CA"]\n0 = ["MT"]', "'-1' is not a worker number"),
        ('100000 = ["CA"]', "'100000' is not a worker number"),
        ('0 = "CA"', "worker 0 needs a list of partitions, got 'CA'"),
        ("0 = [5]", "worker 0: a partition is a name in quotes, got 5"),
        ('0 = [" "]', "worker 0: a partition is a name in quotes, got ' '"),
        ('partitions = "balanced"', r"\[partitions\] must be a table, got 'balanced'"),
        ('db = "sqlite:///x.db"', r"it has no table \[partitions\]"),
        ("tool = 5", r"it has no table \[partitions\]"),
    ],
)
def test_a_plan_that_cannot_be_read_says_why(text, said):
    with pytest.raises(InputError, match=said):
        plan_of_toml(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,CA\n1", r"row 2 needs a worker number and a partition, got \['1'\]"),
        ("CA,0", "'CA' is not a worker number"),
        ("0,", "worker 0: a partition is a name"),
    ],
)
def test_lines_that_cannot_be_read_say_why(text, said):
    with pytest.raises(InputError, match=said):
        plan_of_csv(text)


@pytest.mark.parametrize(
    ("workers", "faults"),
    [
        ({0: ("CA", "MT"), 1: ("TX",)}, []),
        ({}, ["it names no worker", "CA is given to no worker", "MT is given to no worker",
              "TX is given to no worker"]),
        ({0: ("CA", "MT"), 1: ("TX",), 2: ()}, ["worker 2 has no partitions"]),
        ({0: ("CA", "MT", "TX"), 1: ("TX",)}, ["TX is given to workers 0 and 1"]),
        ({0: ("CA", "MT", "CA"), 1: ("TX",)}, ["CA is listed twice for worker 0"]),
        ({0: ("CA",), 1: ("TX",)}, ["MT is given to no worker"]),
        ({0: ("CA", "MT"), 1: ("TX", "ca", "Oz")},
         ["there is no partition Oz", "there is no partition ca; did you mean CA?"]),
    ],
)  # fmt: skip
def test_the_check_names_every_mistake(workers, faults):
    assert [fault.text for fault in check(Plan(workers), ["CA", "MT", "TX"])] == faults


def test_without_the_partitions_there_are_none_is_missing_or_unknown():
    assert check(Plan({0: ("anything",)})) == []
