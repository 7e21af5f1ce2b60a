"""The ten sources, each against its stand-in."""

import asyncio
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import aclosing
from typing import Any

import msgspec
import pytest

from swather.builtin.media.sources import registry
from swather.builtin.media.sources.source import (
    IMAGE_AND_VIDEO,
    Found,
    Params,
    Source,
    SourceFailed,
    Wanted,
)
from swather.net.errors import HttpStatusError
from swather.net.fetch_policy import SimplePolicy
from swather.net.fetcher import WebFetcher
from swather.net.page import Page
from swather.net.request import Request
from swather.testing import Answer
from tests.builtin.media.stand_ins import HEIGHT, KEY, LAYOUTS, WIDTH, StandIn, picture

TEN = sorted(LAYOUTS)
KEYED = sorted(name for name in TEN if registry.source_named(name).key_name)
WITH_VIDEOS = sorted(name for name in TEN if "video" in registry.source_named(name).kinds)
READ_FROM_PAGES = ["bing_images", "google_images", "yandex_images"]
WANTED = Wanted(query="cats & dogs", limit=100)


class PlainWeb:
    """Requests without retries and deadlines; `skipped` is what the source left out."""

    def __init__(self, fetcher: WebFetcher) -> None:
        self._fetcher = fetcher
        self.skipped: list[str] = []

    async def get(
        self,
        url: str,
        *,
        params: Params | None = None,
        headers: dict[str, str] | None = None,
        accept: Collection[int] = (),
    ) -> Page:
        fields = {name: str(value) for name, value in (params or {}).items()}
        request = Request(url=url, params=fields, headers=headers or {})
        page = await self._fetcher.fetch(request, SimplePolicy(allow_private=True))
        if page.status >= 400 and page.status not in accept:
            page.raise_for_status()
        return page

    def skip(self, why: str) -> None:
        self.skipped.append(why)


def opened(site: StandIn, key: str = KEY) -> Source:
    return registry.source_named(site.source)(base_url=site.url, key=key)


def find(
    source: Source, wanted: Wanted = WANTED, at_most: int = 1000
) -> tuple[list[Found], list[str]]:
    """What a source finds, and what it skipped."""

    async def search() -> tuple[list[Found], list[str]]:
        fetcher = WebFetcher()
        web = PlainWeb(fetcher)
        found: list[Found] = []
        try:
            async with aclosing(source.find(web, wanted)) as search:
                async for one in search:
                    found.append(one)
                    if len(found) == at_most:
                        break
        finally:
            await fetcher.close()
        return found, web.skipped

    return asyncio.run(search())


@pytest.fixture(params=TEN)
def site(request: pytest.FixtureRequest) -> Iterator[StandIn]:
    with StandIn(request.param, pictures=90) as site:
        yield site


def test_every_picture_is_found_once_in_order_on_as_many_pages_as_there_are(site: StandIn):
    found, skipped = find(opened(site))
    names = [one.url.rpartition("/")[2] for one in found]
    assert names == site.pictures
    assert {(one.kind, one.source) for one in found} == {("image", site.source)}
    assert skipped == []


def test_no_page_is_fetched_before_it_is_needed(site: StandIn):
    find(opened(site), at_most=1)
    searches = [query for query in site.queries if len(query) > 6]
    assert len(searches) <= 1
    assert len(site.queries) <= 2


@pytest.mark.parametrize("name", TEN)
def test_nothing_found_is_no_failure(name: str):
    with StandIn(name, pictures=0) as site:
        assert find(opened(site)) == ([], [])


@pytest.mark.parametrize("name", WITH_VIDEOS)
def test_videos_are_found_beside_pictures(name: str):
    with StandIn(name, pictures=4, videos=4) as site:
        wanted = msgspec.structs.replace(WANTED, kinds=IMAGE_AND_VIDEO)
        found, _ = find(opened(site), wanted)
    assert {one.kind: one.url.rpartition(".")[2] for one in found} == {
        "image": "jpg",
        "video": "mp4",
    }
    assert len(found) == 8


@pytest.mark.parametrize("name", ["pexels", "pixabay"])
def test_a_limit_takes_as_many_videos_as_pictures(name: str):
    with StandIn(name, pictures=50, videos=50) as site:
        wanted = msgspec.structs.replace(WANTED, kinds=IMAGE_AND_VIDEO, limit=4)
        found, _ = find(opened(site), wanted, at_most=4)
    assert [one.kind for one in found] == ["image", "video", "image", "video"]


@pytest.mark.parametrize("name", KEYED)
def test_a_wrong_key_is_said_to_be_one(name: str):
    with StandIn(name) as site, pytest.raises(SourceFailed, match=r"key in \w+_KEY") as failed:
        find(opened(site, key="wrong-key"))
    assert failed.value.reason == "invalid_key"
    assert "wrong-key" not in str(failed.value)


@pytest.mark.parametrize("name", KEYED)
def test_a_missing_key_is_no_empty_result(name: str):
    with pytest.raises(SourceFailed) as failed:
        registry.source_named(name)()
    assert failed.value.reason == "no_key"


WALLS = {
    "captcha": "<form action='/showcaptcha'>Are you a robot? SmartCaptcha</form>",
    "sorry": "<p>Our systems have detected unusual traffic from your computer network.</p>",
    "consent": "<form action='https://consent.google.com/save'>Before you continue</form>",
    "script": "<noscript><meta content='0;url=/httpservice/retry/enablejs?sei=1'></noscript>",
}


@pytest.mark.parametrize("name", READ_FROM_PAGES)
@pytest.mark.parametrize("wall", WALLS)
def test_a_page_for_people_is_blocked_rather_than_empty(name: str, wall: str):
    with StandIn(name) as site:
        site.routes = dict.fromkeys(site.routes, WALLS[wall])
        with pytest.raises(SourceFailed, match="instead of results") as failed:
            find(opened(site))
    assert failed.value.reason == "blocked"


@pytest.mark.parametrize(
    "answer",
    ["<h1>Welcome to our new site</h1>", '{"things": 1}', "[]", "", '"x"', '{"results": 7}'],
)
def test_an_answer_of_another_layout_is_said_to_be_one(site: StandIn, answer: str):
    site.routes = dict.fromkeys(site.routes, answer)
    with pytest.raises(SourceFailed, match="has changed its layout") as failed:
        find(opened(site))
    assert failed.value.reason == "layout_changed"


def changed_everywhere(value: Any, change: Callable[[str, Any], Any]) -> Any:
    """The value with each field of its dictionaries changed."""
    if isinstance(value, dict):
        return {key: changed_everywhere(change(key, inner), change) for key, inner in value.items()}
    if isinstance(value, list):
        return [changed_everywhere(inner, change) for inner in value]
    return value


FILES = {"url", "imgurl", "murl", "full", "original", "largeImageURL", "url_o", "url_z"}
ODD = [None, 7, [], {}, "", "ftp://x/y.jpg", "javascript:alert(1)", True]
JSON_SOURCES = [name for name in TEN if name not in READ_FROM_PAGES]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("name", [n for n in JSON_SOURCES if n != "internet_archive"])
def test_results_without_a_usable_file_are_skipped_and_counted(name: str, odd: object):
    with StandIn(name, pictures=4) as site:
        bad = set(site.pictures[:3])
        for path, route in site.routes.items():
            if not path.startswith(("/files", "/photos")):
                site.routes[path] = spoiled(route, bad, odd)
        found, skipped = find(opened(site))
        assert [one.url for one in found] == [site.file(site.pictures[3])]
    assert len(skipped) == 3


def spoiled(route: Any, bad: set[str], odd: object) -> Callable[[Any], Answer]:
    def spoil(key: str, value: Any) -> Any:
        return odd if key in FILES and str(value).rpartition("/")[2] in bad else value

    def answer(asked: Any) -> Answer:
        said = route(asked)
        return said._replace(body=json.dumps(changed_everywhere(json.loads(said.body), spoil)))

    return answer


@pytest.mark.parametrize("odd", ["", "ftp://x/y.jpg", "javascript:alert(1)", "//cdn/x.jpg"])
@pytest.mark.parametrize("name", READ_FROM_PAGES)
def test_links_that_lead_to_no_file_are_skipped_and_counted(name: str, odd: str):
    class Odd(StandIn):
        def file(self, name: str) -> str:
            return super().file(name) if name == self.pictures[1] else odd and odd + name

    with Odd(name, pictures=3) as site:
        found, skipped = find(opened(site))
        assert [one.url for one in found] == [site.file(site.pictures[1])]
    assert len(skipped) == 2


@pytest.mark.parametrize("name", TEN)
def test_a_failed_request_is_not_taken_for_an_answer(name: str):
    with StandIn(name) as site:
        site.routes = dict.fromkeys(site.routes, Answer("busy", 503))
        with pytest.raises(HttpStatusError, match="503"):
            find(opened(site))


def test_unsplash_is_told_of_a_download_and_nobody_else_gets_the_key():
    async def tell(source: Source, address: str) -> None:
        fetcher = WebFetcher()
        found = Found(url="http://x/", kind="image", source="unsplash", announce_url=address)
        try:
            await source.downloaded(PlainWeb(fetcher), found)
        finally:
            await fetcher.close()

    with StandIn("unsplash") as site, StandIn("unsplash") as stranger:
        source = opened(site)
        first, *_ = find(source)[0]
        asyncio.run(tell(source, first.announce_url))
        asyncio.run(tell(source, f"{stranger.url}/photos/{stranger.pictures[0]}/download"))
        asyncio.run(tell(source, "//nowhere"))
        assert site.announced == [site.pictures[0]]
        assert sum(stranger.requests.values()) == 0


LARGE = {"min_width": 2000, "min_height": 1500}
FILTERS: list[tuple[str, dict[str, Any], str, str]] = [
    ("openverse", {"licence": "commercial"}, "license_type", "commercial"),
    ("openverse", {"licence": "public_domain"}, "license", "cc0,pdm"),
    ("openverse", {"types": {"jpeg", "png"}}, "extension", "jpg,png"),
    ("openverse", LARGE, "size", "large"),
    ("openverse", {"min_width": 700, "min_height": 500}, "size", "medium,large"),
    ("wikimedia_commons", LARGE, "gsrsearch", "filetype:bitmap filew:>1999 fileh:>1499 cats"),
    ("wikimedia_commons", {"types": {"png"}}, "gsrsearch", "filetype:bitmap filemime:png cats"),
    ("wikimedia_commons", {"kinds": {"video"}}, "gsrsearch", "filetype:video cats"),
    ("wikimedia_commons", {"licence": "public_domain"}, "gsrsearch",
     "filetype:bitmap haslicense:unrestricted cats"),
    ("internet_archive", {"licence": "public_domain"}, "q",
     "(cats) AND mediatype:(image) AND licenseurl:*publicdomain*"),
    ("internet_archive", {"query": "a: (b)"}, "q", r"(a\: \(b\)) AND mediatype:(image)"),
    ("internet_archive", {"kinds": {"video"}}, "q", "(cats) AND mediatype:(movies)"),
    ("pixabay", LARGE, "min_width", "2000"),
    ("pixabay", {"limit": 1}, "per_page", "3"),
    ("flickr", {"licence": "public_domain"}, "license", "8,9,10"),
    ("bing_images", {**LARGE, "licence": "commercial"}, "qft",
     "+filterui:license-L2_L3_L4+filterui:imagesize-custom_2000_1500"),
    ("google_images", {**LARGE, "licence": "reuse", "types": {"jpeg"}}, "tbs",
     "il:cl,ift:jpg,isz:lt,islt:2mp"),
    ("yandex_images", {"types": {"png"}}, "itype", "png"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields", "parameter", "value"), FILTERS)
def test_a_filter_becomes_the_sources_own(
    name: str, fields: dict[str, Any], parameter: str, value: str
):
    sets = {key: frozenset(one) if isinstance(one, set) else one for key, one in fields.items()}
    wanted = Wanted(**{"query": "cats", "limit": 5, **sets})
    with StandIn(name) as site:
        source = opened(site)
        source.check_offers(wanted)
        find(source, wanted)
        assert site.queries[0][parameter] == value


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("unsplash", {"licence": "public_domain"}),
        ("yandex_images", {"licence": "reuse"}),
        ("google_images", {"licence": "commercial"}),
        ("openverse", {"kinds": frozenset({"video"})}),
    ],
)
def test_what_a_source_cannot_tell_or_does_not_have_is_not_offered(
    name: str, fields: dict[str, Any]
):
    source = registry.source_named(name)(key=KEY)
    with pytest.raises(SourceFailed, match=f"{name} has no ") as failed:
        source.check_offers(Wanted(query="cats", limit=5, **fields))
    assert failed.value.reason == "not_offered"


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({}, True),
        ({"min_width": 101}, False),
        ({"min_height": 81}, False),
        ({"types": frozenset({"png"})}, False),
        ({"types": frozenset({"jpeg", "png"})}, True),
        ({"kinds": frozenset({"video"})}, False),
    ],
)
def test_what_a_source_says_of_a_file_is_compared_with_what_is_wanted(
    wanted: dict[str, Any], fits: bool
):
    found = Found(
        url="http://x/", kind="image", source="s", width=100, height=80, media_type="image/jpeg"
    )
    assert Wanted(query="q", limit=1, **wanted).fits(found) is fits
    unknown = Found(url="http://x/", kind="image", source="s")
    assert Wanted(query="q", limit=1, **wanted).fits(unknown) is ("kinds" not in wanted)


def test_what_is_found_carries_what_the_source_says_of_it():
    with StandIn("wikimedia_commons") as site:
        first = find(opened(site))[0][0]
    assert first == Found(
        url=first.url,
        kind="image",
        source="wikimedia_commons",
        id="1000",
        page_url="https://commons.example/wiki/File:wikimedia_commons-0.jpg",
        title="wikimedia_commons-0.jpg",
        author="Ann & Bo",
        licence="CC BY-SA 4.0",
        licence_url="https://creativecommons.org/by-sa/4.0",
        width=WIDTH,
        height=HEIGHT,
        media_type="image/jpeg",
        size_bytes=1234,
        headers=first.headers,
    )


def test_the_file_of_an_archive_item_is_its_original():
    with StandIn("internet_archive") as site:
        first = find(opened(site))[0][0]
        assert first.url == f"{site.url}/download/item-{site.pictures[0]}/a%20b/{site.pictures[0]}"
    assert (first.author, first.licence_url) == ("Ann, Bo", "http://cc.example/by")


def test_a_film_is_as_wide_as_a_screen_rather_than_as_large_as_can_be():
    with StandIn("pexels", videos=1) as site:
        wanted = msgspec.structs.replace(WANTED, kinds=frozenset({"video"}))
        (film,), _ = find(opened(site), wanted)
    assert film.width == 1920


def test_those_asked_by_default_need_no_key_or_have_it_and_are_not_experimental():
    free = ("openverse", "wikimedia_commons", "internet_archive", "bing_images")
    assert registry.asked_by_default({}) == free
    assert registry.asked_by_default({"PEXELS_API_KEY": "k"}) == (*free, "pexels")


def test_a_search_for_what_never_fits_does_not_read_the_whole_site():
    with StandIn("pexels", pictures=1000) as site:
        wanted = msgspec.structs.replace(WANTED, limit=10)
        found, _ = find(opened(site), wanted)
    assert len(found) == 30


def test_the_pictures_of_the_stand_ins_differ():
    assert len({picture(f"{name}-{number}.jpg") for name in TEN for number in range(9)}) == 90
