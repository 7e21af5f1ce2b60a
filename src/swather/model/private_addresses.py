"""Which addresses and names are private: not on the public web."""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

IPAddress = IPv4Address | IPv6Address

# Not ipaddress's own is_global, which differs from one Python release to the next.
_PRIVATE_V4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this host
            "10.0.0.0/8",
            "100.64.0.0/10",  # behind a carrier's translator; some clouds keep metadata here
            "127.0.0.0/8",
            "168.63.129.16/32",  # Azure's metadata
            "169.254.0.0/16",  # link-local, and most clouds' metadata
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_GLOBAL_V6: Final = IPv6Network("2000::/3")
_PRIVATE_V6: Final = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
_HOST: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)+")
_LOCAL_NAMES: Final = frozenset(
    {"corp", "home", "internal", "intranet", "lan", "local", "localdomain", "localhost", "private"}
)


def is_private(address: IPAddress) -> bool:
    """Whether an address is loopback, private, link-local, metadata, multicast or reserved; one
    that contains an IPv4 address (mapped, NAT64, 6to4) is judged by that.
    """
    if isinstance(address, IPv4Address):
        return any(address in network for network in _PRIVATE_V4)
    if (inside := address.ipv4_mapped or address.sixtofour) is not None:
        return is_private(inside)
    if address in _TRANSLATED:
        return is_private(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address not in _GLOBAL_V6 or any(address in network for network in _PRIVATE_V6)


def is_local_name(name: str) -> bool:
    """Whether only a local network knows the name. For requests through a proxy, which resolves
    names itself.
    """
    last = name.rpartition(".")[2]
    return "." not in name or last in _LOCAL_NAMES or name.endswith(".home.arpa")


def is_public_host(lane: str) -> bool:
    """Whether a lane is a host on the public web, by its name alone."""
    host = lane
    if lane.startswith("["):
        host = lane[1:].partition("]")[0]
    elif lane.count(":") == 1:
        host = lane.partition(":")[0]
    try:
        return not is_private(ip_address(host))
    except ValueError:
        return _HOST.fullmatch(host) is not None and not is_local_name(host)
