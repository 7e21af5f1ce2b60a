"""Schedules over HTTP: runs that start by themselves."""

from typing import Annotated, Any

from fastapi import Path
from starlette.status import HTTP_201_CREATED

from swather.api import answers_schedules as answers
from swather.api import schedule_changes
from swather.api.answers import shown
from swather.api.parameters import Do, Limit, new_router
from swather.api.served import TheStore
from swather.api.starting import registered_scraper
from swather.model.action import ActionVerb
from swather.model.schedule import NewSchedule, Schedule, checked, next_time, remote
from swather.model.task import MAX_NAME_BYTES
from swather.runs.schedule_facts import data_of
from swather.scraping.params import given_params
from swather.store import Store

router = new_router("schedules")

ScheduleInPath = Annotated[
    str, Path(max_length=MAX_NAME_BYTES, description="A schedule by name.", examples=["books"])
]


@router.get("", response_model=list[answers.Schedule])
def list_schedules(store: TheStore) -> Any:
    """Schedules by name, with what became of the last due time of each."""
    found = store.schedules.find()
    return shown([data_of(each, store.schedules.firings(each.name, limit=1)) for each in found])


@router.post("", response_model=answers.Schedule, status_code=HTTP_201_CREATED)
def add_schedule(do: Do, given: answers.NewSchedule) -> Any:
    """Add a schedule of a registered scraper. It is fired by `swather worker --forever`, a fleet or
    `swather schedules run`. Its targets and params make no private address reachable.
    """
    scraper = registered_scraper(given.scraper)
    given_params(scraper, given.params)
    new = checked(
        NewSchedule(
            name=given.schedule or given.scraper,
            scraper=given.scraper,
            cron=given.cron,
            timezone=given.timezone,
            overlap=given.overlap,
            params=remote(given.params),
            targets=tuple(given.targets),
        )
    )

    def add(store: Store) -> Schedule:
        return store.schedules.add(new, next_time(new.cron, new.timezone, store.schedules.now()))

    return shown(data_of(do.now(ActionVerb.SCHEDULE_ADD, new.name, add, {"cron": new.cron}), []))


@router.get("/{schedule}", response_model=answers.Schedule)
def get_schedule(store: TheStore, schedule: ScheduleInPath, limit: Limit = 20) -> Any:
    """One schedule, with what became of its last due times."""
    found = store.schedules.get(schedule)
    return shown(data_of(found, store.schedules.firings(schedule, limit=limit)))


@router.delete("/{schedule}", response_model=answers.RemovedSchedule)
def remove_schedule(do: Do, schedule: ScheduleInPath) -> Any:
    """Remove a schedule; its runs stay. One that comes from a file is stored again when a process
    with that file starts.
    """
    schedule_changes.remove_schedule(do, schedule)
    return {"removed": schedule}


@router.post("/{schedule}/enable", response_model=answers.Schedule)
def enable_schedule(do: Do, schedule: ScheduleInPath) -> Any:
    """Let a disabled schedule be due again, from its next time on."""
    return shown(data_of(schedule_changes.enable_schedule(do, schedule), []))


@router.post("/{schedule}/fire", response_model=answers.Schedule)
def fire_schedule(do: Do, schedule: ScheduleInPath) -> Any:
    """Start its run now instead of at its next time. It is fired by `swather worker --forever`, a
    fleet or `swather schedules run`.
    """
    return shown(data_of(schedule_changes.fire_schedule(do, schedule), []))


@router.post("/{schedule}/disable", response_model=answers.Schedule)
def disable_schedule(do: Do, schedule: ScheduleInPath) -> Any:
    """Stop a schedule until it is enabled; runs that have started continue."""
    return shown(data_of(schedule_changes.disable_schedule(do, schedule), []))
