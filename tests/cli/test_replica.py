"""A replica answers questions and takes no orders. Here it is a session that may not write."""

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import NUMBERS, write
from tests.conftest import ReusedPostgres

READING = (
    "status", "status numbers", "why numbers", "runs ls", "tasks numbers", "errors numbers",
    "logs numbers", "lanes", "proxies", "schedules", "notices", "sources", "partitions numbers",
    "fleet status", "fleet wanted", "settings ls", "db stats", "db check", "export numbers -o -",
)  # fmt: skip
WRITING = (
    "pause numbers", "unpause numbers", "cancel numbers", "runs close numbers",
    "lanes set example.com --rate 2/s", "settings set max_workers 3", "enqueue numbers.py 8",
    "start numbers.py 8", "run numbers.py 8", "schedules add numbers @daily 8",
    "fleet up numbers.py --yes",
)  # fmt: skip


@pytest.fixture
def replica(swather: Swather, reused: ReusedPostgres) -> str:
    write(NUMBERS, "numbers.py")
    done(swather, "enqueue", "numbers.py", "1", "2", "--db", reused.url)
    mark = "&" if "?" in reused.url else "?"
    return f"{reused.url}{mark}options=-c%20default_transaction_read_only%3Don"


@pytest.mark.slow
def test_a_replica_answers_every_question(swather: Swather, replica: str):
    for command in READING:
        done(swather, *command.split(), "--db", replica)


@pytest.mark.slow
def test_a_replica_refuses_every_order_in_one_line(swather: Swather, replica: str):
    for command in WRITING:
        refused = swather(*command.split(), "--db", replica)
        *_, last = refused.err.splitlines()
        assert (refused.code, command if "accepts no writes" not in last else "") == (3, "")
        assert last.endswith("use the primary server's address")
        assert "Traceback" not in refused.err
