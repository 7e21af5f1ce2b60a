"""How a request leaves, as a value."""

import traceback

import msgspec
import pytest

from swather.errors import InputError
from swather.net.egress import DIRECT, Egress
from swather.net.request import Request

PROXY = "http://me:s3cret@Proxy.example:3128"


def test_without_a_proxy_it_is_direct():
    assert DIRECT.is_direct
    assert DIRECT.proxy_url is None
    assert DIRECT.key == ""
    assert str(DIRECT) == "direct"
    assert Egress() == DIRECT


def test_the_same_proxy_is_the_same_egress():
    egress = Egress.through(PROXY)
    assert not egress.is_direct
    assert egress.proxy_url == PROXY
    assert egress == Egress.through(PROXY)
    assert {egress: 1}[Egress.through(PROXY)] == 1
    assert egress != DIRECT


def test_a_key_is_the_same_in_every_process_and_tells_no_password():
    assert Egress.through("socks5h://proxy.example").key == "socks5h://proxy.example"
    assert Egress.through("HTTP://Proxy.example:1/").key == "http://proxy.example:1"
    assert Egress.through(PROXY).key == "http://proxy.example:3128#b00e4daa2eef88fc"


def test_whoever_logs_in_otherwise_has_another_key():
    urls = [
        "http://p.example", "http://p.example:1", "http://q.example", "socks5://p.example",
        "http://me@p.example", "http://you@p.example", "http://me:a@p.example",
        "http://me:b@p.example",
    ]  # fmt: skip
    assert len({Egress.through(url).key for url in urls}) == len(urls)


@pytest.mark.parametrize("password", ["s3cret", "s3cret@x", "%2Fs3cret"])
def test_no_password_is_shown(password):
    egress = Egress.through(f"http://me:{password}@p.example:1")
    assert str(egress) == "http://***@p.example:1"
    assert repr(egress) == "Egress(http://***@p.example:1)"
    assert egress.__rich_repr__() == [("proxy_url", "http://***@p.example:1")]
    assert "s3cret" not in repr(Request(url="http://a.example/", egress=egress))


@pytest.mark.parametrize(
    "url",
    [
        "http://p.example", "https://p.example:443", "socks4://p.example:1080",
        "socks4a://p.example:1", "socks5://p.example:65535", "socks5h://127.0.0.1:9050",
        "http://[::1]:3128", "http://me@p.example:1", "http://me:a:b@p.example:1/",
        "http://a_b:1", "HTTP://P.EXAMPLE:1", "http://m\u00fcnchen.example:1",
    ],
)  # fmt: skip
def test_what_is_a_proxy(url):
    assert Egress.through(url).proxy_url == url


@pytest.mark.parametrize(
    "url",
    [
        "", "nonsense", "ftp://p.example", "p.example:3128", " http://p.example:1",
        "p.example:3128:me:s3cret", "me:s3cret@p.example:3128", "me:s3cret:p.example:3128",
        "http://", "http://:1", "http://#", "http://?x", "http:///p.example", "http://p.example:",
        "http://p.example:0", "http://p.example:01", "http://p.example:65536", "http://p.example:99999",
        "http://me:s3cret", "http://me:s3cret@", "http://me:s3cret@:1", "http://me:s3cret@p:x",
        "http://p.example/x", "http://p.example:1/?s3cret", "http://p .example:1",
        "http://p.example\n:1", "http://p.example\0:1", "http://me:a/s3cret@p.example:1", "http://me:a#s3cret@p.example:1",
        "http://me:a?s3cret@p.example:1", "http://me:a\\s3cret@p.example:1",
        "socks5h://me:s3cret /@p.example:1", "http://[::1:1",
    ],
)  # fmt: skip
def test_what_is_no_proxy_is_refused_and_tells_no_password(url):
    with pytest.raises(InputError, match="prox") as raised:
        Egress.through(url)
    assert "s3cret" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("value", [None, 3128, b"http://p.example", {"http": "http://me:s3cret@p"}])
def test_who_asks_for_what_is_no_text_does_not_go_out_directly(value):
    with pytest.raises(InputError, match="a proxy is a URL such as") as raised:
        Egress.through(value)
    assert "s3cret" not in str(raised.value)


def test_what_comes_from_another_process_is_checked_as_well():
    for url in ("", "nonsense", "socks5://p.example:99999"):
        with pytest.raises(msgspec.ValidationError, match="prox"):
            msgspec.convert({"proxy_url": url}, Egress)
