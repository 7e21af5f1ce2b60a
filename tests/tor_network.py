"""A Tor network on loopback, with real relays: three authorities and four exits.

All processes of one pytest session share it. Its relays end with the session: each watches the
process that it belongs to, whatever becomes of the one that started it.
"""

import fcntl
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import msgspec

from tests import debian

PACKAGES = {"tor": "/usr/sbin/tor", "tor-geoipdb": "/usr/share/tor/geoip"}
TOR = PACKAGES["tor"]
# Now: tests give their daemons another.
TEMPORARY = Path(tempfile.gettempdir())
AUTHORITIES = ("a0", "a1", "a2")
# In which country each exit is, according to the network's own table.
EXITS = {"e0": "de", "e1": "de", "e2": "nl", "e3": "us"}
# Of a connection that was closed before we looked who had it.
GONE = "gone"
# A name that clients of this network find on loopback: Tor takes no private addresses.
SITE = "site.example"
OR_PORT, DIRECTORY_PORT, SERVICE_PORT = 5000, 7000, 8080
# The authorities vote at multiples of this on the clock; with less, not all relays are known yet.
FIRST_VOTE_SECONDS = 10
BANDWIDTH = 1000
START_SECONDS = 120

OF_ALL = """
TestingTorNetwork 1
AssumeReachable 1
PathsNeededToBuildCircuits 0.67
TestingDirAuthVoteGuard *
TestingDirAuthVoteHSDir *
V3AuthNIntervalsValid 3
GeoIPv6File /dev/null
"""
OF_A_RELAY = """
SocksPort 0
GeoIPFile /dev/null
Nickname {name}
Address {address}
OutboundBindAddress {address}
ORPort {address}:{OR_PORT}
DataDirectory {folder}
RunAsDaemon 1
PidFile {folder}/pid
Log notice file {folder}/log
__OwningControllerProcess {owner}
"""
OF_AN_AUTHORITY = """
AuthoritativeDirectory 1
V3AuthoritativeDirectory 1
ContactInfo nobody@example.com
DirPort {address}:{DIRECTORY_PORT}
ExitPolicy reject *:*
TestingV3AuthInitialVotingInterval {FIRST_VOTE_SECONDS}
TestingV3AuthInitialVoteDelay 2
TestingV3AuthInitialDistDelay 2
V3AuthVotingInterval 15
V3AuthVoteDelay 3
V3AuthDistDelay 3
V3BandwidthsFile {folder}/../bandwidths
"""
OF_AN_EXIT = """
ExitRelay 1
ExitPolicy accept *:*
ExitPolicyRejectPrivate 0
"""
OF_AN_ONION_SERVICE = """
HiddenServiceDir {folder}/onion
HiddenServicePort 80 {service}:{SERVICE_PORT}
"""


class TorNetwork(msgspec.Struct, frozen=True):
    """`config` is what a daemon needs to be a client of it: SWATHER_TOR_CONFIG. `onion` is the
    name of an onion service, and `service` the address where it expects its site.
    """

    config: str
    processes: dict[str, int]
    onion: str
    service: str

    def who_has(self, port: int) -> str:
        """The exit that has a connection from this port; GONE if nobody has it any longer, '' if it
        is none of them.
        """
        inodes = {
            fields[9]
            for fields in map(str.split, Path("/proc/net/tcp").read_text().splitlines()[1:])
            if int(fields[1].rpartition(":")[2], 16) == port
        }
        if inodes <= {"0"}:
            return GONE
        wanted = {f"socket:[{inode}]" for inode in inodes}
        for name in EXITS:
            for opened in Path(f"/proc/{self.processes[name]}/fd").iterdir():
                with suppress(FileNotFoundError):
                    if str(opened.readlink()) in wanted:
                        return name
        return ""

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """No relay answers."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        for process in self.processes.values():
            os.kill(process, number)


@contextmanager
def joined(*, alone: bool = False) -> Iterator[TorNetwork]:
    """The network of this session, together with others or alone."""
    network = _joined()
    with (Path(network.config).parent / "users").open("w") as users:
        fcntl.flock(users, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield network


def _joined() -> TorNetwork:
    """Started by the first who needs it."""
    debian.need(PACKAGES)
    owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    folder = _folder_of(owner)
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        running = folder / "network.json"
        if not running.exists():
            network = _start(folder, owner)
            running.write_bytes(msgspec.json.encode(network))
        return msgspec.json.decode(running.read_bytes(), type=TorNetwork)


def stop() -> None:
    """At the end of the session."""
    folder = _folder_of(os.getpid())
    with suppress(FileNotFoundError):
        for process in json.loads((folder / "network.json").read_bytes())["processes"].values():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def _folder_of(owner: int) -> Path:
    return TEMPORARY / f"swather-tests-tor-{os.geteuid()}-{owner}"


def _start(folder: Path, owner: int) -> TorNetwork:
    # Loopback has millions of addresses, so that no other network has these.
    net = f"127.{random.randint(1, 254)}.{random.randint(0, 255)}"
    service = f"{net}.200"
    addresses = {name: f"{net}.{i}" for i, name in enumerate((*AUTHORITIES, *EXITS), start=1)}

    def prepared(name: str) -> str:
        return _new_identity(name, folder / name)

    def certified(name: str) -> str:
        return _new_certificate(folder / name / "keys", addresses[name])

    with ThreadPoolExecutor(len(AUTHORITIES)) as threads:
        fingerprints = dict(zip(addresses, threads.map(prepared, addresses), strict=True))
        identities = dict(zip(AUTHORITIES, threads.map(certified, AUTHORITIES), strict=True))
    shared = OF_ALL + "".join(
        f"DirAuthority {name} orport={OR_PORT} no-v2 v3ident={identity} "
        f"{addresses[name]}:{DIRECTORY_PORT} {fingerprints[name]}\n"
        for name, identity in identities.items()
    )
    # Otherwise the first exit that is used counts as the quickest one, and is used ever after.
    measured = [f"node_id=${each} bw={BANDWIDTH}\n" for each in fingerprints.values()]
    (folder / "bandwidths").write_text(f"{time.time():.0f}\n{''.join(measured)}")
    (folder / "geoip").write_text(_table_of_countries(addresses))
    config = folder / "client.torrc"
    config.write_text(f"{shared}\nGeoIPFile {folder}/geoip\nMapAddress {SITE} 127.0.0.1\n")

    def started(name: str, own: str) -> int:
        given = {"name": name, "address": addresses[name], "owner": owner, "service": service}
        return _start_relay(folder / name, shared + own, given)

    _wait_for_a_whole_interval()
    processes = {name: started(name, OF_AN_AUTHORITY) for name in AUTHORITIES}
    for name in AUTHORITIES:
        _wait_until_it_listens(addresses[name])
    *exits, last = EXITS
    processes |= {name: started(name, OF_AN_EXIT) for name in exits}
    processes[last] = started(last, OF_AN_EXIT + OF_AN_ONION_SERVICE)
    _wait_for_consensus(addresses[AUTHORITIES[0]], len(addresses))
    onion = (folder / last / "onion" / "hostname").read_text().strip()
    return TorNetwork(str(config), processes, onion, service)


def _new_identity(name: str, folder: Path) -> str:
    """The fingerprint of a relay's new keys."""
    folder.mkdir(mode=0o700)
    none, nobody = folder / "none", "F" * 40
    none.touch()
    subprocess.run(
        [TOR, "--list-fingerprint", "--quiet", "-f", none, "--defaults-torrc", none,
         "--DataDirectory", folder, "--ORPort", str(OR_PORT), "--Nickname", name,
         "--DirAuthority", f"x orport=1 v3ident={nobody} 127.0.0.1:1 {nobody}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return (folder / "fingerprint").read_text().split()[1]


def _new_certificate(keys: Path, address: str) -> str:
    """The fingerprint of an authority's new certificate."""
    subprocess.run(
        ["tor-gencert", "--create-identity-key", "--passphrase-fd", "0", "-m", "1",
         "-a", f"{address}:{DIRECTORY_PORT}"],
        cwd=keys, input=b"none\n", check=True, capture_output=True,
    )  # fmt: skip
    certificate = (keys / "authority_certificate").read_text().splitlines()
    return next(line.split()[1] for line in certificate if line.startswith("fingerprint "))


def _table_of_countries(addresses: dict[str, str]) -> str:
    rows = sorted((int(IPv4Address(addresses[name])), country) for name, country in EXITS.items())
    return "".join(f"{address},{address},{country.upper()}\n" for address, country in rows)


def _start_relay(folder: Path, text: str, given: dict[str, Any]) -> int:
    torrc = folder / "torrc"
    torrc.write_text((text + OF_A_RELAY).format(folder=folder, **given, **globals()))
    none = folder / "none"
    subprocess.run([TOR, "-f", torrc, "--defaults-torrc", none, "--quiet"], check=True)
    pid = folder / "pid"
    _wait_until(lambda: pid.exists() and pid.read_text().endswith("\n"), f"there is {pid}")
    return int(pid.read_text())


def _wait_for_a_whole_interval() -> None:
    """So that all relays are there before the first vote."""
    passed = time.time() % FIRST_VOTE_SECONDS
    if passed > 1:
        time.sleep(FIRST_VOTE_SECONDS - passed)


def _wait_until_it_listens(address: str) -> None:
    def listens() -> bool:
        with suppress(OSError):
            socket.create_connection((address, DIRECTORY_PORT), 1).close()
            return True
        return False

    _wait_until(listens, f"an authority listens at {address}")


def _wait_for_consensus(address: str, relays: int) -> None:
    """Until the authorities have agreed on all relays."""
    url = f"http://{address}:{DIRECTORY_PORT}/tor/status-vote/current/consensus"

    def agreed() -> bool:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:
            lines = answer.read().decode().splitlines()
            running = sum(line.startswith("s ") and " Running " in line for line in lines)
            measured = lines.count(f"w Bandwidth={BANDWIDTH}")
            return running == relays and measured == len(EXITS)
        return False

    _wait_until(agreed, f"the authorities know {relays} relays")


def _wait_until(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + START_SECONDS
    while not holds():
        assert time.monotonic() < until, f"waited in vain until {what}"
        time.sleep(0.05)
