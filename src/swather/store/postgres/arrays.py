"""Lists and rows as arrays in the server's binary form. No twin: SQLite takes rows one by one.

psycopg chooses the type of a list of numbers by its largest, so that a statement would be prepared
again as ids grow; and it is slow for each element. These lists have one type each.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from struct import pack
from typing import Any, ClassVar, Final

from psycopg import Connection
from psycopg.adapt import Dumper
from psycopg.pq import Format

_NULL: Final = pack(">i", -1)


class Bigints(list[int | None]):
    """Sent as bigint[]."""


class Integers(list[int]):
    """Sent as integer[]."""


class Smallints(list[int]):
    """Sent as smallint[]."""


class Floats(list[float | None]):
    """Sent as float8[]."""


class Booleans(list[bool]):
    """Sent as boolean[]."""


class Texts(list[str | None]):
    """Sent as text[]."""


class Blobs(list[bytes]):
    """Sent as bytea[]."""


class _FixedDumper(Dumper):
    """Elements of one width."""

    format = Format.BINARY
    element: ClassVar[int]
    width: ClassVar[int]
    code: ClassVar[str]

    def dump(self, obj: list[Any]) -> bytes:
        header = _header(self.element, len(obj))
        if None in obj:
            one = ">i" + self.code
            return header + b"".join(
                _NULL if value is None else pack(one, self.width, value) for value in obj
            )
        return header + pack(
            ">" + ("i" + self.code) * len(obj), *chain.from_iterable(zip(repeat(self.width), obj))
        )


class _BigintsDumper(_FixedDumper):
    oid, element, width, code = 1016, 20, 8, "q"


class _IntegersDumper(_FixedDumper):
    oid, element, width, code = 1007, 23, 4, "i"


class _SmallintsDumper(_FixedDumper):
    oid, element, width, code = 1005, 21, 2, "h"


class _FloatsDumper(_FixedDumper):
    oid, element, width, code = 1022, 701, 8, "d"


class _BooleansDumper(_FixedDumper):
    oid, element, width, code = 1000, 16, 1, "?"


class _TextsDumper(Dumper):
    format = Format.BINARY
    oid = 1009

    def dump(self, obj: Texts) -> bytes:
        known: dict[str | None, bytes] = {None: _NULL}
        parts = [_header(25, len(obj))]
        for text in obj:
            part = known.get(text)
            if part is None:
                assert text is not None
                encoded = text.encode()
                part = known[text] = pack(">i", len(encoded)) + encoded
            parts.append(part)
        return b"".join(parts)


class _BlobsDumper(Dumper):
    format = Format.BINARY
    oid = 1001

    def dump(self, obj: Blobs) -> bytes:
        return _header(17, len(obj)) + b"".join(pack(">i", len(blob)) + blob for blob in obj)


def _header(element: int, count: int) -> bytes:
    if not count:
        return pack(">iii", 0, 0, element)
    return pack(">iiiii", 1, 1, element, count, 1)


_DUMPERS: Final[dict[type, type[Dumper]]] = {
    Bigints: _BigintsDumper,
    Integers: _IntegersDumper,
    Smallints: _SmallintsDumper,
    Floats: _FloatsDumper,
    Booleans: _BooleansDumper,
    Texts: _TextsDumper,
    Blobs: _BlobsDumper,
}


def teach(link: Connection[Any]) -> None:
    """Teach a connection to send these lists."""
    for kind, dumper in _DUMPERS.items():
        link.adapters.register_dumper(kind, dumper)


_COLUMNS: Final[dict[str, Callable[[Iterable[Any]], list[Any]]]] = {
    "task_id": Bigints,
    "run_id": Bigints,
    "token": Bigints,
    "worker_id": Bigints,
    "head_id": Bigints,
    "sample_task_id": Bigints,
    "size_bytes": Bigints,
    "times": Bigints,
    "part": Integers,
    "seq": Integers,
    "proxy_id": Bigints,
    "successes": Bigints,
    "faults_proxy": Bigints,
    "faults_banned": Bigints,
    "faults_timeout": Bigints,
    "faults_network": Bigints,
    "failures": Integers,
    "blacklistings": Integers,
    "attempts": Integers,
    "blocked": Integers,
    "proxy": Integers,
    "crashes": Integers,
    "crashes_alone": Integers,
    "postponed": Integers,
    "priority": Smallints,
    "due_in_seconds": Floats,
    "amount": Floats,
    "weight": Floats,
    "latency_seconds": Floats,
    "last_used_at": Floats,
    "retry_at": Floats,
    "probing_until": Floats,
}


def columns_of(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Named tuples, at least one, as values for a query that unnests an array per field. What is
    not a number is text.
    """
    columns = zip(rows[0]._fields, zip(*rows, strict=True), strict=True)
    return {name: _COLUMNS.get(name, Texts)(column) for name, column in columns}
