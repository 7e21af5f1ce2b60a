"""The scene of a database that goes away while a run goes on."""

import time

from tests import postgres
from tests.tour.scenes import SLOW
from tests.tour.stage import Missed, Stage


def a_dead_database(stage: Stage) -> None:
    """PostgreSQL stops; a SQLite file is moved away."""
    stage.write("slow.py", SLOW)
    if stage.url.startswith("sqlite:"):
        _moved(stage)
    else:
        _stopped(stage)


def _moved(stage: Stage) -> None:
    (stage.folder / "numbers.txt").write_text("\n".join(map(str, range(3_000))))
    with stage.terminal("run", "slow.py", "--targets", "numbers.txt") as terminal:
        terminal.until(r"\d\d\d of 3,000")
        (stage.folder / "queue.db").rename(stage.folder / "elsewhere.db")
        stage.watched(terminal, time.monotonic(), "was deleted, moved or replaced")
        if (code := terminal.end()) != 3:
            raise Missed(f"the exit code was {code}")
    stage.show("status", "slow")


def _stopped(stage: Stage) -> None:
    """With a server of its own, since nobody else wants it stopped."""
    server = postgres.start()
    url = server.url("tour")
    server.create_database("tour")
    stage = Stage(stage.folder, url, stage.say)
    stage.swather("db", "init")
    (stage.folder / "numbers.txt").write_text("\n".join(map(str, range(3_000))))
    with stage.terminal("run", "slow.py", "--targets", "numbers.txt") as terminal:
        terminal.until(r"\d\d\d of 3,000")
        server.stop()
        stage.watched(terminal, time.monotonic(), "The database has not answered for")
        began = time.monotonic()
        said = stage.swather("status", "slow")
        stage.say(f"$ swather status slow\n{said.text}\n(exit code {said.code})")
        if said.code != 3 or time.monotonic() - began > 5:
            raise Missed("status does not say at once that the database is away")
