"""Hosts that a person typed."""

import pytest

from swather.net.private_hosts import NOT_ALLOWED, canonical_port, hosts_in, refusal_reason


@pytest.mark.parametrize(
    ("value", "hosts"),
    [
        ("http://127.0.0.1:8000/a", {("127.0.0.1", 8000)}),
        (" https://Example.com", {("example.com", 80)}),
        ("\n  http://a.example/b", {("a.example", 80)}),
        ("http://0x7f000001/", {("127.0.0.1", 80)}),
        ("http://me:pw@[::1]:81/", {("::1", 81)}),
        ({"url": "http://a.example/", "image": "http://b.example/", "n": 1}, None),
        ({"urls": ["http://a.example/", "http://b.example/"]}, None),
        ("a.example", set()),
        ("http://a b/", set()),
        (7, set()),
        (None, set()),
    ],
)
def test_the_hosts_of_a_target_are_those_of_its_urls(value, hosts):
    expected = {("a.example", 80), ("b.example", 80)} if hosts is None else hosts
    assert hosts_in([value]) == expected
    assert hosts_in(["http://c.example/1", value, "http://c.example/2"]) == {
        *expected,
        ("c.example", 80),
    }


def test_who_typed_one_usual_port_typed_both_and_no_other():
    assert [canonical_port(port) for port in (80, 443, 8000, 8443)] == [80, 80, 8000, 8443]


@pytest.mark.parametrize(
    ("host", "first_address", "is_allowed"),
    [
        ("10.0.0.7", "10.0.0.7", True),
        ("nas.example", "10.0.0.7", True),
        ("nas.example", "fd00::7", True),
        ("nas.example", "93.184.216.34", False),
        ("nas.example", "2606:2800:220:1::1", False),
        ("localhost", "93.184.216.34", True),
        ("a.localhost", "93.184.216.34", True),
        ("notlocalhost", "93.184.216.34", False),
        ("nas.local", "nas.local", True),
    ],
)
def test_a_typed_host_may_be_private_if_it_was_when_it_was_first_found(
    host, first_address, is_allowed
):
    assert (refusal_reason(host, first_address) is None) is is_allowed


def test_what_nobody_typed_may_not():
    assert refusal_reason("localhost", None) == NOT_ALLOWED
