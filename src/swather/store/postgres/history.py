"""History: samples of counts, and what workers have measured."""

import math
from collections import defaultdict
from collections.abc import Collection
from random import Random

from swather.model.history import HistoryPoint, Measured
from swather.model.history_details import GroupKey, GroupTimes, LaneAnswers
from swather.model.history_points import Sample, Window, merged
from swather.store.checks import check_known
from swather.store.history_details import check_seconds_back, lanes_in, rows_of, times_in
from swather.store.history_rows import (
    ALL_RUNS,
    ENDING_SECONDS,
    SHARDS,
    Row,
    Seen,
    check_window,
    draw,
    encoded,
    followed,
    known_samples,
    last_of,
    measured_of,
    read_samples,
    read_spans,
    take_sample,
)
from swather.store.ports import HISTORY_DAYS, SAMPLE_SECONDS
from swather.store.postgres.arrays import Bigints, Floats, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries
from swather.store.postgres.thin import thin


class PostgresHistory:
    """See swather.store.ports.History."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ask_at = -math.inf
        self._shard = Random().randrange(SHARDS)

    def sample(self) -> bool:
        clock = self._connection.clock
        if clock.monotonic() < self._ask_at:
            return False
        if not self._is_due(*self._connection.rows(queries.history_clock, hot=True)[0]):
            return False
        is_taken = self._connection.transact(self._take)
        self._ask_at = clock.monotonic() + SAMPLE_SECONDS
        return is_taken

    def note(self, run: str, measured: Measured) -> None:
        check_known(run)
        number: int | None = self._connection.value(queries.find_run, {"name": run}, hot=True)
        if number is None:
            return
        more = rows_of(number, measured)
        these = {"runs": Bigints(more), "shard": self._shard}

        def work() -> None:
            rows = self._connection.rows(queries.lock_measurements, these)
            values = {
                "runs": Bigints(row[0] for row in rows),
                "data": Texts(encoded(merged([measured_of(row[2]), more[row[0]]])) for row in rows),
                "at": rows[0][1],
                "shard": self._shard,
            }
            self._connection.execute(queries.set_measurements, values)

        self._connection.transact(work)

    def of_run(self, run: str, *, seconds: float, points: int = 120) -> list[HistoryPoint]:
        seconds = check_window(seconds, points)
        number = run_id(self._connection, run)
        return self._connection.transact(lambda: self._of_run(number, seconds, points))

    def _of_run(self, number: int, seconds: float, points: int) -> list[HistoryPoint]:
        this = {"run_id": number}
        sampled_at, now = self._connection.rows(queries.history_clock)[0]
        created_at, finished_at = self._connection.rows(queries.run_times, this)[0]
        last = last_of(self._connection.value(queries.last_sampled, this), created_at)
        rows = self._connection.rows(queries.counts_to_sample, {"runs": Bigints([number])})
        counts = {name: n for _, name, n in rows}
        latest = followed(last, counts, now if finished_at is None else finished_at)
        end = now if finished_at is None else max(finished_at, (latest or last).at)
        window = Window.of(max(end - seconds, created_at), end, points)
        known = known_samples(last, latest, created_at=created_at, sampled_at=sampled_at)
        return self._draw(number, window, known, created_at)

    def overall(self, *, seconds: float, points: int = 120) -> list[HistoryPoint]:
        seconds = check_window(seconds, points)
        sampled_at, now = self._connection.rows(queries.history_clock, hot=True)[0]
        end = sampled_at if now - 2 * SAMPLE_SECONDS < sampled_at < now else now
        return self._draw(ALL_RUNS, Window.of(end - seconds, end, points), [])

    def group_times(self, groups: Collection[GroupKey], *, seconds: float) -> GroupTimes:
        seconds = check_seconds_back(seconds)
        names = {"names": Texts(sorted({run for run, _ in groups}))}
        _, now = self._connection.rows(queries.history_clock, hot=True)[0]
        runs: dict[str, int] = dict(self._connection.rows(queries.run_numbers, names))
        return times_in(self._told_since(now - seconds), groups, runs, now)

    def lane_answers(self, *, seconds: float) -> dict[str, LaneAnswers]:
        seconds = check_seconds_back(seconds)
        _, now = self._connection.rows(queries.history_clock, hot=True)[0]
        return lanes_in(self._told_since(now - seconds))

    def _told_since(self, start: float) -> list[tuple[float, float, str]]:
        this = {"run_id": ALL_RUNS, "start": start}
        return self._connection.rows(queries.measurements_since, this)

    def thin(self) -> bool:
        return self._connection.transact(lambda: thin(self._connection))

    def _is_due(self, sampled_at: float, now: float) -> bool:
        passed = now - sampled_at
        if 0 <= passed < SAMPLE_SECONDS:
            self._ask_at = self._connection.clock.monotonic() + SAMPLE_SECONDS - passed
            return False
        return True

    def _take(self) -> bool:
        clock = self._connection.row(queries.lock_history_clock)
        if clock is None or not self._is_due(*clock):
            return False
        previous, now = clock
        ended_after = max(previous - ENDING_SECONDS, now - HISTORY_DAYS * 86_400)
        runs = self._connection.rows(queries.runs_to_sample, {"ended_after": ended_after})
        counts: dict[int, dict[str, int]] = defaultdict(dict)
        these = {"runs": Bigints(row[0] for row in runs)}
        for number, name, n in self._connection.rows(queries.counts_to_sample, these):
            counts[number][name] = n
        overall = self._connection.value(queries.last_sampled, {"run_id": ALL_RUNS})
        seen = [Seen(row[0], row[1], row[2], row[3], counts[row[0]]) for row in runs]
        taken = take_sample(seen, overall, now=now, previous=previous)
        if taken.rows:
            self._connection.execute(queries.add_samples, _columns(taken.rows))
            lasts = {"runs": Bigints(taken.lasts), "lasts": Texts(taken.lasts.values())}
            self._connection.execute(queries.set_last_sampled, lasts)
        self._connection.execute(queries.set_sampled, {"now": now})
        return True

    def _draw(
        self, number: int, window: Window, known: list[Sample], began_at: float = 0.0
    ) -> list[HistoryPoint]:
        this = {"run_id": number, "start": window.start, "end": window.end, "step": window.step}
        first = self._connection.rows(queries.sample_before, this)
        # What had ended before the first sample did not end in its point.
        first = first or self._connection.rows(queries.sample_after, this)
        between = self._connection.rows(queries.samples_between, this)
        spans = self._connection.rows(queries.measurements_since, this)
        samples = [*known, *read_samples(first), *read_samples(between)]
        return draw(samples, read_spans(spans, began_at), window)


def _columns(rows: list[Row]) -> dict[str, Floats | Bigints]:
    columns = zip(Row._fields, zip(*rows, strict=True), strict=True)
    return {name: Floats(each) if name == "at" else Bigints(each) for name, each in columns}
