"""The site that the part headlines measures against limits each address, as it says."""

from bench.servers.directory import BURST, LimitingDirectory
from swather.testing.directory import search_of
from tests.testing.web import asked_for

SEARCH = search_of(("NV", "Reno", "gyms"))


def status(site: LimitingDirectory, via: str = "") -> int:
    return asked_for(site.url + SEARCH, Via=via).status


def test_an_address_that_asks_too_often_is_refused_and_others_are_not():
    with LimitingDirectory(0.0, every_seconds=60.0) as site:
        assert [status(site) for _ in range(BURST + 1)] == [200] * BURST + [429]
        assert status(site, "1.1 proxy-1") == 200
        assert site.too_many == 1


def test_without_a_limit_nobody_is_refused():
    with LimitingDirectory(0.0, every_seconds=0.0) as site:
        assert {status(site) for _ in range(10)} == {200}
