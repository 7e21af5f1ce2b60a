"""Supervisors: registered, beating, told how many workers are wanted."""

from typing import Any

from swather.model.payload import decode, encode
from swather.model.supervisor import (
    NewSupervisor,
    Orders,
    SupervisorRow,
    SupervisorState,
    check_bounds,
    check_wanted,
)
from swather.model.worker import Process
from swather.store.checks import check_limit, may_exist
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries
from swather.store.supervisor_rows import (
    check_new_supervisor,
    name_is_taken,
    state_of,
    unknown_supervisor,
)


class PostgresSupervisors:
    """See swather.store.ports.Supervisors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def register(self, new: NewSupervisor) -> int:
        check_new_supervisor(new)
        process = new.process
        values = {
            "name": new.name,
            "placement": new.placement,
            "host": process.host,
            "boot_id": process.boot_id,
            "namespace": process.namespace,
            "pid": process.pid,
            "started": process.started,
            "lease_seconds": new.lease_seconds,
            "wanted": new.wanted,
            "minimum": new.minimum,
            "maximum": new.maximum,
            "command": new.command,
            "log_folder": new.log_folder,
        }

        def work() -> int | SupervisorRow:
            for row in self._connection.rows(queries.supervisors_named, {"name": new.name}):
                known = _row_of(row)
                if known.state is SupervisorState.LIVE:
                    return known
                self._connection.execute(
                    queries.give_up_supervisor,
                    {"supervisor_id": known.id, "beat_at": known.beat_at},
                )
            number: int | None = self._connection.value(queries.register_supervisor, values)
            # One of this name was registered just now; it may even have ended again.
            return work() if number is None else number

        registered = self._connection.transact(work)
        if isinstance(registered, SupervisorRow):
            raise name_is_taken(registered)
        return registered

    def beat(self, supervisor_id: int, said: dict[str, Any] | None = None) -> Orders:
        this = {
            "supervisor_id": supervisor_id,
            "said": None if said is None else encode(said, what="what a supervisor says"),
        }
        row = self._connection.row(queries.beat_supervisor, this)
        if row is None:
            return Orders(alive=False)
        return Orders(
            alive=True,
            wanted=row[0],
            minimum=row[1],
            maximum=row[2],
            restarts=row[3],
            stops=row[4],
            control_version=row[5],
        )

    def retire(self, supervisor_id: int, said: dict[str, Any] | None = None) -> None:
        this = {
            "supervisor_id": supervisor_id,
            "said": None if said is None else encode(said, what="what a supervisor says"),
        }
        self._connection.execute(queries.retire_supervisor, this)

    def find(self, *, live: bool = True, limit: int = 100) -> list[SupervisorRow]:
        rows = self._connection.rows(queries.list_supervisors, {"limit": check_limit(limit)})
        found = [_row_of(row) for row in rows]
        return [each for each in found if each.state is SupervisorState.LIVE or not live]

    def get(self, supervisor_id: int) -> SupervisorRow:
        if not may_exist(supervisor_id):
            raise unknown_supervisor(supervisor_id)
        row = self._connection.row(queries.get_supervisor, {"supervisor_id": supervisor_id})
        if row is None:
            raise unknown_supervisor(supervisor_id)
        return _row_of(row)

    def set_wanted(self, supervisor_id: int, wanted: int) -> None:
        self._change(queries.set_wanted, supervisor_id, wanted=check_wanted(wanted))

    def set_bounds(self, supervisor_id: int, minimum: int, maximum: int) -> None:
        check_bounds(minimum, maximum)
        self._change(queries.set_bounds, supervisor_id, minimum=minimum, maximum=maximum)

    def ask_restart(self, supervisor_id: int) -> None:
        self._change(queries.ask_restart, supervisor_id)

    def ask_stop(self, supervisor_id: int, *, now: bool = False) -> None:
        self._change(queries.ask_stop, supervisor_id, stops=2 if now else 1)

    def _change(self, sql: str, supervisor_id: int, **values: int) -> None:
        if not may_exist(supervisor_id):
            raise unknown_supervisor(supervisor_id)
        if self._connection.row(sql, {"supervisor_id": supervisor_id, **values}) is None:
            raise unknown_supervisor(supervisor_id)


def _row_of(row: tuple[Any, ...]) -> SupervisorRow:
    process = Process(host=row[4], boot_id=row[5], namespace=row[6], pid=row[7], started=row[8])
    return SupervisorRow(
        id=row[0],
        name=row[1],
        placement=row[2],
        state=state_of(row[3], process, is_silent=row[20]),
        process=process,
        lease_seconds=row[9],
        wanted=row[10],
        minimum=row[11],
        maximum=row[12],
        restarts=row[13],
        stops=row[14],
        command=row[15],
        log_folder=row[16],
        said=decode(row[17]),
        registered_at=row[18],
        beat_at=row[19],
        silent_seconds=max(row[21], 0.0),
    )
