"""The order for a run: what to scrape with what, as a command or a program says it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from swather.file_location import Location
from swather.model.task_filter import TaskFilter
from swather.runs import configuration
from swather.runs.own_targets import OwnTargets
from swather.runs.source import Source, Values
from swather.runs.start import Planned, plan_run
from swather.runs.upload import Upload
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store


@dataclass(frozen=True, kw_only=True)
class Order:
    """The run to begin or resume.

    options    settings given with it, which override all others
    params     a mapping, or 'name=value' texts
    output     the file that results go to
    retry      which ended tasks of a run that is resumed are retried; it need not name the run
    keep_open  the run is not finished when its tasks are
    is_alone   the database is only for this run, and cannot tell which run wrote an existing CSV
               or Parquet file: it is replaced
    is_remote  its targets and params come from a client of the API, not from a person on this
               machine: what hosts they name makes no private address reachable
    is_single  it is refused while another process on this machine executes a single order of it
    """

    scraper: Scraper
    source: Source | Values | Upload | OwnTargets
    options: Mapping[str, Any]
    params: Mapping[str, Any] | Sequence[str] = ()
    output: Path | None = None
    resume: str | None = None
    new: bool = False
    retry: TaskFilter | None = None
    keep_open: bool = False
    is_alone: bool = False
    is_remote: bool = False
    is_single: bool = False

    def planned(
        self, store: Store, scraper: Scraper, settings: Settings, files_folder: Location | None
    ) -> Planned:
        """The run; `scraper` has the settings applied."""
        params = configuration.run_params(scraper, self.params, settings)
        typed = configuration.known_params(scraper, settings) if self.is_remote else params
        return plan_run(
            store,
            scraper,
            params=params,
            typed_params=typed,
            source_fingerprint=self.source.fingerprint,
            source=self.source.in_words,
            resume=self.resume,
            new=self.new,
            task_limit=self.source.limit,
            has_priorities=self.source.has_priorities,
            default_rate=settings.default_rate,
            files_folder=files_folder,
            keep_open=self.keep_open,
        )
