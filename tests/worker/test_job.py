"""What a task of a run may reach in the private network."""

from datetime import UTC, datetime

import pytest

from swather.model.lease import Lease
from swather.model.pacing import NO_LIMITS
from swather.model.retry import Faults
from swather.model.run import RESERVED_PARAM, Run, RunState
from swather.model.strategy import Strategy
from swather.scraping.scraper import scraper
from swather.worker.job import Job


@scraper
async def books(ctx, url):
    return None


def a_job(*hosts):
    run = Run(
        id=1,
        name="r",
        scraper="books",
        params={RESERVED_PARAM: {"hosts": list(hosts)}},
        version="",
        strategy=Strategy.FIFO,
        lane_limits=NO_LIMITS,
        state=RunState.OPEN,
        paused=False,
        cool_until=None,
        load_incomplete=False,
        times_finished=0,
        created_at=datetime.now(UTC),
        finished_at=None,
    )
    return Job(run, books)


def a_lease(target, parent_id=None):
    return Lease(
        task_id=2,
        token=1,
        run_id=1,
        target=target,
        priority=0,
        lane="",
        partition="",
        parent_id=parent_id,
        faults=Faults(),
    )


ROOT = a_lease("http://127.0.0.1:8000/")
CHILD = a_lease("http://127.0.0.1:8000/next", parent_id=1)


def test_a_typed_host_may_be_reached_by_every_task_of_the_run():
    job = a_job("127.0.0.1:8000")
    assert job.may_reach_private(a_lease(7), "127.0.0.1", 8000)
    assert job.may_reach_private(CHILD, "127.0.0.1", 8000)


def test_another_port_of_a_typed_host_may_not():
    job = a_job("127.0.0.1:8000")
    assert not job.may_reach_private(ROOT, "127.0.0.1", 22)
    assert not job.may_reach_private(ROOT, "127.0.0.1", 80)


@pytest.mark.parametrize("port", [80, 443])
def test_the_usual_ports_of_a_typed_host_are_one(port):
    assert a_job(f"nas.local:{port}").may_reach_private(CHILD, "nas.local", 80)
    assert a_job(f"nas.local:{port}").may_reach_private(CHILD, "nas.local", 443)


def test_a_target_that_was_typed_may_always_be_reached_and_its_links_too():
    job = a_job()
    assert not job.may_reach_private(CHILD, "127.0.0.1", 8000)
    assert job.may_reach_private(ROOT, "127.0.0.1", 8000)
    assert job.may_reach_private(CHILD, "127.0.0.1", 8000)


def test_a_target_that_was_found_may_not_be_reached_because_of_its_own_host():
    assert not a_job("a.example:80").may_reach_private(CHILD, "127.0.0.1", 8000)


def test_a_typed_target_leads_nowhere_else():
    assert not a_job().may_reach_private(ROOT, "169.254.169.254", 80)


def test_a_run_without_any_note_of_hosts_has_typed_none():
    assert a_job().typed_hosts == set()
