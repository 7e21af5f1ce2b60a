"""A scraper's own targets: what a run scrapes when nobody names any."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from swather.errors import InputError, SwatherError
from swather.model.run import Load
from swather.model.task import Target
from swather.runs import configuration
from swather.runs.intake import Intake
from swather.runs.loading import Loading
from swather.runs.source import Source
from swather.runs.target_options import TargetOptions
from swather.runs.targets import Line
from swather.scraping.params import typed_params
from swather.scraping.scraper import Scraper
from swather.store import Store

_NAME: Final = "targets of its own"


class OwnTargets:
    """What the scraper's `targets` makes of the params; drawn while it is loaded, so that no more
    than a few batches are in memory. `asked` has the limit and the options of all targets.
    """

    def __init__(self, scraper: Scraper, params: Any, asked: Source) -> None:
        function = scraper.options.targets
        assert function is not None
        self._function: Callable[[Any], Iterable[Any]] = function
        self._params = params
        self._version = scraper.options.version
        self._asked = asked
        self.limit = asked.limit

    @property
    def is_empty(self) -> bool:
        """False: a scraper that has none has given them all."""
        return False

    @property
    def has_priorities(self) -> bool:
        """False: a scraper whose targets have them says in which order they are taken."""
        return self._asked.has_priorities

    @property
    def fingerprint(self) -> str:
        """The same for the same limit and options; a run is told apart by its params, too."""
        return self._asked.fingerprint

    @property
    def in_words(self) -> str:
        return _NAME

    @property
    def nothing_found(self) -> str:
        return "the scraper has no targets for these params"

    @property
    def load(self) -> Load:
        return Load(source=f"own {self.fingerprint}", content=self._version, name=_NAME)

    def reads(self, path: object) -> bool:  # noqa: ARG002
        """False: they come from no file."""
        return False

    def intake(self, scraper: Scraper) -> Intake:
        """The intake of these targets, the first ones already checked."""
        intake = Intake(
            scraper,
            self._lines(scraper),
            skip_bad=self._asked.skip_bad,
            limit=self.limit,
            load=self.load,
            is_remote=self._asked.is_remote,
            skip_option=self._asked.skip_option,
        )
        intake.check()
        return intake

    def loading(self, store: Store, run: str, intake: Intake, *, lease_seconds: float) -> Loading:
        return Loading(store, run, intake, lease_seconds=lease_seconds)

    def _lines(self, scraper: Scraper) -> Iterator[Line]:
        given = self._asked.layout.given
        try:
            for number, made in enumerate(self._function(self._params), 1):
                value, key, own = _parts(made)
                yield Line(number, value, key, _NAME, _over(own, given))
        except SwatherError:
            raise
        except Exception as error:
            raise InputError(
                f"the targets of scraper {scraper.name!r}: {type(error).__name__}: {error}"
            ) from error


def own_targets(
    scraper: Scraper,
    params: Mapping[str, Any] | Sequence[str],
    options: Mapping[str, Any],
    asked: Source | None = None,
) -> OwnTargets | None:
    """Those of a scraper that has any, for what a person or a program gave."""
    if scraper.options.targets is None:
        return None
    settings = configuration.resolve(None, options, scraper).settings
    given = configuration.run_params(scraper, params, settings)
    return OwnTargets(scraper, typed_params(scraper, given), asked or Source())


def _parts(made: Any) -> tuple[Any, str | None, TargetOptions]:
    """What a scraper says of a target; the rest is as for all of its targets."""
    if not isinstance(made, Target):
        return made, None, TargetOptions()
    options = TargetOptions(
        made.priority, made.lane or None, made.partition or None, made.due_in_seconds
    )
    return made.value, made.key, options


def _over(own: TargetOptions, given: TargetOptions) -> TargetOptions:
    """What a command says comes before what the scraper says."""
    return TargetOptions(
        own.priority if given.priority is None else given.priority,
        own.lane if given.lane is None else given.lane,
        own.partition if given.partition is None else given.partition,
        given.due_in_seconds or own.due_in_seconds,
    )
