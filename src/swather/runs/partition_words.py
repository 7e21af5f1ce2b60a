"""What the partitions of a run wait for, in words."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

from swather.model.partition import Partition
from swather.model.worker import Worker
from swather.runs.reason import Reason
from swather.runs.situation import Situation
from swather.runs.words import command, count

_MAX_LISTED: Final = 5


def partition_reasons(
    situation: Situation, among: Collection[str] | None = None
) -> Iterator[Reason]:
    """Of all partitions of the run, or of those in `among`."""
    found = [
        each
        for each in situation.store.partitions.find(situation.run.name)
        if among is None or each.name in among
    ]
    if not found:
        return
    serving = {line.id for line in situation.workers}
    workers = {
        worker.id: worker for worker in situation.store.workers.find() if worker.id in serving
    }
    planned = {worker.number: worker for worker in workers.values() if worker.number is not None}
    yield from _leaving([each for each in found if each.leaving], planned)
    paused = [(workers[each.owner_id], each) for each in found if each.owner_id in workers]
    free = [each for each in found if each.owner_id is None]
    paused += [(planned[each.number], each) for each in free if each.number in planned]
    yield from _paused([(worker, each) for worker, each in paused if worker.paused], situation.url)
    yield from _unowned(free, planned)


def _leaving(leaving: list[Partition], planned: dict[int, Worker]) -> Iterator[Reason]:
    by_way: dict[tuple[str | None, int | None], list[str]] = defaultdict(list)
    for each in leaving:
        by_way[each.owner, each.number].append(each.name)
    for (owner, number), names in by_way.items():
        heir = planned[number].name if number in planned else "another"
        yield Reason(
            code="partitions_moving",
            text=(
                f"{_counted(names)} from worker {owner} to worker {heir}, for which the plan has "
                f"{'it' if len(names) == 1 else 'them'} (number {number}), when the running "
                f"targets have ended: {_listed(names)}."
            ),
            values={"partitions": names[:_MAX_LISTED], "owner": owner, "planned": number},
        )


def _counted(names: list[str]) -> str:
    return count(len(names), "partition moves", "partitions move")


def _paused(held: list[tuple[Worker, Partition]], url: str) -> Iterator[Reason]:
    by_worker: dict[str, list[str]] = defaultdict(list)
    for worker, each in held:
        by_worker[worker.name].append(each.name)
    for worker_name, names in by_worker.items():
        yield Reason(
            code="partitions_paused",
            text=(
                f"{count(len(names), 'partition waits', 'partitions wait')} for worker "
                f"{worker_name}, which is paused: {_listed(names)}."
            ),
            change="To resume it",
            command=command("unpause", "--worker", worker_name, url=url),
            values={"partitions": names[:_MAX_LISTED], "worker": worker_name},
        )


def _unowned(free: list[Partition], planned: dict[int, Worker]) -> Iterator[Reason]:
    """Those without an owner; what is planned for a live worker waits for that one alone."""
    own: dict[int, list[str]] = defaultdict(list)
    names: list[str] = []
    for each in free:
        if each.number in planned:
            own[each.number].append(each.name)
        else:
            names.append(each.name)
    for number, waiting in sorted(own.items()):
        if not planned[number].paused:
            yield Reason(
                code="partitions_planned",
                text=(
                    f"{count(len(waiting), 'partition waits', 'partitions wait')} for worker "
                    f"{planned[number].name} (number {number}), which takes what is planned for "
                    f"it within seconds: {_listed(waiting)}."
                ),
                values={"partitions": waiting[:_MAX_LISTED], "planned": number},
            )
    if names:
        yield Reason(
            code="partitions_unowned",
            text=f"{count(len(names), 'partition has', 'partitions have')} no owner: "
            f"{_listed(names)}.{_missing(free, planned)}",
            values={"partitions": names[:_MAX_LISTED], "count": len(names)},
        )


def _missing(free: list[Partition], planned: dict[int, Worker]) -> str:
    """Which planned workers are not there."""
    numbers = sorted({each.number for each in free if each.number is not None} - planned.keys())
    if not numbers:
        return ""
    listed = _listed([str(number) for number in numbers])
    which = f"number {listed} is" if len(numbers) == 1 else f"numbers {listed} are"
    return f" The planned worker {which} not running; others take over when they have room."


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_MAX_LISTED]) + (", …" if len(names) > _MAX_LISTED else "")
