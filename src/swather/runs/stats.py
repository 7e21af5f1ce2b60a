"""The numbers of a run that people watch while workers drain it."""

from typing import NamedTuple

from swather.errors import InputError
from swather.model.run import Counts
from swather.runs.databases import database_of
from swather.runs.run_names import find_run
from swather.settings_sources import read
from swather.store import factory


class Stats(NamedTuple):
    """How many targets of a run wait, also for a retry; are held by workers; have ended.
    `remaining` is pending + claimed. Cancelled ones are in none of them.
    """

    pending: int
    claimed: int
    completed: int
    failed: int
    remaining: int


def stats(scraper: str, run_id: str | None = None, *, db: str | None = None) -> Stats:
    """The numbers of a scraper's run, its newest by default, at this moment.

    `db` is the database, by default that of the scraper's table in swather.toml, then that of the
    settings.
    """
    own = database_of([scraper])
    of_scraper = None if own is None else {"db": own}
    store = factory.open(read({"db": db}, of_scraper=of_scraper).settings.db)
    try:
        run = find_run(store, run_id or scraper)
        if run.scraper != scraper:
            raise InputError(
                f"run {run.name!r} belongs to scraper {run.scraper!r}, not {scraper!r}"
            )
        return stats_of(store.runs.counts(run.name))
    finally:
        store.close()


def stats_of(counts: Counts) -> Stats:
    return Stats(
        pending=counts.waiting,
        claimed=counts.leased,
        completed=counts.completed,
        failed=counts.failed,
        remaining=counts.unfinished,
    )
