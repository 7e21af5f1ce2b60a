"""How a suggested command names the code of a run, when only the run is known.

Not by what the database says, which could then choose the code that a person runs by copying the
command.
"""

from typing import Final

from swather.model.run import Run
from swather.scraping.registered import registered

_SCRAPER: Final = "SCRAPER"


def argument(run: Run) -> list[str]:
    """The argument for the code in a command; none if it is registered here."""
    return [] if run.scraper in registered() else [_SCRAPER]


def explained(run: Run) -> str:
    """What that argument stands for."""
    if not argument(run):
        return ""
    spec, name = run.scraper_spec, run.scraper
    begun = "" if spec == name else f"; the run was started with {spec}"
    return f"{_SCRAPER} is the file or module of {name!r}{begun}"
