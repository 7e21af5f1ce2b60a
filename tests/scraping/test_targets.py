"""From values to targets: key, lane and partition."""

import pytest

from swather.errors import BadTarget, InputError
from swather.model.task import Target
from swather.scraping.scraper import scraper
from swather.scraping.targets import lane_of_url, target_of, url_of
from tests.scraping.attempts import nothing


def made_with(**options):
    @scraper(**options)
    def made(ctx, target): ...

    return made


def test_a_url_has_its_host_as_lane_and_its_normal_spelling_as_key():
    target = target_of(nothing, "HTTPS://Example.com:443/a?b=1#c")
    assert target.value == "HTTPS://Example.com:443/a?b=1#c"
    assert target.key == "https://example.com/a?b=1"
    assert target.lane == "example.com"


def test_two_rows_with_one_url_and_different_columns_are_two_targets():
    first = target_of(nothing, {"url": "http://Example.com", "page": 1})
    again = target_of(nothing, {"page": 1, "url": "http://example.com/"})
    other = target_of(nothing, {"url": "http://example.com/", "page": 2})
    assert first.key == again.key != other.key
    assert first.lane == "example.com"


def test_normalising_can_be_switched_off():
    made = made_with(urls_normalised=False)
    assert target_of(made, "http://Example.com").key == "http://Example.com"


def test_other_values_have_no_lane_and_their_json_as_key():
    assert target_of(nothing, {"b": 1, "a": 2}) == Target(
        value={"b": 1, "a": 2}, key='{"a":2,"b":1}'
    )
    assert target_of(nothing, "dQw4w9WgXcQ").key == "dQw4w9WgXcQ"
    assert target_of(nothing, 7).lane == ""


def test_a_scraper_names_lane_and_partition_by_text_or_by_function():
    fixed = made_with(lane="shop", partition="all")
    by_function = made_with(lane=lambda t: t["site"], partition=lambda t: t["state"])
    target = target_of(fixed, "https://example.com/")
    assert (target.lane, target.partition) == ("shop", "all")
    target = target_of(by_function, {"site": "s", "state": "CA", "url": "https://example.com"})
    assert (target.lane, target.partition) == ("s", "CA")
    target = target_of(by_function, {"site": None, "state": None, "url": "https://example.com"})
    assert (target.lane, target.partition) == ("example.com", "")


def test_a_scraper_says_itself_which_targets_are_the_same():
    made = made_with(key=lambda target: target.rpartition("/")[2])
    assert target_of(made, "https://a.example/7").key == target_of(made, "7").key == "7"
    assert target_of(made, "7", key="given").key == "given"
    with pytest.raises(InputError, match="key: expected text"):
        target_of(made, "https://a.example/")


def test_a_lane_that_is_no_text_is_refused():
    with pytest.raises(InputError, match="lane: expected text or None"):
        target_of(made_with(lane=lambda _: 5), "x")


def test_what_the_caller_says_comes_first():
    given = {"key": "k", "priority": 9, "lane": "l", "partition": "p", "due_in_seconds": 3.0}
    target = target_of(made_with(lane="x", partition="y"), "v", parent_id=4, **given)
    assert target == Target(value="v", parent_id=4, **given)


@pytest.mark.parametrize(
    ("url", "lane"),
    [
        ("http://example.com/a", "example.com"),
        ("https://EXAMPLE.com.:443", "example.com"),
        ("http://example.com:443", "example.com:443"),
        ("http://user:secret@example.com:8080/", "example.com:8080"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("http://bücher.example/", "xn--bcher-kva.example"),
        ("http://0x7f000001/", "127.0.0.1"),
        ("http://no such host/", "no such host"),
    ],
)
def test_a_lane_is_the_host_and_an_unusual_port(url, lane):
    assert lane_of_url(url) == lane


@pytest.mark.parametrize("url", ["http://", "http://a:port/", "http://[::1"])
def test_a_broken_url_is_refused(url):
    with pytest.raises(BadTarget, match="is not a URL"):
        target_of(nothing, url)


def test_what_looks_like_no_url_is_none():
    assert url_of("ftp://a") is None
    assert url_of({"url": 5}) is None
    assert url_of(["http://a"]) is None
