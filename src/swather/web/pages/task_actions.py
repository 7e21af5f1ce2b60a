"""Cancelling and retrying tasks of a run by filter: first how many, then in the background."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swather.api.parameters import Do
from swather.api.problems import Refused
from swather.api.served import TheStore
from swather.model.advance import Advance
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.runs import bulk
from swather.store import Store
from swather.store.ports import SCAN, Counted
from swather.web.drawing import page
from swather.web.task_choice import InAddress, InForm, TaskChoice, Verb

router = APIRouter(include_in_schema=False)

# Past this nobody waits for the exact number.
MAX_COUNTED: Final = 100_000
# In place of a number: all that match when it is done.
ALL: Final = "all"


@router.get("/runs/{run}/tasks/confirm")
def confirm(
    request: Request,
    store: TheStore,
    choice: InAddress,
    verb: Annotated[Verb, Query()],
    which: Annotated[str, Query(pattern="^(ticked|all)$")] = "all",
) -> Response:
    """What would be done to how many tasks. `which` says whether those that are ticked are meant,
    or all that match.
    """
    if which == "ticked" and not choice.tasks:
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY, "no task is ticked: go back and tick some first"
        )
    if which == "ticked":
        choice = TaskChoice(run=choice.run, tasks=choice.tasks)
    else:
        choice = choice.with_tasks()
    values = {
        "run": store.runs.get(choice.run),
        "choice": choice,
        "verb": verb,
        "counted": counted(store, choice, verb),
        "all_of_them": ALL,
        "left_alone": _left_alone(verb, choice),
    }
    return page(request, "tasks_confirm.html", values)


@router.post("/runs/{run}/tasks/act")
def act(
    store: TheStore,
    do: Do,
    choice: InForm,
    verb: Annotated[Verb, Form()],
    confirmed: Annotated[str, Form(pattern="^([1-9][0-9]{0,17}|all)$")],
) -> Response:
    """To no more tasks than were `confirmed`: what a button says is what it does."""
    store.runs.get(choice.run)
    most = None if confirmed == ALL else int(confirmed)
    action_id = do.in_background(
        verb.name_in_log,
        choice.run,
        most,
        lambda own, advance: _do(own, verb, choice.filter, advance, most),
        {"tasks": choice.words, "filter": [list(field) for field in choice.fields]},
    )
    return RedirectResponse(f"/actions/{action_id}", status_code=HTTPStatus.SEE_OTHER)


def counted(store: Store, choice: TaskChoice, verb: Verb) -> Counted:
    which = verb.narrowed(choice.filter)
    if not which.states:
        return Counted(0, is_all=True)
    return store.tasks.count_within(which, limit=MAX_COUNTED, scan=SCAN)


def _do(store: Store, verb: Verb, which: TaskFilter, advance: Advance, most: int | None) -> int:
    change = bulk.cancel_tasks if verb is Verb.CANCEL else bulk.retry_tasks
    return change(store, which, advance, most=most)


def _left_alone(verb: Verb, choice: TaskChoice) -> str:
    """Which of those that match stay as they are."""
    if verb is Verb.CANCEL:
        return "Tasks that have ended stay as they are."
    if choice.state or choice.tasks:
        return "Tasks that have not ended stay as they are."
    return f"Only {State.FAILED} tasks are retried: filter by a state to retry others."
