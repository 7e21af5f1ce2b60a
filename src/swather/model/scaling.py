"""How many workers a fleet should have: a pure rule over what waits and what it may use."""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import InputError

TASKS_PER_WORKER: Final = 1_000
SLOTS_PER_WORKER: Final = 10


class RunDemand(msgspec.Struct, frozen=True, kw_only=True):
    """What one open run could use workers for.

    backlog       tasks that are ready, running, or due within a minute; none that wait while the
                  run is paused
    usable_slots  how many of them can run at once within the limits of lanes and scrapers
    partitions    how many partitions have such tasks; None if any task has no partition, because
                  then any number of workers can share the run
    """

    run: str
    scraper: str
    backlog: int
    usable_slots: int
    partitions: int | None = None


def demand_of(row: tuple[Any, ...]) -> RunDemand:
    """From a row of the view `v_fleet_demand`."""
    run, scraper, backlog, usable_slots, partitions = row
    return RunDemand(
        run=run,
        scraper=scraper,
        backlog=backlog,
        usable_slots=usable_slots,
        partitions=partitions,
    )


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """The same for all runs that a fleet serves."""

    backlog: int = 0
    usable_slots: int = 0
    partitions: int | None = None


class ScalingPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What a fleet may grow to, and how fast it may shrink.

    tasks_per_worker    of the backlog
    slots_per_worker    how many targets a worker runs at once
    worker_memory_mb    how much memory a worker may need
    scale_down_seconds  for how long fewer workers must suffice before some are stopped
    """

    minimum: int = 1
    maximum: int = 10
    tasks_per_worker: int = TASKS_PER_WORKER
    slots_per_worker: int = SLOTS_PER_WORKER
    worker_memory_mb: int = 200
    scale_down_seconds: float = 300.0

    def __post_init__(self) -> None:
        if not 0 <= self.minimum <= self.maximum:
            raise InputError(
                "a fleet needs a minimum of 0 or more workers and a maximum that is not below it, "
                f"got {self.minimum} and {self.maximum}"
            )
        for name in ("maximum", "tasks_per_worker", "slots_per_worker", "worker_memory_mb"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}")


class Wanted(NamedTuple):
    """How many workers, and what decided it."""

    number: int
    reason: str


def total(
    runs: Iterable[RunDemand], *, scrapers: Collection[str] = (), run: str | None = None
) -> Demand:
    """What all runs ask for; only those of `scrapers`, or only one run, if any are named."""
    served = [
        each
        for each in runs
        if each.backlog
        and (run is None or each.run == run)
        and (not scrapers or each.scraper in scrapers)
    ]
    owned = [each.partitions for each in served if each.partitions is not None]
    return Demand(
        backlog=sum(each.backlog for each in served),
        usable_slots=sum(each.usable_slots for each in served),
        partitions=sum(owned) if owned and len(owned) == len(served) else None,
    )


def useful(demand: Demand, policy: ScalingPolicy) -> Wanted:
    """How many workers the work can use, whatever the fleet may have. The view `v_fleet_wanted`
    computes the same in SQL.
    """
    if not demand.backlog:
        return Wanted(0, "nothing waits")
    by_backlog = math.ceil(demand.backlog / policy.tasks_per_worker)
    choices = [
        Wanted(
            by_backlog, f"{demand.backlog:,} tasks at {policy.tasks_per_worker:,} for each worker"
        ),
        Wanted(
            math.ceil(demand.usable_slots / policy.slots_per_worker),
            f"the limits of lanes let {demand.usable_slots:,} of {demand.backlog:,} tasks run at "
            f"once, {policy.slots_per_worker:,} in each worker",
        ),
    ]
    if demand.partitions is not None:
        served = (
            "1 partition has"
            if demand.partitions == 1
            else f"{demand.partitions:,} partitions have"
        )
        choices.append(
            Wanted(demand.partitions, f"{served} work, and one worker at a time serves each")
        )
    return min(choices, key=lambda choice: choice.number)


def wanted(
    demand: Demand,
    policy: ScalingPolicy,
    *,
    current: int,
    free_mb: int | None = None,
    recent: Sequence[int] = (),
) -> Wanted:
    """`current` workers run now; `free_mb` is the memory that is available to more of them, None if
    that is not for us to decide; `recent` is what was useful over the last `scale_down_seconds`.

    More workers are wanted at once, fewer only if they would have sufficed all that time. A lack of
    memory counts at once, too, and the share of one worker is left free. The minimum holds always.
    """
    choice = useful(demand, policy)
    lately = min(max(recent, default=choice.number), current)
    if lately > choice.number:
        choice = Wanted(
            lately,
            f"{choice.number} would do ({choice.reason}), but not yet for "
            f"{policy.scale_down_seconds:,.0f} seconds",
        )
    if choice.number > policy.maximum:
        choice = Wanted(
            policy.maximum, f"the maximum; {choice.number:,} could work: {choice.reason}"
        )
    if free_mb is not None:
        fitting = max(current + free_mb // policy.worker_memory_mb - 1, 1)
        if choice.number > fitting:
            choice = Wanted(
                fitting,
                f"{free_mb:,} MB of memory are free, and a worker may need "
                f"{policy.worker_memory_mb:,} MB; {choice.number} could work: {choice.reason}",
            )
    if choice.number < policy.minimum:
        return Wanted(policy.minimum, f"the minimum; {choice.reason}")
    return choice
