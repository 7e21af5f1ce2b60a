"""Partitions as programs read them."""

from collections.abc import Mapping
from typing import Any

from swather.model.partition import Partition, PartitionCounts
from swather.store import Store


def partitions_of(store: Store, run: str) -> list[dict[str, Any]]:
    """Those of a run, by the worker number that each is planned for."""
    found, counts = store.partitions.find(run), store.partitions.counts(run)
    found.sort(key=lambda each: (each.number is None, each.number, each.name))
    return [data_of(each, counts) for each in found]


def data_of(each: Partition, counts: Mapping[str, PartitionCounts]) -> dict[str, Any]:
    left = counts.get(each.name)
    return {
        "partition": each.name,
        "planned": each.number,
        "worker": each.owner,
        "leaving": each.leaving,
        "waiting": left.waiting if left else 0,
        "running": left.running if left else 0,
    }
