"""Thin: fewer samples and measurements of what was long ago, a bounded step at a time."""

from swather.store.history_rows import (
    LONG_SPAN,
    LONG_SPAN_AFTER_SECONDS,
    MINUTE,
    OLD_BATCH,
    THIN_SPAN,
    THIN_STEPS,
    merges_of,
)
from swather.store.ports import FINE_SECONDS, HISTORY_DAYS
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


def thin(connection: Connection) -> bool:
    """Whether there may be more to do."""
    with connection.transaction():
        now = connection.clock.wall()
        thinned_to, minutes_to, spans_to = connection.rows(queries.history_thinned)[0]
        long_ago = now - LONG_SPAN_AFTER_SECONDS
        return (
            _thin_samples(connection, thinned_to, now - FINE_SECONDS)
            or _merge(connection, queries.set_minutes_to, minutes_to, now - FINE_SECONDS, MINUTE)
            or _merge(connection, queries.set_spans_to, spans_to, long_ago, LONG_SPAN)
            or _drop_old(connection, now - HISTORY_DAYS * 86_400)
        )


def _thin_samples(connection: Connection, since: float, before: float) -> bool:
    """One per minute and run is left."""
    for _ in range(THIN_STEPS):
        first = connection.value(queries.first_sample_after, (since,))
        if first is None or first // MINUTE * MINUTE + THIN_SPAN > before:
            return False
        start = first // MINUTE * MINUTE
        since = start + THIN_SPAN
        gone = connection.execute_counting(queries.thin_samples, {"start": start, "end": since})
        connection.execute(queries.set_thinned_to, (since,))
        if gone:
            break
    return True


def _merge(connection: Connection, done: str, since: float, before: float, seconds: float) -> bool:
    """One per span and run is left."""
    for _ in range(THIN_STEPS):
        first = connection.value(queries.first_measurement_after, (since,))
        if first is None or first // seconds * seconds + seconds > before:
            return False
        start = first // seconds * seconds
        since = start + seconds
        rows = connection.rows(queries.measurements_to_merge, {"start": start, "end": since})
        for merge in merges_of(rows, seconds):
            connection.executemany(
                queries.drop_measurement, [(merge.run_id, *row) for row in merge.instead_of]
            )
            values = {
                "run_id": merge.run_id, "at": merge.at, "seconds": seconds, "data": merge.data
            }  # fmt: skip
            connection.execute(queries.set_measurement, values)
        connection.execute(done, (since,))
    return True


def _drop_old(connection: Connection, before: float) -> bool:
    this = {"before": before, "limit": OLD_BATCH}
    gone = connection.execute_counting(queries.drop_old_samples, this)
    return gone + connection.execute_counting(queries.drop_old_measurements, this) > 0
