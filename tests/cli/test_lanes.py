"""`swather lanes`: how fast sites are scraped, on both databases."""

from collections.abc import Iterator

import pytest

from swather import store as stores
from swather.model.history import Measured
from swather.model.lane import PacedKind
from swather.model.pacing import AutoPace, CoolDownCurve, Limits
from swather.store import Store
from tests.cli.conftest import Swather, done
from tests.store.given import a_run, a_worker, claim

HOST = "example.com"
SEEN = {"of": 20, "failed": 20, "statuses": {"503": 20}, "classes": {"blocked": 20}}


@pytest.fixture
def store(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("SWATHER_DB", database)
    opened = stores.open(database)
    yield opened
    opened.close()


def test_a_database_without_lanes_says_so_and_how_to_limit_one(swather: Swather, store: Store):
    said = done(swather, "lanes")
    assert said.out.startswith("no lane is limited, held back or in use; to limit one: ")
    assert "swather lanes set example.com --rate 2/s" in said.out
    assert done(swather, "lanes", "ls", "--scraper").out == "no scraper is limited or held back\n"
    assert done(swather, "lanes", "--json").data == []


def test_limits_are_set_and_listed(swather: Swather, store: Store):
    said = done(swather, "lanes", "set", HOST, "--rate", "2/s", "--in-flight", "4", "--burst", "3")
    assert said.out == "lane example.com: 2/s, 3 at once, at most 4 in flight\n"
    assert store.lanes.get(HOST).limits == Limits(0.5, 3, 4)
    listed = done(swather, "lanes").out
    assert listed.split() == [
        "lane", "kind", "rate", "in", "flight", "state",
        "example.com", "lane", "2/s", "0", "of", "4", "open",
    ]  # fmt: skip


def test_what_is_not_named_stays_as_it_was(swather: Swather, store: Store):
    done(swather, "lanes", "set", HOST, "--rate", "2/s", "--burst", "3", "--in-flight", "4")
    done(swather, "lanes", "set", HOST, "--rate", "30/min")
    assert store.lanes.get(HOST).limits == Limits(2.0, 3, 4)
    done(swather, "lanes", "set", HOST, "--in-flight", "none")
    assert store.lanes.get(HOST).limits == Limits(2.0, 3, None)
    said = done(swather, "lanes", "set", HOST, "--rate", "none")
    assert said.out == "lane example.com: no limits\n"
    assert store.lanes.get(HOST).limits.are_none


@pytest.fixture
def slow_run(store: Store) -> str:
    """A run that has a worker and asks for 5/s and 2 in flight."""
    run = a_run(store, 9, lane=HOST, lane_limits=Limits(0.2, 1, 2))
    claim(store, a_worker(store))
    return run


def test_a_faster_limit_says_that_the_scrapers_own_applies(
    swather: Swather, store: Store, slow_run: str
):
    said = done(swather, "lanes", "set", HOST, "--rate", "20/s", "--in-flight", "8")
    assert said.out == "lane example.com: 20/s, at most 8 in flight\n"
    override = "swather lanes set example.com --override"
    assert said.err == (
        f"note: run {slow_run} asks for 5/s, and the strictest limit applies: lane example.com "
        f"runs at 5/s; to go faster: {override}\n"
        "note: a run on lane example.com asks for at most 2 in flight, and the strictest limit "
        f"applies; to allow 8: {override}\n"
    )
    assert store.lanes.get(HOST).in_force == Limits(0.2, 1, 2)


def test_an_override_speeds_a_lane_up_with_a_warning(swather: Swather, store: Store, slow_run: str):
    words = ("lanes", "set", HOST, "--rate", "20/s", "--override")
    said = done(swather, *words)
    assert said.out == "lane example.com: 20/s, whatever scrapers ask for\n"
    warning, note = said.err.splitlines()
    assert warning == (f"warning: run {slow_run} asks for 5/s; lane example.com now runs at 20/s")
    assert "this replaces what scrapers ask for on lane example.com, in every run; a Cr" in note
    assert note.endswith("; to end it: swather lanes set example.com --no-override")
    assert store.lanes.get(HOST).in_force == Limits(0.05, 1, 2)
    assert "20/s (override)" in done(swather, "lanes").out
    shown = done(swather, "lanes", "show", HOST).out
    assert "runs ask for  5/s, at most 2 in flight" in shown
    assert f"20/s, set with --override (run {slow_run} asks for 5/s)." in shown
    data = done(swather, *words, "--json").data[0]
    assert (data["overrides"], data["every_seconds"], data["runs_rate"]) == (True, 0.05, "5/s")
    done(swather, "lanes", "set", HOST, "--in-flight", "9")
    assert store.lanes.get(HOST).in_force == Limits(0.05, 1, 9)
    done(swather, "lanes", "set", HOST, "--no-override")
    assert store.lanes.get(HOST).in_force == Limits(0.2, 1, 2)


def test_an_override_ends_with_the_limits_that_it_had(swather: Swather, store: Store):
    done(swather, "lanes", "set", HOST, "--rate", "20/s", "--override")
    assert done(swather, "lanes", "set", HOST, "--rate", "none").out == (
        "lane example.com: no limits\n"
    )
    assert not store.lanes.get(HOST).overrides
    refused = swather("lanes", "set", HOST, "--override")
    assert refused.code == 2
    assert "--override needs a limit, and lane example.com has none" in refused.err


def test_a_crawl_delay_is_not_overridden_and_that_is_said(swather: Swather, store: Store):
    store.lanes.set_crawl_delay(HOST, 10.0)
    said = done(swather, "lanes", "set", HOST, "--rate", "20/s", "--override").err
    assert "asks for a Crawl-delay of 10s, which always applies: the lane runs at 6/min" in said


def test_total_limits_of_a_scraper_last_when_they_override(swather: Swather, store: Store):
    words = ("lanes", "set", "books", "--scraper", "--rate", "100/s")
    assert "the next run of books sets the limits in its decorator again" in (
        done(swather, *words).err
    )
    assert done(swather, *words, "--override").err == ""


def test_a_url_means_the_lane_of_its_host(swather: Swather, store: Store):
    done(swather, "lanes", "set", "https://Example.com:8443/a?b", "--rate", "1/s")
    assert store.lanes.get("example.com:8443").limits.every_seconds == 1.0


def test_scrapers_are_limited_as_a_whole(swather: Swather, store: Store):
    done(swather, "lanes", "set", "books", "--scraper", "--rate", "100/s")
    done(swather, "lanes", "set", HOST, "--rate", "1/s")
    assert store.lanes.get("books", PacedKind.SCRAPER).limits.every_seconds == 0.01
    listed = done(swather, "lanes", "ls", "--scraper", "--json").data
    assert [(row[row["kind"]], row["kind"], row["rate"]) for row in listed] == [
        ("books", "scraper", "100/s")
    ]
    assert len(done(swather, "lanes", "ls", "--json").data) == 2


def test_lanes_are_paused_and_go_on(swather: Swather, store: Store):
    assert done(swather, "lanes", "pause", HOST, "--create", "--dry-run").out == (
        "lane example.com would be paused\n"
    )
    assert not store.lanes.get(HOST).paused
    assert done(swather, "lanes", "pause", f"http://{HOST}/", "b.com", "--create").out == (
        "lane example.com is paused\nlane b.com is paused\n"
    )
    assert "paused" in done(swather, "lanes").out
    assert done(swather, "lanes", "unpause", HOST, "--json").data == {
        "unpaused": [{"lane": "example.com"}],
        "dry_run": False,
    }
    assert (store.lanes.get(HOST).paused, store.lanes.get("b.com").paused) == (False, True)


def test_a_scraper_is_paused_through_lanes(swather: Swather, store: Store):
    done(swather, "lanes", "pause", "books", "--scraper", "--create")
    assert store.lanes.get("books", PacedKind.SCRAPER).paused
    assert not store.lanes.get("books").paused


def test_lanes_are_left_alone_for_a_while(swather: Swather, store: Store):
    said = done(swather, "lanes", "cool", HOST, "--for", "10m", "--dry-run").out
    assert said.startswith("lane example.com would be cooling until ")
    assert store.lanes.find() == []
    first, second = done(
        swather, "lanes", "cool", f"http://{HOST}/", "b.com", "--for", "10m"
    ).out.splitlines()
    assert first.startswith("lane example.com is cooling until ")
    assert first.endswith(" (in 10m)")
    assert second.startswith("lane b.com is cooling until ")
    assert "cooling until" in done(swather, "lanes").out
    done(swather, "lanes", "unpause", HOST)
    assert [lane.name for lane in store.lanes.find()] == ["b.com"]


def test_a_longer_cool_down_is_not_cut_short(swather: Swather, store: Store):
    store.lanes.cool(HOST, 7_200, "HTTP 429")
    until = store.lanes.get(HOST).cool_until
    for words in ((), ("--dry-run",)):
        said = done(swather, "lanes", "cool", HOST, "--for", "10m", "--json", *words).data
        assert said == {
            "cooled": [{"lane": HOST, "cool_until": until.isoformat().replace("+00:00", "Z")}],
            "dry_run": bool(words),
        }
    assert store.lanes.get(HOST).cool_reason == "HTTP 429"


def test_a_scraper_is_left_alone_through_lanes(swather: Swather, store: Store):
    said = done(swather, "lanes", "cool", "books", "--scraper", "--for", "1h").out
    assert said.startswith("scraper books is cooling until ")
    assert store.lanes.get("books", PacedKind.SCRAPER).cool_until is not None
    assert store.lanes.get("books").cool_until is None


def test_a_cool_down_is_listed_and_ended(swather: Swather, store: Store):
    store.lanes.strike(HOST, retry_after_seconds=300.0, reason="HTTP 429", curve=CoolDownCurve())
    assert " after HTTP 429" in done(swather, "lanes").out
    row = done(swather, "lanes", "show", HOST, "--json").data
    assert (row["cool_reason"], row["strikes"]) == ("HTTP 429", 1)
    done(swather, "lanes", "unpause", HOST)
    assert done(swather, "lanes", "show", HOST, "--json").data["reasons"] == []


@pytest.mark.parametrize("words", [("lanes", "unpause", HOST), ("unpause", "--lane", HOST)])
def test_a_breaker_is_listed_and_closed(swather: Swather, store: Store, words):
    store.breakers.trip("books", HOST, seen=SEEN, probe_seconds=60.0)
    assert "breaker open for books" in done(swather, "lanes").out
    assert "The site looks down or overloaded." in done(swather, "lanes", "show", HOST).out
    done(swather, *words)
    assert store.breakers.find() == []


def test_breakers_of_a_scraper_are_closed_with_it(swather: Swather, store: Store):
    for lane in ("a.com", "b.com"):
        store.breakers.trip("books", lane, seen=SEEN, probe_seconds=60.0)
        store.breakers.trip("films", lane, seen=SEEN, probe_seconds=60.0)
    done(swather, "lanes", "unpause", "books", "--scraper")
    assert {breaker.scraper for breaker in store.breakers.find()} == {"films"}


def test_the_pace_in_force_is_listed_with_its_origin(swather: Swather, store: Store):
    store.lanes.limit(HOST, Limits(0.5))
    store.lanes.set_crawl_delay(HOST, 10.0)
    assert "6/min (crawl delay)" in done(swather, "lanes").out
    shown = done(swather, "lanes", "show", HOST)
    assert "crawl delay   one every 10 s" in shown.out
    assert "asks for a Crawl-delay of 10s" in shown.out
    data = done(swather, "lanes", "show", HOST, "--json").data
    assert (data["rate"], data["every_seconds"], data["crawl_delay_seconds"]) == ("2/s", 10.0, 10.0)


def test_all_that_is_known_of_a_lane_is_cleared(swather: Swather, store: Store):
    store.lanes.limit(HOST, Limits(0.5, in_flight=2))
    store.lanes.pause(HOST)
    store.lanes.strike(HOST, retry_after_seconds=300.0, reason="HTTP 429", curve=CoolDownCurve())
    store.lanes.set_crawl_delay(HOST, 10.0)
    store.lanes.adapt(HOST, latency_seconds=1.0, failed=False, policy=AutoPace())
    store.breakers.trip("books", HOST, seen=SEEN, probe_seconds=60.0)
    assert "would be cleared" in done(swather, "lanes", "clear", HOST, "--dry-run").out
    assert store.lanes.get(HOST).paused
    assert done(swather, "lanes", "clear", HOST).out == "lane example.com is cleared\n"
    assert done(swather, "lanes", "--json").data == []
    assert "Nothing holds it back." in done(swather, "lanes", "show", HOST).out


def test_a_lane_nobody_knows_is_free(swather: Swather, store: Store):
    assert "Nothing holds it back." in done(swather, "lanes", "show", "nobody.example").out


def test_more_lanes_than_asked_for_are_not_kept_quiet(swather: Swather, store: Store):
    for number in range(3):
        store.lanes.pause(f"{number}.com")
    said = done(swather, "lanes", "ls", "--limit", "2").out
    assert said.count(".com") == 2
    assert "there are more: --limit 20" in said


@pytest.mark.parametrize(
    "words",
    [
        ("set", HOST, "--rate", "1/s"),
        ("pause", HOST, "--create"),
        ("cool", HOST, "--for", "10m"),
        ("unpause", HOST),
        ("clear", HOST),
    ],
    ids=lambda words: words[0],
)
def test_a_change_is_told_to_the_workers_at_once(swather: Swather, store: Store, words):
    before = store.settings.control_version()
    store.hints.wait(0)
    done(swather, "lanes", *words)
    assert store.hints.wait(10)
    assert store.settings.control_version() != before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("set", HOST, "--rate", "5/x"), "a rate looks like '5/s', '30/min' or '1/2s', got '5/x'"),
        (("set", HOST, "--rate", "auto"), "auto is only for scrapers"),
        (("set", HOST, "--rate", "0/s"), "a rate looks like"),
        (("set", HOST, "--in-flight", "0"), "--in-flight takes a whole number from 1 to"),
        (("set", HOST, "--in-flight", "few"), "--in-flight takes a whole number from 1 to"),
        (("set", HOST, "--burst", "0"), "Invalid value for '--burst'"),
        (("set", HOST, "--burst", "5"), "pass --rate as well"),
        (("set", HOST), "nothing to set; pass --rate"),
        (("set", "--rate", "1/s"), "Missing argument 'LANE'"),
        (("set", "", "--rate", "1/s"), "a lane needs a name"),
        (("set", "http://", "--rate", "1/s"), "it has no host"),
        (("show",), "Missing argument 'LANE'"),
        (("clear", " "), "a lane needs a name"),
        (("pause", "x" * 501), "at most 500 bytes"),
        (("cool", HOST), "Missing option '--for'"),
        (("cool", "--for", "10m"), "Missing argument 'LANE'"),
        (
            ("cool", HOST, "--for", "soon"),
            "expected a time such as 90s, 15m, 2h or 30d, got 'soon'",
        ),
        (("cool", HOST, "--for", "0m"), "expected a time such as"),
        (("cool", HOST, "--for", "99999999d", "--dry-run"), "--for must be between 0 and"),
        (("cool", "x" * 501, "--for", "10m"), "at most 500 bytes"),
        (("halt", HOST), "No such command 'halt'"),
    ],
)
def test_a_mistake_is_one_line(swather: Swather, store: Store, arguments, message):
    said = swather("lanes", *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1
    assert store.lanes.find() == []


def test_a_database_that_is_not_there_is_its_own_exit_code(swather: Swather):
    said = swather("lanes", "set", HOST, "--rate", "1/s", "--json")
    assert said.code == 3
    assert "swather db init" in said.error["message"]


def test_the_share_of_429_is_shown(swather: Swather, store: Store):
    run = a_run(store, 1, lane=HOST)
    store.lanes.limit(HOST, Limits(1.0))

    def shown() -> dict[str, str]:
        lines = done(swather, "lanes", "show", HOST).out.splitlines()
        pairs = (line.split("  ", 1) for line in lines if "  " in line)
        return {name: value.strip() for name, value in pairs}

    assert shown()["share of 429"] == "-"
    store.history.note(run, Measured(lanes={HOST: (80, 10)}, lanes_left_out=1))
    assert shown()["share of 429"] == "about 12.5% of 80 answers in the last hour"
    (listed,) = done(swather, "lanes", "--json").data
    assert listed["last_hour"] == {
        "answers": 80, "too_many_requests": 10, "share_429": 0.125, "is_about": True
    }  # fmt: skip
