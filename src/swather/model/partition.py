"""A partition: who serves it, who is planned to, and what is left to do in it."""

import msgspec


class Partition(msgspec.Struct, frozen=True, kw_only=True):
    """A partition of a run.

    owner_id, owner  the live worker that serves it, if any
    number           the worker number that it is planned for, if any
    leaving          its owner claims no more of it, since the planned worker asks for it
    """

    name: str
    owner_id: int | None
    owner: str | None
    number: int | None = None
    leaving: bool = False


class PartitionCounts(msgspec.Struct, frozen=True, kw_only=True):
    """`waiting`: for a worker or a due time. `running`: held by a worker."""

    waiting: int = 0
    running: int = 0
