"""Which addresses are of the public web."""

from ipaddress import ip_address

import pytest

from swather.model.private_addresses import is_local_name, is_private


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1",  # noqa: S104
        "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.0.0.192", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "fe80::1",
        "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808", "100::1", "2001:db8::1", "2001::1", "2001:10::1", "2002:7f00:1::",
        "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fe80::1%eth0",
    ],
)  # fmt: skip
def test_not_of_the_public_web(address):
    assert is_private(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0", "169.253.0.1", "192.167.255.255", "223.255.255.255", "::ffff:8.8.8.8",
        "64:ff9b::808:808", "2606:4700:4700::1111", "2a00:1450::1", "2002:808:808::1",
    ],
)  # fmt: skip
def test_of_the_public_web(address):
    assert not is_private(ip_address(address))


@pytest.mark.parametrize(
    "name",
    ["localhost", "a.localhost", "db", "printer.local", "metadata.google.internal", "x.home.arpa"],
)
def test_a_name_that_only_a_local_network_knows(name):
    assert is_local_name(name)


@pytest.mark.parametrize("name", ["example.com", "localhost.example.com", "internal.example"])
def test_a_name_that_the_web_knows(name):
    assert not is_local_name(name)
