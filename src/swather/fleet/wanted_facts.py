"""How many workers the waiting work can use, as programs read it."""

from collections.abc import Collection
from typing import Any

from swather.fleet.fleet_scaler import policy_of
from swather.model.scaling import total, wanted
from swather.model.supervisor import MAX_WORKERS
from swather.runs.json_names import named
from swather.runs.worker_facts import workers_in
from swather.settings import Settings
from swather.store import Store


def wanted_in(
    store: Store,
    settings: Settings,
    *,
    scrapers: Collection[str] = (),
    run: str | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
) -> dict[str, Any]:
    """The number, what decides it, and the work it goes by."""
    runs = store.runs.demand()
    running = len(workers_in(store))
    demand = total(runs, scrapers=list(scrapers), run=run)
    policy = policy_of(
        settings,
        settings.min_workers if minimum is None else minimum,
        MAX_WORKERS if maximum is None else maximum,
    )
    found = wanted(demand, policy, current=running)
    counted: dict[str, Any] = named(demand)
    return {
        "wanted": found.number,
        "reason": found.reason,
        "workers": running,
        **counted,
        "tasks_per_worker": policy.tasks_per_worker,
        "slots_per_worker": policy.slots_per_worker,
        "runs": named(runs),
    }
