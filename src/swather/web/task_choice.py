"""Which tasks a page means, as its address or form says; and what can be done to them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Final
from urllib.parse import quote, urlencode

from fastapi import Depends, Form, Query

from swather.api.problems import Refused
from swather.model.action import ActionVerb
from swather.model.retry import ErrorClass
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.runs import bulk
from swather.web.brief import line

# More characters than a lane or worker has in its name.
MAX_CHARACTERS: Final = 500
_MAX_TASKS: Final = 1_000


class Verb(StrEnum):
    CANCEL = "cancel"
    RETRY = "retry"

    @property
    def name_in_log(self) -> ActionVerb:
        return ActionVerb(f"tasks {self}")

    def narrowed(self, which: TaskFilter) -> TaskFilter:
        """Those of them that it can change."""
        return bulk.to_cancel(which) if self is Verb.CANCEL else bulk.to_retry(which)


@dataclass(frozen=True, kw_only=True)
class TaskChoice:
    """What a person has chosen; '' and () are any. `group` is that of an error. `tasks` are single
    ones that were ticked, besides.
    """

    run: str
    state: tuple[State, ...] = ()
    error_class: str = ""
    reason: str = ""
    lane: str = ""
    worker: str = ""
    text: str = ""
    group: str = ""
    tasks: tuple[int, ...] = ()

    @property
    def is_any(self) -> bool:
        return self == TaskChoice(run=self.run)

    @property
    def only_states(self) -> bool:
        """Whether counter rows know how many there are."""
        return replace(self, state=()).is_any

    @property
    def filter(self) -> TaskFilter:
        return TaskFilter(
            run=self.run,
            states=frozenset(self.state) or None,
            reasons=frozenset({self.reason}) if self.reason else None,
            error_class=self.error_class or None,
            fingerprint=self.group or None,
            lane=self.lane or None,
            task_ids=self.tasks or None,
            worker=self.worker or None,
            text=self.text or None,
        )

    @property
    def fields(self) -> list[tuple[str, str]]:
        """As the address and forms have them."""
        texts = {
            "class": self.error_class,
            "reason": self.reason,
            "lane": self.lane,
            "worker": self.worker,
            "text": self.text,
            "group": self.group,
        }
        return [
            *(("state", str(state)) for state in self.state),
            *((name, value) for name, value in texts.items() if value),
            *(("task", str(number)) for number in self.tasks),
        ]

    @property
    def base(self) -> str:
        """The address of the tasks of its run."""
        return f"/runs/{quote(self.run, safe='')}/tasks"

    def address(self, **more: str | int) -> str:
        """Where exactly these tasks are shown."""
        fields = [*self.fields, *((name, str(value)) for name, value in more.items())]
        return f"{self.base}?{urlencode(fields)}" if fields else self.base

    def with_states(self, *states: State) -> "TaskChoice":
        return replace(self, state=states)

    def with_tasks(self, *tasks: int) -> "TaskChoice":
        return replace(self, tasks=tasks)

    def confirm(self, verb: str) -> str:
        """Where a person is asked whether to do it to all of these."""
        return f"{self.base}/confirm?{urlencode([*self.fields, ('verb', verb)])}"

    @property
    def words(self) -> str:
        """'failed tasks on lane shop.example whose target has "book"'."""
        if self.tasks:
            return "the tasks that you ticked"
        states = " or ".join(self.state)
        return " ".join([f"{states} tasks".strip(), *self._conditions()])

    def _conditions(self) -> Iterator[str]:
        if self.error_class:
            yield f"with a last error of class {line(self.error_class)}"
        if self.group:
            yield f"with a last error in group {line(self.group)}"
        if self.reason:
            yield f"that ended for the reason {line(self.reason)}"
        if self.lane:
            yield f"on lane {line(self.lane)}"
        if self.worker:
            yield f"of worker {line(self.worker)}"
        if self.text:
            yield f"whose target has “{line(self.text)}”"


def _choice(
    run: str,
    state: list[str],
    error_class: str,
    reason: str,
    lane: str,
    worker: str,
    text: str,
    group: str,
    tasks: list[int],
) -> TaskChoice:
    states = [_state(each) for each in state if each]
    if error_class and error_class not in set(ErrorClass):
        known = ", ".join(ErrorClass)
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"there is no class {error_class!r}; known: {known}"
        )
    if len(tasks) > _MAX_TASKS or any(number < 1 for number in tasks):
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"up to {_MAX_TASKS:,} tasks can be ticked, by their numbers from 1 on",
        )
    return TaskChoice(
        run=run,
        state=tuple(dict.fromkeys(states)),
        error_class=error_class,
        reason=reason.strip(),
        lane=lane.strip(),
        worker=worker.strip(),
        text=text,
        group=group.strip(),
        tasks=tuple(dict.fromkeys(tasks)),
    )


def _state(given: str) -> State:
    try:
        return State(given)
    except ValueError:
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"there is no state {given!r}; known: {', '.join(State)}",
        ) from None


_Texts = Annotated[list[str], Query()]
_Text = Annotated[str, Query(max_length=MAX_CHARACTERS)]
_FormTexts = Annotated[list[str], Form()]
_FormText = Annotated[str, Form(max_length=MAX_CHARACTERS)]


def _in_address(
    run: str,
    state: _Texts = [],  # noqa: B006 - FastAPI makes one each time
    error_class: Annotated[str, Query(alias="class", max_length=MAX_CHARACTERS)] = "",
    reason: _Text = "",
    lane: _Text = "",
    worker: _Text = "",
    text: _Text = "",
    group: _Text = "",
    task: Annotated[list[int], Query()] = [],  # noqa: B006
) -> TaskChoice:
    return _choice(run, state, error_class, reason, lane, worker, text, group, task)


def _in_form(
    run: str,
    state: _FormTexts = [],  # noqa: B006
    error_class: Annotated[str, Form(alias="class", max_length=MAX_CHARACTERS)] = "",
    reason: _FormText = "",
    lane: _FormText = "",
    worker: _FormText = "",
    text: _FormText = "",
    group: _FormText = "",
    task: Annotated[list[int], Form()] = [],  # noqa: B006
) -> TaskChoice:
    return _choice(run, state, error_class, reason, lane, worker, text, group, task)


InAddress = Annotated[TaskChoice, Depends(_in_address)]
InForm = Annotated[TaskChoice, Depends(_in_form)]
