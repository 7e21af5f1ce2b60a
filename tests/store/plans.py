"""The plans of all statements that a store runs, recorded while it runs them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import psycopg
import pytest

from swather.store import Store

_ALIAS = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)\s+AS\s+(\w+)")
# An index that holds only what is asked for may be read to its end.
_PARTIAL = {"lanes_limited", "proxy_sites_blacklisted"}
_SCAN = re.compile(rf"SCAN (\w+)(?!.* USING INDEX (?:{'|'.join(_PARTIAL)}))")
_EXPLAINED = re.compile(r"\s*(?:--.*\n\s*)*(SELECT|WITH|INSERT|UPDATE|DELETE)\b")


class Recorded:
    """The statements that were run, and those of them that walk over a whole table, with the line
    of their plan that says so. On PostgreSQL also the whole plan of each.
    """

    def __init__(self) -> None:
        self.statements: dict[str, Any] = {}
        self.walks: set[str] = set()
        self.plans: dict[str, str] = {}


@contextmanager
def recorded(store: Store, tables: set[str], patch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    """Note what is run inside the block, and which of the tables it walks from end to end."""
    connection = store.connection
    if hasattr(connection, "db"):
        yield from _record_sqlite(connection.db, tables)
    else:
        yield from _record_postgres(tables, patch)


def _record_sqlite(db: apsw.Connection, tables: set[str]) -> Iterator[Recorded]:
    found = Recorded()

    def note(_cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
        if _EXPLAINED.match(sql):
            found.statements[sql] = bindings
        return True

    db.exec_trace = note
    try:
        yield found
    finally:
        db.exec_trace = None
    for sql, bindings in found.statements.items():
        names = {alias: table for table, alias in _ALIAS.findall(sql)}
        details = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", bindings)]
        bounded = "LIMIT" in sql and not any("TEMP B-TREE" in detail for detail in details)
        for detail in details:
            scan = _SCAN.match(detail)
            if scan and names.get(scan[1], scan[1]) in tables and not bounded:
                found.walks.add(f"{detail}\n{sql}")


def _record_postgres(tables: set[str], patch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    found = Recorded()
    execute = psycopg.Cursor.execute

    def explain_and_execute(
        cursor: psycopg.Cursor, query: Any, params: Any = None, **options: Any
    ) -> psycopg.Cursor:
        new = isinstance(query, str) and query not in found.statements
        if new and _EXPLAINED.match(query):
            found.statements[query] = params
            explaining = cursor.connection.cursor()
            execute(explaining, f"EXPLAIN (FORMAT JSON) {query}", params)
            plans = explaining.fetchone()[0]
            found.plans[query] = str(plans)
            for plan in plans:
                for walk in _full_scans(plan["Plan"], tables, bounded=False):
                    found.walks.add(f"{walk}\n{query}")
        return execute(cursor, query, params, **options)

    with patch.context() as patched:
        patched.setattr(psycopg.Cursor, "execute", explain_and_execute)
        yield found


def _full_scans(plan: dict[str, Any], tables: set[str], *, bounded: bool) -> Iterator[str]:
    """Scans of a table without a condition on an index, unless a LIMIT ends them early."""
    kind = plan["Node Type"]
    table = plan.get("Relation Name")
    conditions = ("Index Cond", "TID Cond", "Recheck Cond")
    conditional = any(name in plan for name in conditions)
    conditional |= plan.get("Index Name") in _PARTIAL
    if "Scan" in kind and table in tables and not conditional and not bounded:
        yield f"{kind} on {table}"
    if kind == "Limit":
        bounded = True
    elif kind in ("Sort", "Aggregate", "Hash", "Materialize", "CTE Scan"):
        bounded = False
    for child in plan.get("Plans", ()):
        yield from _full_scans(child, tables, bounded=bounded)
