import math

import pytest

from swather.errors import InputError
from swather.model.worker import NewWorker, Process, WorkerKind

PROCESS = Process(host="h", boot_id="b", namespace="n", pid=1, started="1")


@pytest.mark.parametrize("lease_seconds", [0, -1.0, math.nan])
def test_a_lease_lasts_some_time(lease_seconds: float) -> None:
    with pytest.raises(InputError, match=f"must be positive, got {lease_seconds}"):
        NewWorker(process=PROCESS, lease_seconds=lease_seconds)


def test_a_producer_names_its_run_and_a_worker_none() -> None:
    assert NewWorker(process=PROCESS).run is None
    assert NewWorker(process=PROCESS, kind=WorkerKind.PRODUCER, run="r").run == "r"


@pytest.mark.parametrize(("kind", "run"), [(WorkerKind.WORKER, "r"), (WorkerKind.PRODUCER, None)])
def test_any_other_pairing_of_kind_and_run_is_refused(kind: WorkerKind, run: str | None) -> None:
    with pytest.raises(InputError, match="a producer names the run it loads; a worker names none"):
        NewWorker(process=PROCESS, kind=kind, run=run)
