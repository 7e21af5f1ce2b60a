"""All work of a database as one job queue, under the addresses that its clients know."""

from typing import Any

from fastapi import APIRouter, WebSocket

from swather.api import jobs_answers as answers
from swather.api.jobs_live import push_status
from swather.api.jobs_orders import restart_workers, start_workers, stop_workers
from swather.api.jobs_status import performance_of, queue_stats_of, read_jobs, status_of
from swather.api.parameters import Do
from swather.api.served import TheServed, TheStore
from swather.model.action import ActionVerb
from swather.model.supervisor import SupervisorRow
from swather.runs.words import count

router = APIRouter(prefix="/jobs", tags=["jobs"])


@router.post("/workers/start", response_model=answers.Ordered)
def start(do: Do, given: answers.Number) -> dict[str, Any]:
    """Start workers. 409 if workers are running, or if no supervisor is up that could start any;
    the problem's `command` starts one.
    """
    number = given.num_workers
    fleet = do.now(
        ActionVerb.WORKERS_START,
        "fleet",
        lambda store: start_workers(store, number),
        {"num_workers": number},
    )
    return _ordered([fleet], "start")


@router.post("/workers/stop", response_model=answers.Ordered)
def stop(do: Do) -> dict[str, Any]:
    """Stop all workers of all fleets. They finish what they do, and give back the rest."""
    fleets = do.now(ActionVerb.WORKERS_STOP, "fleet", stop_workers)
    return _ordered(fleets, "stop")


@router.post("/workers/restart", response_model=answers.Ordered)
def restart(served: TheServed, do: Do, given: answers.MaybeNumber | None = None) -> dict[str, Any]:
    """Restart workers one after another; with `num_workers`, there are as many afterwards. Starts
    workers if none are running.
    """
    number = None if given is None else given.num_workers
    fleets = do.now(
        ActionVerb.WORKERS_RESTART,
        "fleet",
        lambda store: restart_workers(store, number, default=served.settings.workers),
        {"num_workers": number},
    )
    return _ordered(fleets, "restart")


@router.get("/workers/status", response_model=answers.Status)
def status(store: TheStore) -> dict[str, Any]:
    """How the workers are, and how the work goes."""
    return status_of(read_jobs(store))


@router.get("/workers/performance", response_model=answers.Performance)
def performance(store: TheStore) -> dict[str, Any]:
    """How fast the work goes, over all workers and by each."""
    return performance_of(read_jobs(store))


@router.get("/queue/stats", response_model=answers.QueueStats)
def queue_stats(store: TheStore) -> dict[str, Any]:
    """How many targets are in each state, over all runs."""
    return queue_stats_of(read_jobs(store))


@router.websocket("/status")
async def live_status(socket: WebSocket) -> None:
    await push_status(socket, socket.app.state.served)


def _ordered(fleets: list[SupervisorRow], verb: str) -> dict[str, Any]:
    names = ", ".join(fleet.name for fleet in fleets)
    wanted = sum(fleet.wanted for fleet in fleets)
    which = "the workers" if verb == "stop" else count(wanted, "worker")
    one = "s" if which == "1 worker" else ""
    return {"message": f"{which} of fleet {names} {verb}{one}", "num_workers": wanted}
