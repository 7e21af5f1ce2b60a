"""Partitions over HTTP: who serves which, and plans for that."""

from typing import Any

from swather.api import answers_partitions as answers
from swather.api.answers import shown
from swather.api.parameters import Do, TheRun, new_router
from swather.api.served import TheStore
from swather.model.action import ActionVerb
from swather.model.assignment import balanced, check
from swather.model.assignment_text import plan_of
from swather.runs.partition_facts import partitions_of

router = new_router("partitions", "runs")


@router.get("/{run}/partitions", response_model=list[answers.Partition])
def list_partitions(store: TheStore, run: TheRun) -> Any:
    """The partitions of a run, by the worker number that each is planned for."""
    return shown(partitions_of(store, run.name))


@router.post("/{run}/partitions/plan", response_model=list[answers.Planned])
def plan_partitions(store: TheStore, do: Do, run: TheRun, given: answers.Plan) -> Any:
    """Deal the partitions of a run out to workers, by what is left to do. With `apply`, workers
    follow the plan within seconds.
    """
    counts = store.partitions.counts(run.name)
    left = {name: each.waiting + each.running for name, each in counts.items()}
    plan = balanced(left, given.workers)
    if given.apply:
        do.now(
            ActionVerb.PARTITIONS_PLAN,
            run.name,
            lambda own: own.partitions.plan(run.name, plan.numbers),
            {"workers": given.workers},
        )
    return [
        {"planned": number, "partitions": list(names), "left": sum(left[name] for name in names)}
        for number, names in plan.workers.items()
    ]


@router.post("/{run}/partitions/check", response_model=answers.CheckedPlan)
def check_partitions(store: TheStore, run: TheRun, given: answers.GivenPlan) -> Any:
    """Say what is wrong with a plan: partitions of two workers, workers without any, and those that
    the run has and the plan does not, or the other way round. Nothing is changed.
    """
    plan = plan_of(given.plan)
    faults = check(plan, {each.name for each in store.partitions.find(run.name)})
    return {
        "valid": not faults,
        "workers": len(plan.workers),
        "partitions": len(plan.numbers),
        "mistakes": [{"kind": fault.kind, "text": fault.text} for fault in faults],
    }
