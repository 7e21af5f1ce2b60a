"""One connection to PostgreSQL: transactions, their retries, and reconnecting."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, TypeVar

import psycopg
from psycopg.rows import TupleRow

from swather.errors import Closed
from swather.store.clock import Clock
from swather.store.postgres.address import Address
from swather.store.postgres.failures import is_lock_timeout, is_lost, is_retryable, translated
from swather.store.postgres.link import SETTINGS, Link, connect, set_config
from swather.store.postgres.transactions import end_silent

T = TypeVar("T")
Values = Mapping[str, Any]
Statement = tuple[str, Values]
Answer = psycopg.Cursor[TupleRow]

MAX_ATTEMPTS: Final = 10
# How long a verb waits for locks in total.
LOCK_SECONDS: Final = 30.0
_BULK_SETTINGS: Final = {
    "plan_cache_mode": "auto",
    "enable_mergejoin": "on",
    "enable_nestloop": "off",
    "enable_seqscan": "on",
}
_BULK_SECONDS: Final = 600
_BY_INDEX_SETTINGS: Final = {"enable_bitmapscan": "off"}


class Connection:
    """Statements inside `transact` form a transaction, others stand alone. Threads take turns.

    A lost connection raises ConnectionLost; the next verb makes a new one.
    """

    def __init__(self, address: Address, clock: Clock) -> None:
        self.address = address
        self.clock = clock
        self._lock = threading.RLock()
        self._random = Random()
        self._depth = 0
        self._offset_seconds = 0.0
        self._closed = False
        self._link: Link | None = None
        self._pipeline: psycopg.Pipeline | None = None
        self._ready()

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """For a verb of several transactions with state between them: other threads wait."""
        with self._lock:
            yield

    @property
    def in_transaction(self) -> bool:
        return self._depth > 0

    def rows(self, sql: str, values: Values | None = None, *, hot: bool = False) -> list[TupleRow]:
        """`hot`: the statement is prepared once. Its plan is reused for long, so it must suit large
        tables even when it was made for empty ones.
        """
        return self.send(sql, values, hot=hot)()

    def row(self, sql: str, values: Values | None = None, *, hot: bool = False) -> TupleRow | None:
        found = self.rows(sql, values, hot=hot)
        return found[0] if found else None

    def value(self, sql: str, values: Values | None = None, *, hot: bool = False) -> Any:
        found = self.row(sql, values, hot=hot)
        return None if found is None else found[0]

    def rows_of_each(self, statements: Sequence[Statement]) -> list[list[TupleRow]]:
        """The rows of several hot reads, which travel together."""
        if not statements:
            return []
        with self._lock:
            if self._depth or self.address.pooled:
                sent = self.transact(
                    lambda: [self.send(sql, values, hot=True) for sql, values in statements]
                )
                return [rows() for rows in sent]
            return self._repeat(lambda: self._together(statements))

    def send(
        self, sql: str, values: Values | None = None, *, hot: bool = False
    ) -> Callable[[], list[TupleRow]]:
        """As `rows`, but inside a transaction the result is only read when the returned function is
        called, during the transaction or after it.
        """
        with self._lock:
            if self._depth:
                cursor = self._sent(sql, values, hot)
                return lambda: self._fetched(cursor)
            found = self._repeat(lambda: self._alone(sql, values, hot).fetchall())
            return lambda: found

    def execute(self, sql: str, values: Values | None = None, *, hot: bool = False) -> None:
        """Inside a transaction it is only queued: an error appears with the next result."""
        with self._lock:
            if self._depth:
                self._sent(sql, values, hot)
            else:
                self._repeat(lambda: self._alone(sql, values, hot))

    def script(self, sql: str) -> None:
        """Several statements at once, inside a transaction that is not pipelined."""
        self._ready().execute(sql, prepare=False)

    def transact(self, work: Callable[[], T], *, pipelined: bool = True) -> T:
        """All or nothing. `work` is repeated when the database asks for it (a deadlock, say), so it
        must not change anything but the database. A transaction inside another joins it.

        Statements without a result travel with the next one that has one. One that is not
        `pipelined` may take as long as it needs.
        """
        with self._lock:
            if self._depth:
                return work()
            run = self._pipelined if pipelined else self._unpipelined
            return self._repeat(lambda: run(work))

    def in_bulk(self, work: Callable[[], T]) -> T:
        """As `transact`, for statements that read whole tables, for a limited time.

        Index lookups row by row would be slow, even if the planner believes the tables are small.
        """

        def with_settings() -> T:
            self._set({**_BULK_SETTINGS, "statement_timeout": f"{_BULK_SECONDS}s"}, local=True)
            self._take_time()
            return work()

        return self.transact(with_settings)

    def by_index(self, work: Callable[[], T]) -> T:
        """As `transact`, for reads where rows come and go by the thousand. An index scan stops at a
        LIMIT and marks the entries of dead rows, so that the next skips them; a bitmap is made of
        everything that matches, and marks nothing.
        """

        def with_settings() -> T:
            self._set(_BY_INDEX_SETTINGS, local=True)
            return work()

        return self.transact(with_settings)

    def outside_transaction(self, sql: str) -> None:
        """For statements that refuse to run inside a transaction."""
        with self._lock:
            if self.address.pooled:
                self._repeat(lambda: self._ready().execute(sql, prepare=False))
            else:
                self._repeat(lambda: self._ready().execute_at_length(sql))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._drop()

    def _ready(self) -> Link:
        if self._closed:
            raise Closed(f"the store on {self.address.shown} was closed")
        if self._link is None or self._link.closed:
            self._link = connect(self.address)
            self._offset_seconds = 0.0
        offset = self.clock.offset_seconds
        if offset != self._offset_seconds and not self.address.pooled:
            self._set({"swather.offset_seconds": repr(offset)}, local=False)
            self._offset_seconds = offset
        return self._link

    def _alone(self, sql: str, values: Values | None, hot: bool) -> Answer:
        if self.address.pooled:
            return self._pipelined(lambda: self._sent(sql, values, hot))
        self._ready()
        return self._sent(sql, values, hot)

    def _together(self, statements: Sequence[Statement]) -> list[list[TupleRow]]:
        with self._ready().pipeline():
            cursors = [self._sent(sql, values, hot=True) for sql, values in statements]
        return [cursor.fetchall() for cursor in cursors]

    def _sent(self, sql: str, values: Values | None, hot: bool) -> Answer:
        assert self._link is not None
        prepare = hot and not self.address.pooled
        return self._link.cursor(binary=True).execute(sql, values, prepare=prepare)

    def _fetched(self, cursor: Answer) -> list[TupleRow]:
        if self._pipeline is not None and cursor.pgresult is None:
            # By a Sync: after it the server counts as idle in the transaction, and lets go of it
            # if we are stopped now. After a mere Flush it would wait for us for ever.
            assert self._link is not None
            self._link.send_all()
            self._pipeline.sync()
        return cursor.fetchall()

    def _pipelined(self, work: Callable[[], T]) -> T:
        with self._ready().pipeline() as pipeline:
            self._pipeline = pipeline
            try:
                return self._plain(work)
            finally:
                self._pipeline = None

    def _unpipelined(self, work: Callable[[], T]) -> T:
        def taking_time() -> T:
            self._take_time()
            return work()

        return self._plain(taking_time)

    def _take_time(self) -> None:
        """Let this transaction take longer than usual."""
        assert self._link is not None
        self._set(self._link.unlimited, local=True)

    def _plain(self, work: Callable[[], T]) -> T:
        self._ready()
        with self._begun():
            return work()

    @contextlib.contextmanager
    def _begun(self) -> Iterator[None]:
        link = self._ready()
        self._depth = 1
        try:
            link.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            if self.address.pooled:
                offset = {"swather.offset_seconds": repr(self.clock.offset_seconds)}
                self._set({**SETTINGS, **link.limited, **offset}, local=True)
            yield
            link.execute("COMMIT")
        finally:
            self._depth = 0

    def _set(self, settings: Mapping[str, str], *, local: bool) -> None:
        assert self._link is not None
        set_config(self._link, settings, local=local)

    def _repeat(self, work: Callable[[], T]) -> T:
        attempt = 0
        began = time.monotonic()
        while True:
            attempt += 1
            try:
                return work()
            except psycopg.Error as error:
                lost = self._recover(error)
                if not lost and is_lock_timeout(error) and time.monotonic() < began + LOCK_SECONDS:
                    self._end_silent()
                elif lost or not is_retryable(error) or attempt >= MAX_ATTEMPTS:
                    raise translated(error, self.address.shown, lost=lost) from error
            except BaseException:
                self._recover(None)
                raise
            time.sleep(self._random.uniform(0, 0.005 * 2 ** min(attempt, MAX_ATTEMPTS)))

    def end_silent(self) -> None:
        """End connections of other Swather processes that were stopped or cut off while they held
        locks.
        """
        with self._lock:
            self._repeat(lambda: end_silent(self._ready()))

    def _end_silent(self) -> None:
        try:
            end_silent(self._ready())
        except psycopg.Error as error:
            raise translated(error, self.address.shown, lost=self._recover(error)) from error

    def _recover(self, error: psycopg.Error | None) -> bool:
        """End any open transaction; True if the connection is gone."""
        if self._link is None:
            return False
        lost = self._link.closed or (error is not None and is_lost(error))
        if not lost:
            try:
                self._link.rollback()
            except psycopg.Error:
                lost = True
        if lost:
            self._drop()
        return lost

    def _drop(self) -> None:
        if self._link is not None:
            with contextlib.suppress(psycopg.Error):
                self._link.close()
            self._link = None
