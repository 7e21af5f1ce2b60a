"""What a robots.txt says to us, as RFC 9309 has it and as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.net.robots_rules import ALL_ALLOWED, MAX_BYTES, names_of, parse

SITE = "https://example.com"


def rules(text, *, user_agent="swather/1.0 (+https://example.org)", cap=60.0):
    body = text if isinstance(text, bytes) else text.encode()
    return parse(body, user_agent=user_agent, max_crawl_delay_seconds=cap)


def allows(text, path, **how):
    return rules(text, **how).allows(SITE + path)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/private/x?y=1", False),
        ("/private/open", True),
        ("/privat", True),
        ("/robots.txt", True),
        ("/search?q=a", False),
        ("/a.gif", False),
        ("/a.gif?x", True),
        ("/%7Ejoe/mail", False),
        ("/~joe/mail", False),
        ("/caf%C3%A9", False),
        ("/café", False),
    ],
)
def test_the_longest_match_decides(path, allowed):
    text = (
        "User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*?q=\n"
        "Disallow: /*.gif$\nDisallow: /~joe/\nDisallow: /café\n"
    )
    assert allows(text, path) is allowed


def test_allow_wins_over_disallow_of_the_same_length():
    assert allows("User-agent: *\nDisallow: /page\nAllow: /page\n", "/page")


def test_a_group_that_names_us_goes_before_the_group_for_all():
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Swather\nDisallow: /slow\n"
    assert allows(text, "/fast")
    assert not allows(text, "/slow")


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [
        ("swather", True),
        ("SWATHER/9.9", True),
        ("swather # that one", True),
        ("sw", False),
        ("swather-news", False),
        ("notswather", False),
        ("swath", False),
    ],
)
def test_a_group_is_ours_by_our_whole_name(name, is_ours):
    assert allows(f"User-agent: {name}\nDisallow: /\n", "/") is not is_ours


def test_groups_of_one_name_are_one_group():
    text = "User-agent: swather\nDisallow: /a\n\nUser-agent: swather\nDisallow: /b\n"
    assert not allows(text, "/a")
    assert not allows(text, "/b")


def test_several_names_may_stand_above_one_group():
    text = "User-agent: other\nUser-agent: swather\nDisallow: /a\n"
    assert not allows(text, "/a")


def test_an_own_user_agent_has_a_name_of_its_own_beside_ours():
    text = "User-agent: harvest\nDisallow: /a\n\nUser-agent: swather\nDisallow: /b\n"
    assert not allows(text, "/a", user_agent="Harvest/2.0")
    assert not allows(text, "/b", user_agent="Harvest/2.0")
    assert allows(text, "/a")


BROWSER = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"


@pytest.mark.parametrize(
    ("user_agent", "names"),
    [
        ("swather/1.0 (+https://example.org)", {"swather"}),
        ("My-Bot/2", {"my-bot"}),
        ("harvest/1.0 (compatible; Other/1.0)", {"harvest"}),
        ("Mozilla/5.0 (X11; Linux x86_64)", set()),
        (f"Mozilla/5.0 (X11; Linux x86_64) {BROWSER}", set()),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", set()),
        ("Mozilla/5.0 (compatible; AcmeBot/1.2; +http://acme.example/bot/2)", {"acmebot"}),
        ("Mozilla/5.0 (compatible;Acme-Bot; http://acme.example/)", {"acme-bot"}),
        ("mozilla/5.0 (AcmeBot/1.2)", {"acmebot"}),
        ("Mozilla/5.0 AcmeBot/1.2 (+https://acme.example)", {"acmebot"}),
        (f"Mozilla/5.0 (X11) {BROWSER} (compatible; AcmeBot/1.2)", {"acmebot"}),
        (f"Mozilla/5.0 (X11) {BROWSER} AcmeBot/1.2", {"acmebot"}),
        ("", set()),
        ("/1.0", set()),
    ],
)
def test_the_name_is_the_product_token(user_agent, names):
    assert names_of(user_agent) == names


def test_a_name_in_the_user_agent_of_a_browser_has_its_group():
    text = "User-agent: *\nDisallow: /a\n\nUser-agent: AcmeBot\nDisallow: /b\n"
    user_agent = "Mozilla/5.0 (compatible; AcmeBot/1.2; +http://acme.example)"
    assert not allows(text, "/b", user_agent=user_agent)
    assert allows(text, "/a", user_agent=user_agent)
    assert allows(text, "/b", user_agent="Mozilla/5.0 (X11; Linux x86_64)")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!doctype html><html><body>User-agent: * Disallow: /</body></html>",
        "Disallow: /\n",
        "User-agent: other\nDisallow: /\n",
        "User-agent: *\nDisallow:\n",
        b"\x00\xff\xfe\x80" * 1000,
    ],
)
def test_what_is_no_rule_for_us_forbids_nothing(text):
    assert allows(text, "/")


def test_nothing_is_kept_of_a_file_that_does_not_concern_us():
    assert rules("User-agent: other\nDisallow: /\n") is ALL_ALLOWED


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /a\n",
        b"User-agent: *\r\nDisallow: /a\r\n",
        b"User-agent: *\rDisallow: /a\r",
        "User-agent: *\nDisallow: /a\n".encode("utf-16"),
        b"User-agent: *\n\x00\xc3\x28garbage\nDisallow: /a\x00\n",
        b"user agent: *\nDISALLOW : /a # here\n",
        b"User-agent *\nDisallow /a\n",
        b"User-agent: *\n\n# words\nDisallow: /a",
    ],
)
def test_a_file_is_read_however_it_is_written(text):
    assert not allows(text, "/a/b")
    assert allows(text, "/b")


def test_what_comes_after_500_kib_is_not_read():
    head = "User-agent: *\nDisallow: /a\n"
    text = head + "#" * (MAX_BYTES - len(head)) + "\nDisallow: /b\n"
    assert not allows(text, "/a")
    assert allows(text, "/b")


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Crawl-delay: 2.5", 2.5),
        ("crawl-delay:10", 10.0),
        ("Crawl-delay: 86400", 60.0),
        ("Crawl-delay: 0", None),
        ("Crawl-delay: -3", None),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: nan", None),
        ("Crawl-delay: inf", None),
        ("", None),
    ],
)
def test_a_crawl_delay_is_a_number_of_seconds_up_to_the_cap(line, seconds):
    assert rules(f"User-agent: *\n{line}\nDisallow: /a\n").crawl_delay_seconds == seconds


def test_a_crawl_delay_for_others_is_not_for_us():
    text = "User-agent: other\nCrawl-delay: 30\n\nUser-agent: *\nCrawl-delay: 1\n"
    assert rules(text).crawl_delay_seconds == 1.0


@given(st.binary(max_size=400), st.text(max_size=60))
def test_no_bytes_and_no_url_can_break_it(body, path):
    rules(b"User-agent: *\nDisallow: /x\n" + body).allows(f"{SITE}/{path}")
