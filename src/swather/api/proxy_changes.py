"""What people do to proxies of the pool, through the API and on pages."""

from collections.abc import Collection
from typing import Any

from swather.api.parameters import Doing
from swather.model.action import ActionVerb

ALL = "proxies"


def enable_proxies(do: Doing, ids: Collection[int], detail: dict[str, Any]) -> int:
    """How many were changed."""
    return do.now(
        ActionVerb.PROXIES_ENABLE,
        ALL,
        lambda store: store.proxies.enable(ids),
        {"count": len(ids), **detail},
        done_of=int,
    )


def disable_proxies(do: Doing, ids: Collection[int], detail: dict[str, Any]) -> int:
    return do.now(
        ActionVerb.PROXIES_DISABLE,
        ALL,
        lambda store: store.proxies.disable(ids),
        {"count": len(ids), **detail},
        done_of=int,
    )


def remove_proxies(do: Doing, ids: Collection[int], detail: dict[str, Any]) -> int:
    return do.now(
        ActionVerb.PROXIES_REMOVE,
        ALL,
        lambda store: store.proxies.remove(ids),
        {"count": len(ids), **detail},
        done_of=int,
    )
