"""Keeps with a run which hosts a person typed: those it may reach, wherever they are."""

from collections.abc import Iterable
from typing import Final

from swather.model.run import RESERVED_PARAM
from swather.net.typed import MAX_HOSTS
from swather.store import Store

HOSTS: Final = "hosts"


def record_hosts(store: Store, run: str, hosts: Iterable[str]) -> None:
    """Add these to the run's, as far as there is room: the first thousand count."""
    known = store.runs.get(run).params.get(RESERVED_PARAM, {}).get(HOSTS) or []
    all_of_them = list(dict.fromkeys([*known, *hosts]))[:MAX_HOSTS]
    if len(all_of_them) > len(known):
        store.runs.record(run, {HOSTS: all_of_them})
