"""What `swather partitions check` says of a plan."""

from collections import Counter
from pathlib import Path
from typing import Final

from swather.model.assignment import Plan, PlanFault
from swather.runs.words import count

_MAX_FAULTS: Final = 20


def report(file: Path, plan: Plan, faults: list[PlanFault], *, is_compared: bool) -> list[str]:
    """What is wrong with a plan, or what is right about it, line by line."""
    if faults:
        more = len(faults) - _MAX_FAULTS
        return [
            f"{file}: the plan has {count(len(faults), 'mistake')}:",
            *(f"  - {fault.text}" for fault in faults[:_MAX_FAULTS]),
            *([f"  - … and {more} more; --json lists them all"] if more > 0 else []),
        ]
    return [
        f"{file}: the plan is valid",
        f"  - {count(len(plan.workers), 'worker')}",
        f"  - {_shares(plan)}",
        f"  - {count(len(plan.numbers), 'partition')} in all",
        "  - no duplicates",
        "  - none missing, none unknown"
        if is_compared
        else "  - not compared with a run (--run) or a list of names (--names)",
    ]


def _shares(plan: Plan) -> str:
    """'5 partitions per worker (worker 4 has 6)'."""
    sizes = {number: len(names) for number, names in plan.workers.items()}
    ((usual, _),) = Counter(sizes.values()).most_common(1)
    others = [f"worker {number} has {size}" for number, size in sizes.items() if size != usual]
    if len(others) > 3:
        return f"{min(sizes.values())} to {count(max(sizes.values()), 'partition')} per worker"
    return f"{count(usual, 'partition')} per worker" + (f" ({', '.join(others)})" if others else "")
