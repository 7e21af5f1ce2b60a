"""Finds the run that a person means: by its name, the beginning of it, or its scraper."""

from difflib import get_close_matches
from typing import Final

from swather.errors import InputError, NotFound
from swather.model.run import Run
from swather.store import Store

MAX_RUNS_SEEN: Final = 10_000
_MAX_LISTED: Final = 5


def find_run(store: Store, name: str) -> Run:
    """The run of that name, else the newest of the scraper of that name, else the only run whose
    name begins so, else the newest of the only scraper whose name does.
    """
    try:
        return store.runs.get(name)
    except NotFound:
        runs = store.runs.find(limit=MAX_RUNS_SEEN)
        for run in runs:
            if run.scraper == name:
                return run
        alike = [run for run in runs if name and run.name.startswith(name)]
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise _ambiguous(name, alike) from None
        scrapers = {run.scraper for run in runs}
        of_scraper = [run for run in runs if name and run.scraper.startswith(name)]
        if len({run.scraper for run in of_scraper}) == 1:
            return of_scraper[0]
        known = [*(run.name for run in runs), *scrapers]
        if meant := get_close_matches(name, known, n=1):
            raise NotFound(
                f"there is no run named {name!r}; did you mean {meant[0]!r}? "
                "`swather runs` lists them"
            ) from None
        raise


def newest_run(store: Store) -> Run:
    newest = store.runs.find(limit=1)
    if not newest:
        raise NotFound("there are no runs in this database yet")
    return newest[0]


def _ambiguous(name: str, runs: list[Run]) -> InputError:
    more = ", …" if len(runs) > _MAX_LISTED else ""
    listed = ", ".join(run.name for run in runs[:_MAX_LISTED])
    return InputError(
        f"{len(runs)} runs begin with {name!r}: {listed}{more}; give more of the name"
    )
