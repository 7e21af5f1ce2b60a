"""The verbs of lanes: their limits, pauses, cool-downs, learned pace and breakers."""

from typing import Any, Final, Protocol

from swather.model.lane import Breaker, Lane, PacedKind
from swather.model.pacing import AutoPace, CoolDownCurve, Limits

# A learned pace expires when it is not renewed for this long.
LEARNED_SECONDS: Final = 600.0


class Lanes(Protocol):
    """Lanes by default; with kind SCRAPER the same verbs apply to all work of a scraper."""

    def get(self, name: str, kind: PacedKind = PacedKind.LANE) -> Lane: ...
    def find(self, *, limit: int = 100) -> list[Lane]:
        """Those with limits, a learned pace, a crawl delay, a pause, a cool-down or an open
        breaker, or with tasks of an open run that are ready or in flight. Those on which nothing
        may start come first.
        """
        ...

    def names(self, kind: PacedKind = PacedKind.LANE, *, limit: int = 10_000) -> list[str]:
        """All that tasks or people have named, the newest first."""
        ...

    def is_known(self, name: str, kind: PacedKind = PacedKind.LANE) -> bool:
        """Whether a task or a person has ever named it."""
        ...

    def limit(
        self,
        name: str,
        limits: Limits,
        kind: PacedKind = PacedKind.LANE,
        *,
        overrides: bool = False,
    ) -> None:
        """Without `overrides`, the strictest of these and what scrapers ask for applies. With it,
        these replace what scrapers ask for, slower or faster: the rate if they have one, the number
        in flight if they have one.
        """
        ...

    def pause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None: ...
    def unpause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        """Also ends a cool-down."""
        ...

    def cool(
        self, name: str, seconds: float, reason: str = "", kind: PacedKind = PacedKind.LANE
    ) -> None:
        """Start nothing for `seconds`; never shortens a cool-down."""
        ...

    def clear(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        """Forget limits, pause, cool-down, strikes, learned pace, crawl delay and open breakers."""
        ...

    def strike(
        self, name: str, *, retry_after_seconds: float | None, reason: str, curve: CoolDownCurve
    ) -> float:
        """The site has asked us to go away: cool the lane for as long as it said, else by the
        curve; how many seconds until it opens.

        While the lane cools, further calls are part of the same strike, and only a longer
        Retry-After lengthens it. A Retry-After in the past is ignored.
        """
        ...

    def adapt(self, name: str, *, latency_seconds: float, failed: bool, policy: AutoPace) -> float:
        """Learn a lane's pace from a response; returns its new interval. It expires when it is not
        renewed for ten minutes.
        """
        ...

    def set_crawl_delay(self, name: str, seconds: float | None) -> None:
        """Set the interval that the site's robots.txt asks for; None if it asks for none."""
        ...


class Breakers(Protocol):
    """While one is open, claims start one task at a time of its scraper on its lane, and no more
    than one per `probe_seconds`. A lane of "" means the targets without a lane.
    """

    def trip(self, scraper: str, lane: str, *, seen: dict[str, Any], probe_seconds: float) -> None:
        """Open a breaker, with the first probe `probe_seconds` from now. An open one is updated
        with what was seen last and its next probe; neither time is ever shortened.
        """
        ...

    def close(self, scraper: str, lane: str) -> bool:
        """Whether it was open."""
        ...

    def find(self, *, scraper: str | None = None, lane: str | None = None) -> list[Breaker]:
        """Those that are open."""
        ...
