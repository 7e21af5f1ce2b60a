"""A connection that gives up when the server is silent. No twin: SQLite has no server."""

import contextlib
import time
from collections.abc import Generator, Mapping
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow, tuple_row
from psycopg.waiting import Ready, Wait

from swather.store.postgres.address import Address
from swather.store.postgres.arrays import teach
from swather.store.postgres.failures import unreachable
from swather.store.postgres.statements import queries

T = TypeVar("T")

# After this long without a reply, another link asks the server what it is doing.
QUIET_SECONDS: Final = 20.0
# A reply may be on its way while we ask, so we ask twice.
_ASK_AGAIN_SECONDS: Final = 1.0
# Behind a pooler our session is unknown; no statement takes longer than this.
_POOLED_SECONDS: Final = 900.0
_MAX_PREPARED: Final = 500
_NEVER: Final = 2**62
_TOO_MANY: Final = "53300"

# For every transaction of ours, behind a pooler, too.
SETTINGS: Final = {
    "timezone": "UTC",
    "default_transaction_isolation": "read committed",
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    # A lock wait that times out is repeated, after a check of who holds the lock.
    "lock_timeout": "5s",
    # Ours are short: a client that idles in one was stopped, and others wait for its locks.
    "idle_in_transaction_session_timeout": "10s",
}
# The server drops a client that is gone, even in the middle of a statement.
_TCP_SETTINGS: Final = {
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "20s",
}
_CHECKS_CLIENTS_SINCE: Final = 140_000
_LIMITS_TRANSACTIONS_SINCE: Final = 170_000
_LIMIT: Final = {"transaction_timeout": "300s"}


class Link(psycopg.Connection[TupleRow]):
    """Does not wait forever: when there is no reply and the server, asked over another link, is
    unreachable or waits for us, it ends our session there and raises OperationalError.
    """

    _address: Address | None = None

    def ask_at(self, address: Address) -> None:
        """Set whom to ask when there is no reply. Without it, silence means a lost server."""
        self._address = address

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **options: Any) -> T:
        return super().wait(self._until_given_up(gen), *args, **options)

    def send_all(self) -> None:
        """Send what is still unsent: psycopg's own `sync` starts to wait for replies before a large
        statement has been sent.
        """
        if self.pgconn.flush():
            self.wait(self._sending())

    def _sending(self) -> Generator[Wait, Ready, None]:
        while self.pgconn.flush():
            if (yield Wait.RW) & Ready.R:
                self.pgconn.consume_input()

    def _until_given_up(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        began = time.monotonic()
        ask_at = began + QUIET_SECONDS
        asked = 0
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    ask_at, asked = 0.0, 0
                elif not ask_at:
                    ask_at = time.monotonic() + QUIET_SECONDS
                elif time.monotonic() >= ask_at:
                    unheard = self._is_unheard(time.monotonic() - began, last=asked == 1)
                    asked = asked + 1 if unheard else 0
                    if asked == 2:
                        self.pgconn.finish()
                        raise psycopg.OperationalError("the server no longer answers")
                    ask_at = time.monotonic() + (_ASK_AGAIN_SECONDS if asked else QUIET_SECONDS)
                wanted = gen.send(ready)
        except StopIteration as end:
            answer: T = end.value
            return answer

    def _is_unheard(self, seconds: float, *, last: bool) -> bool:
        """Whether the server cannot be reached, or waits for us as we wait for it. At the `last`
        check, our session there is ended: nobody needs its locks.
        """
        if self._address is None:
            return True
        this = {"pid": self.info.backend_pid}
        try:
            with self.connect(self._address.conninfo, autocommit=True) as other:
                if self._address.pooled:
                    return seconds > _POOLED_SECONDS
                row = other.execute(queries.is_waiting, this).fetchone()
                waits = row is None or bool(row[0])
                if waits and last:
                    other.execute(queries.end_session, this)
                return waits
        except psycopg.Error as error:
            return error.sqlstate != _TOO_MANY

    @property
    def limited(self) -> Mapping[str, str]:
        """Settings that end a transaction that takes too long, if the server has them."""
        return _LIMIT if self.info.server_version >= _LIMITS_TRANSACTIONS_SINCE else {}

    @property
    def unlimited(self) -> Mapping[str, str]:
        """Settings under which a transaction may take as long as it needs."""
        return dict.fromkeys(self.limited, "0")

    def execute_at_length(self, sql: str) -> None:
        """Run a statement that may take as long as it needs, outside any transaction."""
        set_config(self, self.unlimited, local=False)
        try:
            self.execute(sql, prepare=False)
        finally:
            if not self.closed:
                set_config(self, self.limited, local=False)


def connect(address: Address) -> Link:
    """A new link, set up for the queue's statements."""
    options = [str(conninfo_to_dict(address.conninfo).get("options") or "")]
    if not address.pooled:
        chosen = {**SETTINGS, **_TCP_SETTINGS}
        escaped = {name: value.replace(" ", r"\ ") for name, value in chosen.items()}
        options += [f"-c {name}={value}" for name, value in escaped.items()]
    conninfo = make_conninfo(address.conninfo, options=" ".join(options).strip() or None)
    try:
        link = Link.connect(conninfo, autocommit=True, row_factory=tuple_row)
    except psycopg.Error as error:
        raise unreachable(error, address.shown) from error
    link.prepare_threshold = None if address.pooled else _NEVER
    link.prepared_max = _MAX_PREPARED
    teach(link)
    if not address.pooled:
        try:
            _set_what_the_server_has(link)
        except psycopg.Error as error:
            link.close()
            raise unreachable(error, address.shown) from error
    link.ask_at(address)
    return link


def _set_what_the_server_has(link: Link) -> None:
    if link.info.server_version >= _CHECKS_CLIENTS_SINCE:
        # Refused by a server whose system cannot detect a lost client.
        with contextlib.suppress(psycopg.errors.InvalidParameterValue):
            set_config(link, {"client_connection_check_interval": "5s"}, local=False)
    set_config(link, link.limited, local=False)


def set_config(link: Link, settings: Mapping[str, str], *, local: bool) -> None:
    if not settings:
        return
    calls = ", ".join(f"set_config('{name}', %({name})s, {local})" for name in settings)
    link.execute(f"SELECT {calls}", settings)
