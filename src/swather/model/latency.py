"""How long things take, counted in buckets: cheap to note, and easy to sum over workers."""

from typing import Any, Final

import msgspec

# In seconds; one more bucket is for what takes longer.
BOUNDS: Final = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
)  # fmt: skip


class Latency(msgspec.Struct, frozen=True):
    """How many were in each bucket of BOUNDS, and the seconds of all together."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS) + 1)
    seconds: float = 0.0

    def plus(self, other: "Latency") -> "Latency":
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Latency(counts, self.seconds + other.seconds)

    def since(self, earlier: "Latency") -> "Latency":
        """What came after `earlier`; nothing is ever taken away."""
        counts = tuple(max(a - b, 0) for a, b in zip(self.counts, earlier.counts, strict=True))
        return Latency(counts, max(self.seconds - earlier.seconds, 0.0))


NO_LATENCY: Final = Latency()


def latency_of(said: Any) -> Latency:
    """As a worker's row has it, which may hold anything."""
    try:
        found = msgspec.convert(said, Latency)
    except msgspec.ValidationError:
        return NO_LATENCY
    is_sane = len(found.counts) == len(BOUNDS) + 1 and min(found.counts) >= 0
    return found if is_sane and found.seconds >= 0 else NO_LATENCY
