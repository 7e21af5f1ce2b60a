import pytest

from swather.errors import BadSetting, InputError
from swather.model.lane import PacedKind
from swather.model.pacing import Limits
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.checks import MAX_DAYS
from tests.store.given import a_run, a_worker


def test_a_setting_is_read_back_by_everyone(store: Store, other: Store):
    assert store.settings.all() == {}
    store.settings.set("workers", 4)
    store.settings.set("note", {"text": "ä", "list": [1, None]})
    assert other.settings.all() == {"workers": 4, "note": {"text": "ä", "list": [1, None]}}


def test_a_setting_is_replaced_and_removed(store: Store):
    store.settings.set("workers", 4)
    store.settings.set("workers", 5)
    assert store.settings.all() == {"workers": 5}
    store.settings.unset("workers")
    assert store.settings.all() == {}
    store.settings.unset("workers")


def test_a_setting_that_is_null_is_still_set(store: Store):
    store.settings.set("note", None)
    assert store.settings.all() == {"note": None}


def test_the_longest_ages_that_can_be_set_prune_nothing(store: Store):
    run = a_run(store, 1)
    store.settings.set("event_level", "all")
    store.tasks.cancel(TaskFilter(run=run))
    store.settings.set("event_days", MAX_DAYS)
    store.settings.set("page_age_days", MAX_DAYS)
    pruned = store.upkeep.prune()
    assert (pruned["events"], pruned["pages"]) == (0, 0)
    assert store.events.find(run) != []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("", 1),
        ("a\0b", 1),
        ("x" * 501, 1),
        ("\ud800", 1),
        ("rate", float("nan")),
        ("rate", object()),
        ("event_level", "everything"),
        ("event_level", None),
        ("event_days", 0),
        ("event_days", "ten"),
        ("event_days", True),
        ("event_days", float("inf")),
        ("event_days", 36_501),
        ("page_age_days", 1e300),
    ],
)
def test_a_bad_setting_is_refused_and_nothing_changes(store: Store, name, value):
    version = store.settings.control_version()
    with pytest.raises(InputError):
        store.settings.set(name, value)
    assert store.settings.all() == {}
    assert store.settings.control_version() == version


def test_a_bad_setting_is_named(store: Store):
    with pytest.raises(BadSetting, match=r"event_level.*'everything'"):
        store.settings.set("event_level", "everything")


def test_the_control_version_grows_with_every_change_workers_must_notice(store: Store):
    run, worker = a_run(store, 2, lane="site"), a_worker(store)
    (first, _) = store.tasks.find(TaskFilter(run=run))
    changes = [
        lambda: store.settings.set("workers", 4),
        lambda: store.settings.unset("workers"),
        lambda: store.runs.pause(run),
        lambda: store.runs.unpause(run),
        lambda: store.runs.revise(run, version="2", lane_limits=Limits(1.0)),
        lambda: store.lanes.limit("site", Limits(1.0)),
        lambda: store.lanes.pause("site"),
        lambda: store.lanes.unpause("site"),
        lambda: store.lanes.cool("site", 5),
        lambda: store.lanes.limit("books", Limits(1.0), PacedKind.SCRAPER),
        lambda: store.workers.pause(worker),
        lambda: store.workers.unpause(worker),
        lambda: store.tasks.cancel(TaskFilter(run=run, task_ids=(first.id,))),
        lambda: store.runs.cancel(run),
    ]
    versions = [store.settings.control_version()]
    for change in changes:
        change()
        versions.append(store.settings.control_version())
    assert versions == sorted(set(versions))


def test_everyone_sees_the_same_control_version(store: Store, other: Store):
    store.settings.set("workers", 4)
    assert other.settings.control_version() == store.settings.control_version()
