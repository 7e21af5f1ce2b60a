"""What the two stores share about supervisors: checks, and who counts as lost."""

from swather import posix
from swather.errors import InputError, NotFound
from swather.model.supervisor import NewSupervisor, SupervisorRow, SupervisorState
from swather.model.task import check_name
from swather.model.worker import Process
from swather.store.checks import check_seconds


def check_new_supervisor(new: NewSupervisor) -> None:
    check_seconds("lease_seconds", new.lease_seconds)
    for field in ("name", "placement"):
        check_name(f"the {field} of a supervisor", getattr(new, field))
    for field in ("host", "boot_id", "namespace", "started"):
        check_name(field, getattr(new.process, field))


def state_of(state: str, process: Process, *, is_silent: bool) -> SupervisorState:
    """Of a row; nobody sweeps supervisors, so whoever looks has to decide."""
    if state == SupervisorState.LIVE and (is_silent or posix.is_dead(process)):
        return SupervisorState.LOST
    return SupervisorState(state)


def name_is_taken(by: SupervisorRow) -> InputError:
    process, since = by.process, by.registered_at.astimezone()
    return InputError(
        f"a fleet named {by.name!r} is already up: its supervisor is process {process.pid} on "
        f"{process.host}, since {since:%F %T}. `swather fleet status` shows "
        f"it, `swather fleet down --name {by.name}` stops it, `--name` gives this one another name"
    )


def unknown_supervisor(supervisor_id: int) -> NotFound:
    return NotFound(
        f"supervisor {supervisor_id!r} is not running; `swather fleet status` lists those that are"
    )
