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
from swather.store.postgres.arrays import Bigints, Floats, Integers
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


def thin(connection: Connection) -> bool:
    """Inside a transaction; whether there may be more to do."""
    row = connection.row(queries.history_thinned)
    if row is None:
        return False
    thinned_to, minutes_to, spans_to, now = row
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
        first = connection.value(queries.first_sample_after, {"since": since})
        if first is None or first // MINUTE * MINUTE + THIN_SPAN > before:
            return False
        start = first // MINUTE * MINUTE
        since = start + THIN_SPAN
        gone = connection.value(queries.thin_samples, {"start": start, "end": since})
        connection.execute(queries.set_thinned_to, {"since": since})
        if gone:
            break
    return True


def _merge(connection: Connection, done: str, since: float, before: float, seconds: float) -> bool:
    """One per span and run is left."""
    for _ in range(THIN_STEPS):
        first = connection.value(queries.first_measurement_after, {"since": since})
        if first is None or first // seconds * seconds + seconds > before:
            return False
        start = first // seconds * seconds
        since = start + seconds
        rows = connection.rows(queries.measurements_to_merge, {"start": start, "end": since})
        for merge in merges_of(rows, seconds):
            gone = {
                "run_id": Bigints([merge.run_id] * len(merge.instead_of)),
                "at": Floats(at for at, _ in merge.instead_of),
                "shard": Integers(shard for _, shard in merge.instead_of),
            }
            connection.execute(queries.drop_measurements, gone)
            values = {
                "run_id": merge.run_id, "at": merge.at, "seconds": seconds, "data": merge.data
            }  # fmt: skip
            connection.execute(queries.add_measurement, values)
        connection.execute(done, {"since": since})
    return True


def _drop_old(connection: Connection, before: float) -> bool:
    this = {"before": before, "limit": OLD_BATCH}
    gone: int = connection.value(queries.drop_old_samples, this)
    more: int = connection.value(queries.drop_old_measurements, this)
    return gone + more > 0
