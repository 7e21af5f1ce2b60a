"""Lists of proxies: every form that people have, and bad lines by their number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.masking import masked
from swather.model.proxy_list import ProxyLine, parse_proxies
from swather.model.proxy_url import PROXY_SCHEMES, proxy_parts
from swather.net.egress import Egress

FORMS = [
    ("10.0.0.1:3128", "http://10.0.0.1:3128"),
    ("proxy.example:8080", "http://proxy.example:8080"),
    ("[2001:db8::1]:3128", "http://[2001:db8::1]:3128"),
    ("10.0.0.1:3128:me:secret", "http://me:secret@10.0.0.1:3128"),
    ("10.0.0.1:3128:me:s:e:c", "http://me:s%3Ae%3Ac@10.0.0.1:3128"),
    ("10.0.0.1:3128:me:50%/@x", "http://me:50%25%2F%40x@10.0.0.1:3128"),
    ("[2001:db8::1]:3128:me:secret", "http://me:secret@[2001:db8::1]:3128"),
    ("me:secret@10.0.0.1:3128", "http://me:secret@10.0.0.1:3128"),
    ("me:s%2Fe@10.0.0.1:3128", "http://me:s%2Fe@10.0.0.1:3128"),
    ("me:s/e@10.0.0.1:3128", "http://me:s%2Fe@10.0.0.1:3128"),
    ("me@10.0.0.1:3128", "http://me@10.0.0.1:3128"),
    *((f"{scheme}://me:x@h.example:1080", None) for scheme in PROXY_SCHEMES),
    ("SOCKS5H://H.Example:1080", None),
    ("http://h.example", None),
]


@pytest.mark.parametrize(("line", "url"), FORMS)
def test_a_proxy_can_be_written_in_the_usual_forms(line: str, url: str | None):
    (found,), bad = parse_proxies([line])
    assert (found.url, bad) == (url or line, [])
    assert Egress.through(found.url).key == proxy_parts(found.url).key


def test_what_stands_around_the_proxies_of_a_file_is_left_out():
    lines = [
        "\ufeff# of our provider\r\n",
        "\r\n",
        "10.0.0.1:1 tags=fast,de,fast country=DE weight=2.5\r\n",
        "   \t\n",
        "10.0.0.2:2   # in the cellar\n",
        "10.0.0.3:3\ttags=\tcountry=us",
    ]
    good, bad = parse_proxies(lines)
    assert bad == []
    assert good == [
        ProxyLine(url="http://10.0.0.1:1", tags=("fast", "de"), country="de", weight=2.5, line=3),
        ProxyLine(url="http://10.0.0.2:2", line=5),
        ProxyLine(url="http://10.0.0.3:3", country="us", line=6),
    ]


BAD_LINES = [
    "canary",
    "10.0.0.1",
    "10.0.0.1:canary",
    "10.0.0.1:0:me:canary",
    "10.0.0.1:70000:me:canary",
    "me:canary@10.0.0.1",
    "10.0.0.1:1:canary",
    "me:can ary@10.0.0.1:1",
    "ftp://me:canary@10.0.0.1:1",
    "http://me:can/ary@10.0.0.1:1",
    "http://me:canary@10.0.0.1:70000",
    "10.0.0.1:1:me:pass canary",
    "10.0.0.1:1:me:pass can=ary",
    "10.0.0.1:1 weight=0",
    "10.0.0.1:1 weight=nan",
    "10.0.0.1:1 weight=1e9",
    "10.0.0.1:1 weight=canary",
    "10.0.0.1:1 country=germany",
    "10.0.0.1:1 tags=a;canary",
    "10.0.0.1:1 tags=" + "x" * 51,
    "10.0.0.1:1 tags=" + ",".join(f"t{n}" for n in range(21)),
    "10.0.0.1:1:me:\x1b[2Jcanary\0",
    "10.0.0.1:1:me:canary" * 200,
    "10.0.0.1:1:me:canary\udc80",
]


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_is_told_by_its_number_and_without_its_password(line: str):
    good, bad = parse_proxies(["10.0.0.9:9", "", line])
    assert [each.line for each in good] == [1]
    (found,) = bad
    assert found.line == 3
    assert found.reason
    assert "canary" not in found.reason
    assert "ary" not in found.reason.replace("necessary", "")
    assert "\x1b" not in found.reason


def test_a_line_that_is_no_proxy_says_what_one_looks_like():
    _, bad = parse_proxies(["10.0.0.1"])
    (found,) = bad
    assert found.reason.startswith("this is not a proxy: write host:port, ")
    assert masked(found.reason) == found.reason


@given(st.text(min_size=1), st.text())
def test_any_user_and_password_make_one_good_or_bad_line(user: str, password: str):
    good, bad = parse_proxies([f"10.0.0.1:3128:{user}:{password}"])
    for each in good:
        assert Egress.through(each.url).proxy_url == each.url
    assert len(good) + len(bad) == 1
    assert all(len(password) < 8 or password not in each.reason for each in bad)
