"""What can be asked of media, and how a target asks for something else."""

from pathlib import Path
from typing import Any

import pytest

from swather.builtin.media.params import Limits, Params
from swather.builtin.media.query import query_of
from swather.builtin.media.scraper import media
from swather.builtin.media.sources import registry
from swather.errors import BadTarget, InputError
from swather.runs.configuration import resolve, run_params
from swather.scraping.params import typed_params


def made(**given: Any) -> Params:
    params: Params = typed_params(media, given)
    return params


@pytest.mark.parametrize(
    ("network", "at_once", "limits"),
    [
        ("normal", 5, Limits(30, 10, 15, 2)),
        ("fast", 10, Limits(15, 5, 15, 2)),
        ("slow", 3, Limits(60, 20, 30, 5)),
    ],
)
def test_a_network_sets_all_limits(network: str, at_once: int, limits: Limits):
    params = made(network=network)
    assert params.at_once == at_once
    assert params.limits_of("flickr") == limits
    assert made(network=network, request_timeout="7").limits_of("flickr").request_seconds == 7


def test_the_guide_lists_every_source_as_it_is():
    guide = Path(__file__).parents[3] / "docs/guides/media.md"
    rows = [line.strip("| ").split(" | ") for line in guide.read_text().splitlines()]
    listed = {row[0].strip("`"): row[1:] for row in rows if len(row) == 4}
    for name in registry.names():
        source = registry.source_named(name)
        key = f"`{source.key_name}`" if source.key_name else "no"
        by_default = (
            "no, experimental" if source.experimental else "with a key" if key != "no" else "yes"
        )
        assert listed[name] == [
            ", ".join(f"{kind}s" for kind in sorted(source.kinds)),
            key,
            by_default,
        ]


def test_a_source_may_have_limits_of_its_own(monkeypatch: pytest.MonkeyPatch):
    for name, value in {
        "SOURCE_TIMEOUT": "40,flickr=50",
        "SWATHER_MAX_RETRIES_PER_SOURCE": "flickr=4",
        "MAX_CONCURRENT_SOURCES": "2",
        "REQUEST_TIMEOUT": "3.5",
    }.items():
        monkeypatch.setenv(name, value)
    params = made(**run_params(media, ["file_timeout=flickr=9"], resolve().settings))
    assert params.at_once == 2
    assert params.limits_of("flickr") == Limits(50, 3.5, 9, 4)
    assert params.limits_of("pexels") == Limits(40, 3.5, 15, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sources": "flikr"}, "no source is named 'flikr'; did you mean 'flickr'"),
        ({"sources": "openverse, unsplsh"}, "did you mean 'unsplash'"),
        ({"source_url": {"flikr": "http://a.example"}}, "did you mean 'flickr'"),
        ({"source_url": {"flickr": "a.example"}}, "expected flickr=http://…, got 'a.example'"),
        ({"source_timeout": "flikr=3"}, "did you mean 'flickr'"),
        ({"source_timeout": "0"}, "'source_timeout': expected a number up to 3600"),
        ({"request_timeout": "soon"}, "'request_timeout': expected .* got 'soon'"),
        ({"max_retries_per_source": "-1"}, "'max_retries_per_source': expected"),
        ({"per_source": 0}, "'per_source': expected 1 or more, got 0"),
        ({"cache": "yesterday"}, "'cache': expected a time such as 1h or 1d, got 'yesterday'"),
        ({"network": "slw"}, "'network': expected"),
    ],
)
def test_what_cannot_be_asked_for_is_told_in_one_line(given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message) as raised:
        made(**given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("target", "text", "urls", "folder"),
    [
        ("  red   bicycle ", "red bicycle", (), "red bicycle"),
        ("../a/b", "../a/b", (), "a b"),
        ({"query": "cats"}, "cats", (), "cats"),
        ('{"query": "cats"}', "cats", (), "cats"),
        ("http://a.example/b.jpg", "http://a.example/b.jpg", ("http://a.example/b.jpg",), None),
        ({"urls": ["http://a.example"]}, "http://a.example", ("http://a.example",), None),
    ],
)  # fmt: skip
def test_a_target_is_a_query_or_the_urls_of_files(target, text, urls, folder):
    query = query_of(target, Params())
    assert (query.text, query.urls) == (text, urls)
    assert folder in {None, query.folder}


def test_a_target_may_have_options_of_its_own():
    query = query_of({"query": "cats", "per_source": "3", "kind": "video"}, made(network="slow"))
    assert (query.params.per_source, query.params.kind, query.params.network) == (
        3,
        "video",
        "slow",
    )


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "the query is empty"),
        (" \n", "the query is empty"),
        ({"query": ""}, "one of query, url and urls"),
        ({"query": "a", "url": "http://a.example"}, "one of query, url and urls"),
        ({"query": 3}, "must be text"),
        ({"urls": ["ftp://a.example"]}, "must begin with http"),
        ({"query": "cats", "per_sorce": 3}, "no 'per_sorce'; did you mean 'per_source'"),
        ({"query": "cats", "per_source": "x"}, "'per_source': expected int, got 'x'"),
        ({"query": "cats", "sources": "flikr"}, "did you mean 'flickr'"),
        ("{cats", "is not JSON"),
        (["cats"], "a target is a query"),
        ("a" * 501, "at most 500 characters"),
    ],
)
def test_a_target_that_asks_for_nothing_is_told(target: Any, message: str):
    with pytest.raises(BadTarget, match=message):
        query_of(target, Params())
