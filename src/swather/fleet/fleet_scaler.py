"""Scales one fleet: reads what waits and what is free, and says how many workers it should have."""

from collections.abc import Callable, Collection
from time import monotonic

from swather.fleet.autoscaler import Autoscaler
from swather.fleet.free_memory import free_memory_mb
from swather.model.scaling import ScalingPolicy, Wanted, total
from swather.settings import Settings
from swather.store import Store


class FleetScaler:
    """For a fleet that has the code of `scrapers`, or works on one `run`. `read` reads the settings
    anew, so that a change of the settings row counts from the next look on.

    With `is_here`, workers share this machine's memory; elsewhere that is the cluster's to decide.
    """

    def __init__(
        self,
        store: Store,
        read: Callable[[], Settings],
        *,
        scrapers: Collection[str],
        run: str | None,
        is_here: bool,
    ) -> None:
        self._store = store
        self._read = read
        self._scrapers = scrapers
        self._run = run
        self._is_here = is_here
        self._autoscaler = Autoscaler()

    def look(self, minimum: int, maximum: int, *, running: int) -> Wanted:
        """`running` workers there are, within these bounds."""
        demand = total(self._store.runs.demand(), scrapers=self._scrapers, run=self._run)
        return self._autoscaler.look(
            demand,
            policy_of(self._read(), minimum, maximum),
            current=running,
            now=monotonic(),
            free_mb=free_memory_mb() if self._is_here else None,
        )


def policy_of(settings: Settings, minimum: int, maximum: int) -> ScalingPolicy:
    return ScalingPolicy(
        minimum=minimum,
        maximum=maximum,
        tasks_per_worker=settings.tasks_per_worker,
        slots_per_worker=settings.concurrency,
        worker_memory_mb=settings.worker_memory_mb,
        scale_down_seconds=settings.scale_down_seconds,
    )
