"""The fleet of `swather serve --workers`: the same supervisor as that of `swather fleet up`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swather.cli import database, preflight_view
from swather.cli.autoscale_options import Bounds
from swather.cli.fleet_preflight import looked_at
from swather.cli.fleet_session import FleetSession, check_name_is_free, default_name
from swather.fleet.fleet_watch import FleetTotals
from swather.fleet.placement import Place

if TYPE_CHECKING:
    from swather.settings import Settings
    from swather.store import Store


@dataclass(frozen=True, kw_only=True)
class ServedFleet(FleetSession):
    """`first` workers at first, of all registered scrapers; 0: none until somebody wants some."""

    first: int

    def check(self) -> None:
        """InputError if it cannot come up; before anything is served."""
        with database.opened(self.db) as store:
            check_name_is_free(store, self.name)
            found = looked_at(
                store, self.options, self.scrapers, run=None, place=self.place, is_test=False
            )
        preflight_view.refuse(found)

    def _ask(self, store: "Store", run: str | None, workers: int) -> None:
        """Nobody is asked."""

    def _first_wanted(self, settings: "Settings", bounds: Bounds | None) -> int:
        del settings, bounds
        return self.first

    def _in_words(self) -> str:
        return f"swather serve --workers {self.first}"

    def _report(self, totals: FleetTotals, code: int) -> None:
        if not self.as_json:
            super()._report(totals, code)


def served_fleet(db: str, workers: int, name: str | None, *, as_json: bool) -> ServedFleet:
    return ServedFleet(
        first=workers,
        scrapers=[],
        run=None,
        name=name or default_name(),
        options={"db": db, "workers": workers or None},
        worker_options={},
        only_own=False,
        yes=True,
        place=Place.LOCAL,
        autoscale=None,
        log_folder=None,
        detach=False,
        db=db,
        as_json=as_json,
    )
