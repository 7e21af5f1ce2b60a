"""The database as a whole, over HTTP: what it holds, how it is set up, whether it is sound.

What takes the database away from others, or files of the machine, stays with the command line:
init, migrate, backup, restore and vacuum.
"""

from typing import Annotated, Any

from fastapi import Query

from swather.api import answers_database as answers
from swather.api.answers import shown
from swather.api.parameters import Do, new_router
from swather.api.served import TheServed, TheStore
from swather.fleet.wanted_facts import wanted_in
from swather.model.action import ActionVerb
from swather.model.supervisor import MAX_WORKERS
from swather.model.task import MAX_NAME_BYTES
from swather.runs import configuration
from swather.runs.database_facts import pragmas_of, stats_of
from swather.runs.run_names import find_run
from swather.store import Store

router = new_router("database", "")

Name = Annotated[str | None, Query(max_length=MAX_NAME_BYTES)]


@router.get("/db/stats", response_model=answers.DatabaseStats)
def get_database_stats(store: TheStore) -> Any:
    """Runs, tasks by state, workers and bytes; as cheap for ten million tasks as for ten."""
    return shown(stats_of(store))


@router.get("/db/pragmas", response_model=dict[str, answers.Pragma])
def get_database_pragmas(store: TheStore) -> Any:
    """The settings that durability and speed depend on, each with its reason."""
    return shown(pragmas_of(store))


@router.post("/db/check", response_model=answers.DatabaseChecked)
def check_database(served: TheServed, do: Do) -> Any:
    """Look for damage and for lost tasks. It reads the whole database, which may take minutes."""

    def check(_: Store) -> list[str]:
        with served.stores.apart(served.stores.checks) as own:
            return own.upkeep.check()

    wrong = do.now(ActionVerb.DATABASE_CHECK, "database", check)
    return {"ok": not wrong, "wrong": wrong}


@router.post("/db/wal", response_model=answers.WriteAheadLog)
def checkpoint_log(do: Do) -> Any:
    """Move what was committed from the write-ahead log into the database. 422 on a PostgreSQL
    whose user may not.
    """
    return shown(
        do.now(ActionVerb.DATABASE_WAL, "database", lambda own: own.upkeep.checkpoint_wal())
    )


@router.get("/wanted", response_model=answers.Wanted)
def get_wanted_workers(
    store: TheStore,
    run: Name = None,
    scraper: Annotated[list[str] | None, Query(max_length=100)] = None,
    minimum: Annotated[int | None, Query(ge=0, le=MAX_WORKERS)] = None,
    maximum: Annotated[int | None, Query(ge=1, le=MAX_WORKERS)] = None,
) -> Any:
    """How many workers the waiting work can use; for autoscalers that ask over HTTP."""
    return shown(
        wanted_in(
            store,
            configuration.resolve(store, {"db": store.url}).settings,
            scrapers=scraper or [],
            run=None if run is None else find_run(store, run).name,
            minimum=minimum,
            maximum=maximum,
        )
    )
