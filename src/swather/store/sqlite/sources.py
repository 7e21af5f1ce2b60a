"""Sources: what was noted of them, and their breakers."""

from collections.abc import Sequence

from swather.model.source import (
    PROBE_SECONDS,
    BreakerState,
    SourceBreaker,
    SourceState,
    SourceStats,
)
from swather.store.checks import check_seconds
from swather.store.ports import Fence
from swather.store.source_rows import (
    CURVE,
    HOUR_SECONDS,
    Noted,
    answered,
    breaker_of,
    check_source,
    counted,
    failing,
    of_run,
    opened,
    state_of,
    statistics,
)
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.notices import tell_breaker
from swather.store.sqlite.statements import queries


class SQLiteSources:
    """See swather.store.ports.Sources."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ask(self, fence: Fence, scraper: str, source: str) -> SourceState:
        check_source(source)
        with self._connection.reading():
            breaker = self._breaker(scraper, source)
        if breaker.state is not BreakerState.HALF_OPEN:
            return state_of(breaker)
        with self._connection.transaction():
            taken = self._connection.execute_counting(
                queries.probe_source,
                {
                    "scraper": scraper,
                    "source": source,
                    "task_id": fence[0],
                    "token": fence[1],
                    "prober": "{}:{}".format(*fence),
                    "now": self._connection.clock.wall(),
                    "seconds": PROBE_SECONDS,
                },
            )
            return SourceState() if taken else state_of(self._breaker(scraper, source))

    def find(self, *, since_seconds: float, scraper: str | None = None) -> list[SourceStats]:
        check_seconds("since_seconds", since_seconds)
        now = self._connection.clock.wall()
        with self._connection.reading():
            rows = self._connection.rows(
                queries.sources_since, (now - since_seconds - HOUR_SECONDS,)
            )
            breakers = self._connection.rows(queries.source_breakers, (now,))
        return statistics(rows, breakers, scraper)

    def of_run(self, run: str) -> list[SourceStats]:
        with self._connection.reading():
            number = run_id(self._connection, run)
            rows = self._connection.rows(queries.sources_of_run, (number,))
            reports = self._connection.rows(queries.sources_under_way, (number,))
            if not rows and not reports:
                return []
            scraper = self._connection.value(queries.scraper_of_run, (number,))
            breakers = self._connection.rows(
                queries.source_breakers, (self._connection.clock.wall(),)
            )
        return of_run(scraper, rows, breakers, [row[0] for row in reports])

    def reset(self, scraper: str, source: str) -> bool:
        with self._connection.transaction():
            return bool(self._connection.execute_counting(queries.reset_source, (scraper, source)))

    def _breaker(self, scraper: str, source: str) -> SourceBreaker:
        row = self._connection.row(
            queries.source_breaker,
            {"scraper": scraper, "source": source, "now": self._connection.clock.wall()},
        )
        return SourceBreaker() if row is None else breaker_of(*row)


def note_sources(connection: Connection, notes: Sequence[Noted]) -> None:
    """Inside a transaction."""
    now = connection.clock.wall()
    hour = now - now % HOUR_SECONDS
    connection.executemany(queries.count_sources, [(*row, hour) for row in counted(notes)])
    connection.executemany(queries.forgive_source, answered(notes))
    blamed = connection.many_rows(
        queries.blame_source, [{**row._asdict(), **CURVE, "now": now} for row in failing(notes)]
    )
    for scraper, new in opened(blamed):
        tell_breaker(connection, scraper, new)
