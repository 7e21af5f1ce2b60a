"""The durable queue, the same on SQLite and PostgreSQL."""

from swather.store.factory import open, prepare
from swather.store.ports import Enqueued, Finished, Store

__all__ = ["Enqueued", "Finished", "Store", "open", "prepare"]
