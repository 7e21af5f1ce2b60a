"""History: samples of counts, and what workers have measured."""

import math
from collections.abc import Collection

from swather.model.history import HistoryPoint, Measured
from swather.model.history_details import GroupKey, GroupTimes, LaneAnswers
from swather.model.history_points import Sample, Window, merged
from swather.model.payload import encode
from swather.store.history_details import check_seconds_back, lanes_in, rows_of, times_in
from swather.store.history_rows import (
    ALL_RUNS,
    ENDING_SECONDS,
    MINUTE,
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
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.statements import queries
from swather.store.sqlite.thin import thin


class SQLiteHistory:
    """See swather.store.ports.History. There is one writer at a time, so one shard will do."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ask_at = -math.inf

    def sample(self) -> bool:
        clock = self._connection.clock
        if clock.monotonic() < self._ask_at:
            return False
        with self._connection.reading():
            if not self._is_due():
                return False
        with self._connection.transaction():
            if not self._is_due():
                return False
            self._take()
        self._ask_at = clock.monotonic() + SAMPLE_SECONDS
        return True

    def note(self, run: str, measured: Measured) -> None:
        at = self._connection.clock.wall() // MINUTE * MINUTE
        with self._connection.transaction():
            found = self._connection.row(queries.find_run, (run,))
            if found is None:
                return
            for number, more in rows_of(found[0], measured).items():
                this = {"run_id": number, "at": at}
                data = self._connection.value(queries.get_measurement, this)
                known = [] if data is None else [measured_of(data)]
                values = {**this, "seconds": MINUTE, "data": encoded(merged([*known, more]))}
                self._connection.execute(queries.set_measurement, values)

    def of_run(self, run: str, *, seconds: float, points: int = 120) -> list[HistoryPoint]:
        seconds = check_window(seconds, points)
        with self._connection.reading():
            number = run_id(self._connection, run)
            now = self._connection.clock.wall()
            created_at, finished_at = self._connection.rows(queries.run_times, {"run_id": number})[
                0
            ]
            last = last_of(self._connection.value(queries.last_sampled, (number,)), created_at)
            counts = self._counts(number)
            latest = followed(last, counts, now if finished_at is None else finished_at)
            end = now if finished_at is None else max(finished_at, (latest or last).at)
            window = Window.of(max(end - seconds, created_at), end, points)
            known = known_samples(
                last,
                latest,
                created_at=created_at,
                sampled_at=self._connection.value(queries.history_clock),
            )
            return self._draw(number, window, known, created_at)

    def overall(self, *, seconds: float, points: int = 120) -> list[HistoryPoint]:
        seconds = check_window(seconds, points)
        with self._connection.reading():
            now = self._connection.clock.wall()
            sampled_at = self._connection.value(queries.history_clock)
            end = sampled_at if now - 2 * SAMPLE_SECONDS < sampled_at < now else now
            return self._draw(ALL_RUNS, Window.of(end - seconds, end, points), [])

    def group_times(self, groups: Collection[GroupKey], *, seconds: float) -> GroupTimes:
        seconds = check_seconds_back(seconds)
        names = encode(sorted({run for run, _ in groups}))
        with self._connection.reading():
            now = self._connection.clock.wall()
            runs = dict(self._connection.rows(queries.run_numbers, (names,)))
            return times_in(self._told_since(now - seconds), groups, runs, now)

    def lane_answers(self, *, seconds: float) -> dict[str, LaneAnswers]:
        seconds = check_seconds_back(seconds)
        with self._connection.reading():
            return lanes_in(self._told_since(self._connection.clock.wall() - seconds))

    def _told_since(self, start: float) -> list[tuple[float, float, str]]:
        this = {"run_id": ALL_RUNS, "start": start}
        return self._connection.rows(queries.measurements_since, this)

    def thin(self) -> bool:
        return thin(self._connection)

    def _is_due(self) -> bool:
        passed = self._connection.clock.wall() - self._connection.value(queries.history_clock)
        if 0 <= passed < SAMPLE_SECONDS:
            self._ask_at = self._connection.clock.monotonic() + SAMPLE_SECONDS - passed
            return False
        return True

    def _take(self) -> None:
        now = self._connection.clock.wall()
        previous: float = self._connection.value(queries.history_clock)
        ended_after = max(previous - ENDING_SECONDS, now - HISTORY_DAYS * 86_400)
        rows = self._connection.rows(queries.runs_to_sample, {"ended_after": ended_after})
        seen = [Seen(row[0], row[1], row[2], row[3], self._counts(row[0])) for row in rows]
        overall = self._connection.value(queries.last_sampled, (ALL_RUNS,))
        taken = take_sample(seen, overall, now=now, previous=previous)
        self._connection.executemany(queries.add_samples, taken.rows)
        self._connection.executemany(queries.set_last_sampled, list(taken.lasts.items()))
        self._connection.execute(queries.set_sampled, {"now": now})

    def _counts(self, number: int) -> dict[str, int]:
        return dict(self._connection.rows(queries.counts_to_sample, (number,)))

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
