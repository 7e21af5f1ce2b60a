"""What is measured, one file per part, in the order of the report."""

from collections.abc import Callable

from bench.figures import Figure
from bench.parts import (
    backlog,
    browser,
    browser_memory,
    dashboard,
    drain,
    fetch,
    headlines,
    idle,
    kill,
    latency,
    live,
    memory,
    pictures,
    proxies,
    scaling,
    slow_pages,
    snapshot,
    sources,
    subtitles,
)
from bench.setting import Setting

Part = Callable[[Setting], list[Figure]]

PARTS: dict[str, Part] = {
    "fetch": fetch.measure,
    "slow_pages": slow_pages.measure,
    "scaling": scaling.measure,
    "drain": drain.measure,
    "latency": latency.measure,
    "backlog": backlog.measure,
    "snapshot": snapshot.measure,
    "memory": memory.measure,
    "idle": idle.measure,
    "kill": kill.measure,
    "live": live.measure,
    "sources": sources.measure,
    "subtitles": subtitles.measure,
    "pictures": pictures.measure,
    "browser": browser.measure,
    "browser_memory": browser_memory.measure,
    "proxies": proxies.measure,
    "dashboard": dashboard.measure,
    "headlines": headlines.measure,
}
# They need neither the peers nor what Debian's packages bring.
WITHOUT_PEERS = frozenset({"dashboard", "headlines", "live", "sources", "subtitles"})
