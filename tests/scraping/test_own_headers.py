"""Headers of the decorator: checked when given, and never sent where they are not meant."""

import pytest

from swather.errors import InputError
from swather.net.request import Request
from swather.runs import configuration
from swather.runs.fetching import new_fetcher
from swather.scraping.options import Options
from swather.scraping.scraper import scraper
from swather.settings_sources import read
from swather.testing import FakeSite, run_scraper
from swather.testing.site import Answer

SECRET = {"https://api.example.com": {"Authorization": "Bearer t", "X-Key": "k"}}


def sent(url, own, **request):
    return Options(**own).own_headers.added_to(Request(url=url, **request)).headers


def test_they_go_with_every_request_that_does_not_say_otherwise():
    own = {"user_agent": "mine/1", "headers": {"Accept-Language": "de"}}
    assert sent("https://x.example/", own) == {"Accept-Language": "de", "User-Agent": "mine/1"}
    given = sent("https://x.example/", own, headers={"user-agent": "other/2"})
    assert given == {"Accept-Language": "de", "user-agent": "other/2"}
    assert sent("https://x.example/", own, profile="chrome140") == {"Accept-Language": "de"}
    assert sent("https://x.example/", {}) == {}


@pytest.mark.parametrize(
    ("url", "goes"),
    [
        ("https://api.example.com/a", True),
        ("https://API.example.com:443/a", True),
        ("https://user:pass@api.example.com/a", True),
        ("http://api.example.com/a", False),
        ("https://api.example.com:8443/a", False),
        ("https://api.example.com.evil.example/", False),
        ("https://evil.example/https://api.example.com/", False),
        ("https://api.example.com@evil.example/", False),
        ("https://evil.example\\@api.example.com/", False),
    ],
)
def test_what_may_be_a_secret_goes_to_its_own_origin_only(url, goes):
    assert bool(sent(url, {"headers": SECRET})) is goes


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"headers": {"Authorization": "Bearer hidden"}}, "which site gets it"),
        ({"headers": {"X-Api-Key": "hidden"}}, "which site gets it"),
        ({"headers": {"https://a.example": {"Cookie": "hidden"}}}, "for a whole scraper"),
        ({"headers": {"https://a.example/path": {"X": "1"}}}, "expected an origin"),
        ({"headers": {"a.example": {"X": "1"}}}, "expected an origin"),
        ({"headers": {"Accept": "a\r\nX-Injected: hidden"}}, "line breaks"),
        ({"headers": {"Accept": 7}}, "expected text"),
        ({"headers": {"Bad name": "x"}}, "cannot be the name"),
        ({"headers": "Accept: x"}, "expected a mapping"),
        ({"user_agent": ""}, "expected text"),
        ({"user_agent": "a\nb"}, "line breaks"),
        ({"user_agent": "x" * 9_000}, "longer than"),
        ({"user_agent": "mine/1", "profile": "chrome140"}, "set only one of the two"),
    ],
)
def test_what_cannot_be_sent_is_refused_without_showing_it(own, said):
    with pytest.raises(InputError, match=said) as refused:
        scraper(**own)
    assert "hidden" not in str(refused.value)


def test_secrets_are_not_in_the_repr_of_options():
    assert "Bearer" not in repr(Options(headers=SECRET))


def test_settings_come_before_the_decorator(tmp_path):
    @scraper(user_agent="decorated/1")
    def books(ctx, target): ...

    for given, expected in (({}, "decorated/1"), ({"user_agent": "set/2"}, "set/2")):
        settings = read(given, folder=tmp_path).settings
        assert configuration.apply(books, settings).options.user_agent == expected


def test_secrets_stay_behind_when_a_redirect_leads_elsewhere(tmp_path):
    seen = {}

    def noted(answer):
        def answered(asked):
            seen[asked.path] = asked.headers
            return answer

        return answered

    with FakeSite({"/there": noted(Answer("fine"))}) as other:
        leads = Answer(status=302, headers={"Location": f"{other.url}/there"})
        with FakeSite({"/here": noted(leads)}) as first:
            own = {first.url: {"Authorization": "Bearer t"}, "Accept-Language": "de"}

            @scraper(user_agent="mine/1", headers=own)
            async def books(ctx, url):
                await ctx.get(url)

            fetcher = new_fetcher(read({}, folder=tmp_path).settings)
            run_scraper(books, f"{first.url}/here", fetcher=fetcher)
    assert seen["/here"]["authorization"] == "Bearer t"
    assert "authorization" not in seen["/there"]
    assert seen["/there"]["user-agent"] == "mine/1"
    assert seen["/there"]["accept-language"] == "de"
