"""The code of a run's scraper, where a command names only the run."""

from pathlib import Path
from typing import TYPE_CHECKING

from swather.errors import InputError, LoadError

if TYPE_CHECKING:
    from swather.model.run import Run
    from swather.scraping.scraper import Scraper


def scraper_of(run: "Run", spec: str | None) -> "Scraper":
    """The scraper that was named, else the one that the run began with if it is installed, or a
    file in this folder. A database does not decide which other code is loaded here.
    """
    from swather.scraping import registry

    if spec is None:
        return _begun_with(run)
    found = registry.load(spec)
    if found.name != run.scraper:
        raise InputError(f"run {run.name!r} is one of {run.scraper!r}, not of {found.name!r}")
    return found


def _begun_with(run: "Run") -> "Scraper":
    from swather.scraping import registry

    file = Path(run.scraper_spec.rpartition(":")[0])
    if file.suffix == ".py" and file.is_file() and file.resolve().is_relative_to(Path.cwd()):
        return registry.load(run.scraper_spec)
    try:
        return registry.load(run.scraper)
    except LoadError as error:
        raise InputError(
            f"the code of scraper {run.scraper!r} is neither installed nor in this folder; "
            f"name it: --scraper FILE (the run was begun with {run.scraper_spec})"
        ) from error
