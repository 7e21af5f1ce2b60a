"""What commands write with --json: as documented, one name for one thing, times with their zone."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from swather import posix
from swather.cli.commands import Commands
from swather.cli.group import _Loaded
from swather.model.supervisor import NewSupervisor
from swather.model.worker import NewWorker
from swather.store import factory
from tests.cli.conftest import Swather
from tests.cli.scrapers import NUMBERS, write

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
ROW = re.compile(
    r"^\| `(?P<command>[a-zA-Z ]+)` \| (?P<shape>[^|]*) \| (?P<names>[^|]*) \|", re.MULTILINE
)
# What other names mean, and the one that is used instead.
OTHERS = {
    "run_id": "run", "run_name": "run", "task_id": "task", "sample_task_id": "task",
    "fingerprint": "group", "id": "task, event or worker_id", "created": "created_at",
    "number": "worker_id", "time": "created_at",
}  # fmt: skip
TIMES = ("_at", "_until", "until")
# In an order in which each finds what it needs.
CALLS = {
    "db init": (),
    "run": ("scrapers.py", "1", "7", "-o", "out.jsonl", "--store-pages"),
    "errors": (),
    "logs": (),
    "tasks": ("numbers", "--limit", "2"),
    "start": ("scrapers.py", "4"),
    "enqueue": ("scrapers.py", "2", "3", "--partition", "north"),
    "status": (),
    "status RUN": ("numbers",),
    "why": (),
    "runs ls": (),
    "schedules add": ("numbers", "@daily", "1", "--name", "nightly"),
    "schedules ls": (),
    "schedules show": ("nightly",),
    "schedules disable": ("nightly",),
    "schedules enable": ("nightly",),
    "schedules fire": ("nightly",),
    "schedules rm": ("nightly", "--yes"),
    "notices ls": (),
    "notices retry": (),
    "fleet check": ("scrapers.py",),
    "fleet status": (),
    "fleet logs": (),
    "fleet scale": ("3",),
    "fleet restart": (),
    "fleet wanted": (),
    "workers ls": (),
    "workers pause": ("barn-0",),
    "workers unpause": ("barn-0",),
    "workers drain": ("barn-0",),
    "workers stop": ("barn-0",),
    "partitions ls": ("numbers",),
    "partitions plan": ("numbers",),
    "partitions check": ("plan.toml",),
    "sources ls": (),
    "sources reset": ("api",),
    "proxies import": ("proxies.txt",),
    "proxies ls": (),
    "proxies show": ("1",),
    "proxies test": ("--timeout", "5s"),
    "proxies disable": ("1",),
    "proxies enable": ("1",),
    "proxies rm": ("1", "--yes"),
    "lanes set": ("example.com", "--rate", "2/s"),
    "lanes ls": (),
    "lanes show": ("example.com",),
    "lanes pause": ("example.com",),
    "lanes unpause": ("example.com",),
    "lanes cool": ("example.com", "--for", "1s"),
    "lanes clear": ("example.com",),
    "pause": ("numbers", "--lane", "example.com"),
    "unpause": ("numbers", "--lane", "example.com"),
    "retry": ("numbers", "--dry-run"),
    "cancel": ("numbers", "--task", "4"),
    "worker": ("scrapers.py",),
    "export": ("numbers", "-o", "x.csv"),
    "changes": ("numbers",),
    "replay": ("numbers", "scrapers.py", "--dry-run"),
    "settings ls": (),
    "settings get": ("concurrency",),
    "settings set": ("concurrency", "5"),
    "settings unset": ("concurrency",),
    "scrapers": ("scrapers.py",),
    "try": ("scrapers.py", "1"),
    "init": ("project",),
    "doctor": (),
    "db stats": (),
    "db check": (),
    "db migrate": (),
    "db pragmas": (),
    "db wal": (),
    "db vacuum": (),
    "db backup": ("copy",),
    "runs close": ("numbers",),
    "runs rm": ("numbers", "--dry-run"),
    "runs prune": ("--older-than", "1d", "--yes"),
}
NOTING = NUMBERS.replace(
    "number = int(target)",
    "number = int(target); ctx.note_source('api', ok=number != 7, seconds=0.1, error='seven')",
)
WITHOUT_DATABASE = {"scrapers", "try", "init"}
# Minutes long, without an end, only for an empty database, or only beside a worker; of fleets, see
# test_fleet.py.
NOT_CALLED = {"demo", "db restore", "schedules run", "health", "fleet up", "fleet down", "serve"}


class Documented(NamedTuple):
    """A row of the page. `or_more`: there are other names besides, on one of the databases say."""

    shape: str
    names: set[str]
    or_more: bool


def documented() -> dict[str, Documented]:
    return {
        row["command"]: Documented(
            row["shape"], set(re.findall(r"`(\w+)`", row["names"])), "…" in row["names"]
        )
        for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))
    }


def names_in(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name, member
            if name not in {"items", "target", "targets", "before", "after"}:  # a scraper's own
                yield from names_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from names_in(member)


def answers(said: str, shape: str) -> list[Any]:
    if shape == "objects, one per line":
        return [json.loads(line) for line in said.splitlines()]
    data = json.loads(said)
    assert isinstance(data, list) == (shape == "list of objects"), shape
    return data if isinstance(data, list) else [data]


def test_every_command_is_on_the_page():
    known = set()
    for name, command in _Loaded(Commands.table).items():
        within = getattr(command, "commands", None)
        known |= {f"{name} {one}" for one in within} if within else {name}
    assert set(documented()) == known | {"status RUN"}
    assert set(CALLS) | NOT_CALLED == known | {"status RUN"}


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite", "postgres"], indirect=True)
def test_every_command_answers_as_the_page_says(swather: Swather, started: Swather, database: str):
    write(NOTING)
    Path("proxies.txt").write_text("127.0.0.1:1\n")
    Path("plan.toml").write_text('0 = ["north"]')
    pages = documented()
    for command, arguments in CALLS.items():
        if command == "fleet status":
            come_up(database)
        if command == "workers ls":
            sign_on(database)
        if command == "partitions ls":
            sign_off(database)
        where = () if command in WITHOUT_DATABASE else ("--db", database)
        # A worker watches its whole process, which here would be that of the tests.
        call = started if command == "worker" else swather
        said = call(*command.removesuffix(" RUN").split(), *arguments, *where, "--json")
        if command == "db wal" and database.startswith("postgresql") and said.code == 2:
            continue
        if command == "replay":
            # Nothing was fetched, so there is nothing to replay.
            assert said.code in {0, 2}, said.err
            continue
        assert said.code in {0, 1}, (command, said.err)
        page = pages[command]
        assert said.out, (command, said.err)
        found = answers(said.out, page.shape)
        assert found, command
        for answer in found:
            assert page.names <= set(answer), (command, page.names - set(answer))
            assert page.or_more or page.names == set(answer), (command, set(answer) - page.names)
            for name, value in names_in(answer):
                assert name not in OTHERS or (command, name) == ("start", "run_id"), (command, name)
                if name.endswith(TIMES) and value is not None:
                    assert datetime.fromisoformat(value).tzinfo is not None, (command, name)


def come_up(database: str) -> None:
    """This process takes the part of a supervisor."""
    Path("supervisor.log").write_text("2026-01-01 10:00:00,000 INFO up\n")
    new = NewSupervisor(process=posix.this_process(), name="barn", log_folder=str(Path.cwd()))
    worker = {"number": 0, "state": "running", "where": "process 1", "crashes": 0, "why": ""}
    with closing(factory.open(database)) as store:
        store.supervisors.beat(store.supervisors.register(new), {"workers": [worker]})


def sign_on(database: str) -> None:
    """This process takes the part of a worker."""
    with closing(factory.open(database)) as store:
        store.workers.register(NewWorker(process=posix.this_process(), name="barn-0"))


def sign_off(database: str) -> None:
    with closing(factory.open(database)) as store:
        for worker in store.workers.find():
            store.workers.retire(worker.id)


def test_errors_are_json_on_stderr(swather: Swather):
    said = swather("why", "nope", "--json")
    assert (said.code, said.out, set(said.error)) == (3, "", {"type", "message"})
