"""What the settings say of the ways out: the proxy pool, Tor, browsers."""

from dataclasses import dataclass
from pathlib import Path

from swather.model.proxy_choice import ProxyStrategy, Rotation


@dataclass(frozen=True, kw_only=True)
class PoolPolicy:
    """How a worker uses the pool.

    strategy           how a proxy is chosen
    rotation           when another is chosen
    per_worker         proxies that the worker leases for itself; None: it shares all
    tags               use only proxies that have all of these
    threshold          failures in a row after which a proxy is blacklisted
    blacklist_seconds  for how long
    probe_seconds      how long a probe may take before another worker probes
    """

    strategy: ProxyStrategy = ProxyStrategy.ROUND_ROBIN
    rotation: Rotation = Rotation.REQUEST
    per_worker: int | None = None
    tags: tuple[str, ...] = ()
    threshold: int = 10
    blacklist_seconds: float = 3_600.0
    probe_seconds: float = 30.0


@dataclass(frozen=True, kw_only=True)
class TorPolicy:
    """How a worker uses Tor.

    binary             the program; None: the one on the PATH
    socks              host:port of a daemon that already runs; None: the worker starts its own
    config             a torrc with further options for the daemons that workers start
    bootstrap_seconds  how long a daemon may take to connect
    """

    binary: Path | None = None
    socks: str | None = None
    config: Path | None = None
    bootstrap_seconds: float = 120.0


@dataclass(frozen=True, kw_only=True)
class BrowserPolicy:
    """How a worker uses its browser.

    executable   the program; None: the Chromium that is installed
    max_targets  targets after which it is restarted
    memory_mb    memory above which it is restarted; None: chosen by the machine's
    pages        pages open at once; None: chosen by cores and memory
    block        what it does not load: 'images', 'fonts', 'media', 'stylesheets'
    keep_failed  whether what a page showed is kept when its target fails
    """

    executable: Path | None = None
    max_targets: int = 100
    memory_mb: int | None = None
    pages: int | None = None
    block: frozenset[str] = frozenset()
    keep_failed: bool = True
