"""What a scraper can do with its context."""

import asyncio
import inspect
import json
import logging
from datetime import datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from swather.errors import BadPayload, BadTarget, InputError, LeaseLost
from swather.model.retry import Faults
from swather.net.egress import DIRECT
from swather.net.errors import HttpStatusError
from swather.net.page import Page
from swather.scraping.blocking import SyncContext
from swather.scraping.context import Context, RunInfo, TaskInfo
from swather.scraping.scraper import scraper
from tests.scraping.attempts import FakeVerbs, context, data_of


@scraper(lane="shop")
async def own_lane(ctx, target): ...


@scraper(partition=lambda target: target["state"])
async def partitioned(ctx, target): ...


def test_it_tells_what_the_attempt_is_about():
    ctx = context(
        "https://example.com/a", params={"depth": 2}, cursor={"page": 3}, parent_id=4,
        faults=Faults(attempts=1, crashes=1),
    )  # fmt: skip
    assert ctx.target == ctx.url == "https://example.com/a"
    assert ctx.params == {"depth": 2}
    assert ctx.cursor == {"page": 3}
    assert ctx.attempt == 3
    assert ctx.run == RunInfo(1, "20260215_120000-books", "v1")
    assert ctx.task == TaskInfo(7, 9, 5, "example.com", "", 4, failures=1)
    assert ctx.page is None


def test_the_url_of_a_dict_is_its_url_and_other_targets_have_none():
    assert context({"url": "https://a.example/"}).url == "https://a.example/"
    with pytest.raises(InputError, match=r"\{'city': 'Bonn'\} has no URL"):
        _ = context({"city": "Bonn"}).url


def test_get_fetches_the_target_and_remembers_the_page():
    verbs = FakeVerbs()
    ctx = context("https://example.com/a", verbs=verbs)
    page = asyncio.run(ctx.get())
    assert ctx.page is page
    assert verbs.requests[0].url == "https://example.com/a"


def test_a_relative_address_starts_at_the_last_page():
    verbs = FakeVerbs({"https://example.com/": Page(url="https://example.com/moved/here")})
    ctx = context(verbs=verbs)

    async def twice():
        await ctx.get()
        await ctx.get("next?p=2", params={"q": ["a", "b"], "r": 1, "none": None}, timeout=5)

    asyncio.run(twice())
    assert verbs.requests[1].url == "https://example.com/moved/next?p=2"
    assert verbs.requests[1].full_url.endswith("next?p=2&q=a&q=b&r=1")
    assert verbs.requests[1].timeout == 5


def test_a_status_of_400_or_more_raises_unless_it_is_asked_for():
    url = "https://example.com/"
    verbs = FakeVerbs({url: Page(url=url, status=429, raw_headers=[("Retry-After", "7")])})
    with pytest.raises(HttpStatusError, match=r"HTTP 429 from https://example.com/") as raised:
        asyncio.run(context(verbs=verbs).get())
    assert raised.value.retry_after_seconds == 7
    assert asyncio.run(context(verbs=verbs).get(check=False)).status == 429


def test_only_the_web_can_be_fetched():
    for address in ("file:///etc/passwd", "ftp://example.com/", "javascript:alert(1)"):
        with pytest.raises(InputError, match="only http and https"):
            asyncio.run(context().get(address))


@pytest.mark.parametrize(
    ("given", "body", "media_type"),
    [
        (
            {"data": {"a": "ü", "b": [1, 2]}},
            b"a=%C3%BC&b=1&b=2",
            "application/x-www-form-urlencoded",
        ),
        ({"json": {"a": [1]}}, b'{"a":[1]}', "application/json"),
        ({"data": "text"}, b"text", "text/plain; charset=utf-8"),
        ({"data": b"raw"}, b"raw", None),
        ({}, None, None),
    ],
)
def test_post_sends_forms_json_text_and_bytes(given, body, media_type):
    verbs = FakeVerbs()
    asyncio.run(context(verbs=verbs).post("/form", **given))
    request = verbs.requests[0]
    assert (request.method, request.url) == ("POST", "https://example.com/form")
    assert request.body == body
    assert request.headers.get("Content-Type") == media_type


def test_post_keeps_the_content_type_it_is_given_and_refuses_two_bodies():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    asyncio.run(ctx.post(json=1, headers={"content-type": "application/ld+json"}))
    assert verbs.requests[0].headers == {"content-type": "application/ld+json"}
    with pytest.raises(InputError, match="data or json, not both"):
        asyncio.run(ctx.post(json=1, data=b"x"))


def test_a_request_may_ask_for_a_proxy_a_profile_and_only_what_has_changed():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    changed_at = datetime(2026, 2, 15, 13, tzinfo=timezone(timedelta(hours=1)))

    async def three():
        await ctx.get(proxy="http://p.example:1", profile="chrome140", etag='"1"')
        await ctx.get(last_modified=changed_at, etag=None)
        await ctx.get(last_modified="Sun, 15 Feb 2026 12:00:00 GMT", etag="")

    asyncio.run(three())
    first, second, third = verbs.requests
    assert (first.egress.proxy_url, first.profile) == ("http://p.example:1", "chrome140")
    assert second.egress is DIRECT
    assert first.headers == {"If-None-Match": '"1"'}
    assert second.headers == third.headers
    assert second.headers == {"If-Modified-Since": "Sun, 15 Feb 2026 12:00:00 GMT"}
    with pytest.raises(InputError, match="time zone"):
        asyncio.run(ctx.get(last_modified=datetime(2026, 2, 15)))  # noqa: DTZ001 - that is it


def test_a_page_that_is_unchanged_is_no_error():
    url = "https://example.com/"
    verbs = FakeVerbs({url: Page(url=url, status=304)})
    assert asyncio.run(context(verbs=verbs).get(etag='"1"')).is_unchanged


def test_follow_adds_the_absolute_address_without_its_fragment_as_a_child():
    ctx = context("https://example.com/list/1?x=1", priority=8, partition="CA")
    assert ctx.follow("../book#top")
    assert ctx.follow(" //other.example/p ", priority=2, key="mine")
    first, second = ctx.collected().children
    assert (first.value, first.lane, first.key) == (
        "https://example.com/book", "example.com", "https://example.com/book",
    )  # fmt: skip
    assert (first.priority, first.partition, first.parent_id) == (8, "CA", 7)
    assert (second.value, second.lane, second.key, second.priority) == (
        "https://other.example/p", "other.example", "mine", 2,
    )  # fmt: skip


@pytest.mark.parametrize("link", ["mailto:a@b.example", "javascript:void(0)", "http://[", None])
def test_what_is_no_web_page_is_not_followed(link):
    ctx = context()
    assert not ctx.follow(link)
    assert ctx.collected().children == []


def test_follow_says_what_takes_a_target_that_is_no_link():
    with pytest.raises(TypeError, match=r"follow takes a link, got 2; ctx\.add takes any"):
        context().follow(2)


def test_add_takes_any_target_and_names_its_partition_by_the_scraper():
    ctx = context({"state": "CA"}, of=partitioned, partition="CA", lane="")
    ctx.add({"state": "NV"}, due_in_seconds=5, lane="slow")
    (child,) = ctx.collected().children
    assert (child.partition, child.lane, child.due_in_seconds) == ("NV", "slow", 5)


def test_a_target_that_cannot_be_queued_is_refused_at_once():
    ctx = context()
    for wrong in ({"a": float("nan")}, {"a": "\0"}, object()):
        with pytest.raises(BadPayload, match="target"):
            ctx.add(wrong)
    for fields in ({"priority": 11}, {"key": ""}, {"lane": "x" * 501}, {"due_in_seconds": -1}):
        with pytest.raises(BadTarget):
            ctx.add("x", **fields)
    assert ctx.collected().children == []


def test_emit_keeps_items_in_order_with_their_keys():
    ctx = context()
    ctx.emit({"n": 1})
    ctx.emit({"n": 2}, key="two")
    assert data_of(ctx.collected()) == [{"n": 1}, {"n": 2}]
    assert [item.key for item in ctx.collected().items] == [None, "two"]


@pytest.mark.parametrize("key", ["", "x" * 501, "a\0b", 5])
def test_an_item_key_that_no_database_holds_is_refused(key):
    ctx = context()
    with pytest.raises(InputError):
        ctx.emit({}, key=key)
    assert ctx.collected().items == []


def test_a_checkpoint_hands_over_what_was_collected_and_begins_the_next_part():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs, part=2)

    async def work():
        ctx.emit(1)
        ctx.add("child")
        await ctx.save(b"x", "x.txt")
        ctx.remember("seen")
        ctx.reject("closed", 2)
        await ctx.checkpoint({"page": 1})
        ctx.emit(2)

    asyncio.run(work())
    ((cursor, (items, children, files, memories, part, rejected)),) = verbs.checkpoints
    assert rejected == {"closed": 2}
    assert (part, cursor) == (2, {"page": 1})
    assert [len(made) for made in (items, children, files, memories)] == [1, 1, 1, 1]
    assert data_of(ctx.collected()) == [2]
    assert ctx.collected()[1:] == ([], [], [], 3, {})


def test_a_checkpoint_that_fails_loses_nothing():
    verbs = FakeVerbs()
    verbs.checkpoint_raises = LeaseLost("gone")
    ctx = context(verbs=verbs)
    ctx.emit(1)
    with pytest.raises(LeaseLost):
        asyncio.run(ctx.checkpoint(1))
    ctx.emit(2)
    assert data_of(ctx.collected()) == [1, 2]
    assert ctx.collected().part == 0


def test_checkpoints_at_once_take_turns():
    verbs = FakeVerbs()
    verbs.checkpoint_seconds = 0.001
    ctx = context(verbs=verbs)

    async def one(number):
        ctx.emit(number)
        await ctx.checkpoint(number)

    async def work():
        await asyncio.gather(*map(one, range(5)))

    asyncio.run(work())
    assert [made.part for _, made in verbs.checkpoints] == [0, 1, 2, 3, 4]
    saved = [item for _, made in verbs.checkpoints for item in made.items]
    assert [msgspec.json.decode(item.data) for item in saved] == [0, 1, 2, 3, 4]


def test_a_checkpoint_that_nobody_waited_for_is_told():
    verbs = FakeVerbs()
    verbs.checkpoint_seconds = 20
    ctx = context(verbs=verbs)

    async def work():
        saving = asyncio.create_task(ctx.checkpoint(1))
        await asyncio.sleep(0)
        with pytest.raises(InputError, match=r"await ctx\.checkpoint"):
            ctx.collected()
        saving.cancel()

    asyncio.run(work())


def test_a_cursor_must_be_json():
    with pytest.raises(BadPayload, match="cursor is not JSON"):
        asyncio.run(context().checkpoint(object()))


def test_save_takes_bytes_and_paths_and_nothing_that_may_be_either():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    asyncio.run(ctx.save(b"x", "a.txt", "text/plain"))
    asyncio.run(ctx.save(Path("b")))
    assert verbs.saved == [(b"x", "a.txt", "text/plain"), (Path("b"), None, "")]
    with pytest.raises(InputError, match=r"takes bytes, a pathlib\.Path or a download, got str"):
        asyncio.run(ctx.save("text"))
    with pytest.raises(InputError, match="name must be text"):
        asyncio.run(ctx.save(b"x", Path("a")))
    assert len(ctx.collected().files) == 2


def test_progress_tells_only_what_is_known():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    asyncio.run(ctx.progress(0, 10, "first page"))
    asyncio.run(ctx.progress(note="second"))
    assert verbs.told == [{"done": 0, "total": 10, "note": "first page"}, {"note": "second"}]


def test_log_records_carry_run_and_task_beside_what_the_user_adds(caplog):
    ctx = context()
    with caplog.at_level(logging.INFO):
        ctx.log.info("seen %d", 3, extra={"shelf": "A"})
    (record,) = caplog.records
    assert record.name == "swather.scraper.nothing"
    assert record.getMessage() == "seen 3"
    assert (record.run, record.task, record.shelf) == ("20260215_120000-books", 7, "A")


def test_the_blocking_context_has_every_name_of_the_other_with_the_same_parameters():
    def public(kind):
        return {name for name in dir(kind) if not name.startswith("_")}

    assert public(Context) == public(SyncContext)
    for name in public(Context):
        method = getattr(Context, name)
        if inspect.isfunction(method):
            twin = inspect.signature(getattr(SyncContext, name))
            assert twin.parameters == inspect.signature(method).parameters, name
            if name != "browser":  # which is left by `with`, or by `async with`
                assert twin.return_annotation == inspect.signature(method).return_annotation, name


def test_the_blocking_context_does_what_the_other_does():
    verbs = FakeVerbs({"https://example.com/": Page(url="https://example.com/", content=b"{}")})
    inner = context(verbs=verbs, params=1, cursor=2)
    ctx = SyncContext(inner, asyncio.run)
    assert json.loads(ctx.get().text) == {}
    ctx.post("/x", data=b"1")
    ctx.follow("a")
    ctx.add("b")
    ctx.emit(1, key="k")
    assert ctx.save(b"x", "n").name == "n"
    ctx.progress(1)
    ctx.sleep(0)
    ctx.checkpoint("c")
    assert (ctx.params, ctx.cursor, ctx.attempt, ctx.page) == (1, 2, 1, inner.page)
    assert (ctx.target, ctx.url, ctx.run, ctx.task) == (
        inner.target, inner.url, inner.run, inner.task,
    )  # fmt: skip
    assert ctx.log is inner.log
    ((cursor, (items, children, files, *_)),) = verbs.checkpoints
    assert (cursor, len(items), len(children), len(files)) == ("c", 1, 2, 1)
    assert ctx.collected().part == 1


def test_remember_takes_a_copy_of_the_value():
    ctx, value = context(), {"pages": [1]}
    ctx.remember("seen", value)
    value["pages"].append(2)
    (memory,) = ctx.collected().memories
    assert (memory.key, msgspec.json.decode(memory.value)) == ("seen", {"pages": [1]})


@pytest.mark.parametrize(
    ("verb", "error", "said"),
    [
        (lambda ctx: ctx.remember(7), BadTarget, "key must be text, got 7"),
        (lambda ctx: ctx.remember("k", object()), BadPayload, "the value of 'k' is not JSON"),
        (lambda ctx: ctx.remember("k", "x" * 70_000), BadPayload, "the limit is 65,536"),
        (lambda ctx: asyncio.run(ctx.recall("abc")), InputError, r"write recall\(\['abc'\]\)"),
        (lambda ctx: asyncio.run(ctx.recall([7])), BadTarget, "key must be text, got 7"),
        (lambda ctx: asyncio.run(ctx.recall(["k"], max_age=-1)), InputError, "max_age"),
    ],
)
def test_what_cannot_be_remembered_or_recalled_is_refused_at_once(verb, error, said):
    with pytest.raises(error, match=said):
        verb(context())


def test_recall_asks_for_each_key_once_and_for_nothing_at_all_without_asking():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    asyncio.run(ctx.recall(key for key in ["a", "b", "a"]))
    assert asyncio.run(ctx.recall([])) == {}
    assert verbs.recalled == [(["a", "b"], None)]


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"name": ""}, InputError, "a source needs a name"),
        ({"name": 7}, BadTarget, "source must be text, got 7"),
        ({"seconds": -1}, InputError, "seconds must be between 0 and"),
        ({"counts": {"images": "2"}}, InputError, "the count of 'images' must be a whole number"),
    ],
)
def test_a_note_that_cannot_be_kept_is_refused_at_once(wrong, error, said):
    with pytest.raises(error, match=said):
        context().note_source(**{"name": "api", "ok": True, "seconds": 0.1, **wrong})


def test_a_source_that_is_skipped_is_noted():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    assert asyncio.run(ctx.ask_source("closed")).is_open is False
    assert asyncio.run(ctx.ask_source("open")).retry_in == 60.0
    ctx.note_source("closed", ok=False, seconds=0.1)
    assert [(note.name, note.answer, note.error) for note in verbs.notes.sources] == [
        ("open", "skipped", ""),
        ("closed", "failed", "it gave no reason"),
    ]


def test_progress_tells_how_far_each_source_is():
    verbs = FakeVerbs()
    sources = {"api": {"state": "asking", "done": 3, "total": 20}, "mirror": {"state": "waiting"}}
    asyncio.run(context(verbs=verbs).progress(1, 2, sources=sources))
    waiting = {"state": "waiting", "done": 0.0, "total": 0.0}
    assert verbs.told == [{"done": 1, "total": 2, "sources": {**sources, "mirror": waiting}}]


@pytest.mark.parametrize("wrong", [{"api": {"state": "lazy"}}, {"api": "asking"}, {"api": {}}])
def test_progress_of_a_source_that_says_nothing_is_refused(wrong):
    with pytest.raises(InputError, match="the progress of source 'api' must be a dict such as"):
        asyncio.run(context().progress(sources=wrong))


def test_rejections_are_counted_and_their_number_and_length_are_bounded():
    ctx = context()
    for number in range(60):
        ctx.reject(f"reason {number}", 2)
    ctx.reject("reason 1")
    rejected = ctx.collected().rejected
    assert (len(rejected), sum(rejected.values())) == (50, 121)
    assert rejected["other"] == 22
    for bad in ("", " ", None, 3):
        with pytest.raises(InputError, match="reject takes a reason"):
            ctx.reject(bad)
    with pytest.raises(InputError, match="how many rows"):
        ctx.reject("closed", -1)


def test_rejections_of_a_checkpoint_that_failed_are_sent_again():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    ctx.reject("closed")

    async def fails(cursor, collected):
        ctx.reject("closed")
        raise OSError("no")

    verbs.checkpoint = fails
    with pytest.raises(OSError, match="no"):
        asyncio.run(ctx.checkpoint(1))
    assert ctx.collected().rejected == {"closed": 2}
