"""Hosts that a person typed."""

import pytest

from swather.net.typed import hosts_in, typed_hosts


@pytest.mark.parametrize(
    ("value", "hosts"),
    [
        ("http://127.0.0.1:8000/a", ["127.0.0.1:8000"]),
        (" https://Example.com", ["example.com:443"]),
        ("http://0x7f000001/", ["127.0.0.1:80"]),
        ("http://me:pw@[::1]:81/", ["::1:81"]),
        ({"url": "http://a.example/", "image": "http://b.example/", "n": 1}, None),
        ({"urls": ["http://a.example/", "http://b.example/"]}, None),
        ("a.example", []),
        ("http://a b/", []),
        (7, []),
        (None, []),
    ],
)
def test_the_hosts_of_a_target_are_those_of_its_urls(value, hosts):
    expected = ["a.example:80", "b.example:80"] if hosts is None else hosts
    assert list(hosts_in(value)) == expected


def test_who_typed_one_usual_port_typed_both_and_no_other():
    typed = typed_hosts(["a.example:80", "b.example:8000", "::1:443"])
    assert typed == {
        ("a.example", 80), ("a.example", 443), ("b.example", 8000), ("::1", 80), ("::1", 443)
    }  # fmt: skip
