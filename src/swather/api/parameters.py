"""What several routes take: names in their addresses, limits of lists, who does something."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.routing import APIRoute

from swather.api.acting import Acting, Work
from swather.api.answers import MAX_ID as MAX_ID  # noqa: PLC0414 - with the other limits
from swather.api.problems import Refused
from swather.api.served import Actor, TheServed, TheStore
from swather.model.action import ActionVerb
from swather.model.advance import Advance
from swather.model.run import Run
from swather.runs.run_names import find_run
from swather.store import Store

MAX_LIMIT: Final = 1_000
T = TypeVar("T")


def _name_of(route: APIRoute) -> str:
    return route.name


def _without_nul(request: Request) -> None:
    """No name has it, and no database of ours can look for one."""
    if "\0" in request.url.path or "%00" in request.url.query or "\0" in request.url.query:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "the address must not contain NUL")


def new_router(noun: str, prefix: str | None = None) -> APIRouter:
    """The routes of a noun; their names are those of their functions."""
    return APIRouter(
        prefix=f"/api/v1/{noun if prefix is None else prefix}".rstrip("/"),
        tags=[noun],
        generate_unique_id_function=_name_of,
        dependencies=[Depends(_without_nul)],
    )


Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="At most so many.")]
DryRun = Annotated[bool, Query(description="Only say what would be done.")]
RunInPath = Annotated[
    str,
    Path(
        description="The run's name, or a scraper's: its newest run.",
        examples=["20260215_120000-books"],
        max_length=500,
    ),
]
TaskInPath = Annotated[
    int, Path(ge=1, le=MAX_ID, description="The task's number.", examples=[1234])
]
Position = Annotated[
    str,
    Query(
        max_length=100,
        pattern=r"^([0-9]{1,18}([.:-][0-9]{1,18}){0,3})?$",
        description="Where the last part ended: its `next`.",
    ),
]


def _run(run: RunInPath, store: TheStore) -> Run:
    return find_run(store, run)


def _run_alone(run: RunInPath, served: TheServed) -> Run:
    with served.stores.borrowed() as store:
        return find_run(store, run)


TheRun = Annotated[Run, Depends(_run, scope="function")]
# The same for routes that take long, and must not keep the store of a request meanwhile.
RunAlone = Annotated[Run, Depends(_run_alone)]


@dataclass(frozen=True)
class Doing:
    """Does things in the name of who asked."""

    acting: Acting
    actor: str

    def now(
        self,
        verb: ActionVerb,
        subject: str,
        work: Callable[[Store], T],
        detail: dict[str, Any] | None = None,
        *,
        done_of: Callable[[T], int] | None = None,
    ) -> T:
        """At once. Workers hear of it."""

        def done(store: Store) -> T:
            result = work(store)
            store.hints.send()
            return result

        return self.acting.now(verb, subject, self.actor, done, detail, done_of=done_of)

    def noted(
        self, verb: ActionVerb, subject: str, detail: dict[str, Any] | None = None
    ) -> AbstractContextManager[Advance]:
        """What the block does with a store of its own."""
        return self.acting.noted(verb, subject, self.actor, detail)

    def in_background(
        self,
        verb: ActionVerb,
        subject: str,
        total: int | None,
        work: Work,
        detail: dict[str, Any] | None = None,
    ) -> int:
        return self.acting.in_background(verb, subject, self.actor, total, work, detail)


def _doing(served: TheServed, actor: Actor) -> Doing:
    return Doing(served.acting, actor)


Do = Annotated[Doing, Depends(_doing)]
