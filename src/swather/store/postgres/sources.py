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
from swather.store.postgres.arrays import columns_of
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.notices import tell_breaker
from swather.store.postgres.statements import queries
from swather.store.source_rows import (
    CURVE,
    HOUR_SECONDS,
    Noted,
    SourceRow,
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


class PostgresSources:
    """See swather.store.ports.Sources."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ask(self, fence: Fence, scraper: str, source: str) -> SourceState:
        check_source(source)
        breaker = self._breaker(scraper, source)
        if breaker.state is not BreakerState.HALF_OPEN:
            return state_of(breaker)
        taken = self._connection.row(
            queries.probe_source,
            {
                "scraper": scraper,
                "source": source,
                "task_id": fence[0],
                "token": fence[1],
                "prober": "{}:{}".format(*fence),
                "seconds": PROBE_SECONDS,
            },
            hot=True,
        )
        return SourceState() if taken else state_of(self._breaker(scraper, source))

    def find(self, *, since_seconds: float, scraper: str | None = None) -> list[SourceStats]:
        check_seconds("since_seconds", since_seconds)
        rows = self._connection.rows(
            queries.sources_since, {"seconds": since_seconds + HOUR_SECONDS}
        )
        breakers = self._connection.rows(queries.source_breakers)
        return statistics(rows, breakers, scraper)

    def of_run(self, run: str) -> list[SourceStats]:
        this = {"run_id": run_id(self._connection, run)}
        rows = self._connection.rows(queries.sources_of_run, this, hot=True)
        reports = self._connection.by_index(
            lambda: self._connection.rows(queries.sources_under_way, this, hot=True)
        )
        if not rows and not reports:
            return []
        scraper = self._connection.value(queries.scraper_of_run, this, hot=True)
        breakers = self._connection.rows(queries.source_breakers, hot=True)
        return of_run(scraper, rows, breakers, [row[0] for row in reports])

    def reset(self, scraper: str, source: str) -> bool:
        this = {"scraper": scraper, "source": source}
        return self._connection.row(queries.reset_source, this) is not None

    def _breaker(self, scraper: str, source: str) -> SourceBreaker:
        this = {"scraper": scraper, "source": source}
        row = self._connection.row(queries.source_breaker, this, hot=True)
        return SourceBreaker() if row is None else breaker_of(*row)


def note_sources(connection: Connection, notes: Sequence[Noted]) -> None:
    """Inside a transaction, as one of its last statements: others may want these rows, too."""
    connection.execute(queries.count_sources, columns_of(counted(notes)), hot=True)
    succeeded, failed = answered(notes), failing(notes)
    asked = sorted({*succeeded, *(SourceRow(row.run_id, row.source) for row in failed)})
    if not asked:
        return
    known = connection.rows(queries.lock_source_breakers, columns_of(asked), hot=True)
    if known and succeeded:
        connection.execute(queries.forgive_sources, columns_of(succeeded), hot=True)
    if failed:
        blamed = connection.rows(queries.blame_sources, {**columns_of(failed), **CURVE}, hot=True)
        for scraper, new in opened(blamed):
            tell_breaker(connection, scraper, new)
