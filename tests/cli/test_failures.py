import os
import shlex
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import psycopg
import pytest
from typer.main import get_group

from swather.cli.db import group
from swather.masking import masked_database
from tests.cli.conftest import PROGRAM, Swather
from tests.cli.scrapers import write
from tests.postgres import PostgresServer

CANARY = "hunter2canary"
# A restore wants a backup first, and has tests of its own.
VERBS = [
    (name, "copy") if name == "backup" else (name,)
    for name in get_group(group).commands
    if name != "restore"
]
# Root heeds file permissions only without this right.
HELD_BACK = ("setpriv", "--bounding-set=-dac_override") if os.geteuid() == 0 else ()
READERS = [verb for verb in VERBS if verb != ("init",)]


@pytest.mark.parametrize("verb", READERS, ids=" ".join)
def test_a_missing_file_is_not_made_but_named(swather: Swather, tmp_path: Path, verb):
    said = swather("db", *verb)
    assert (said.code, said.out) == (3, "")
    assert said.err == (
        f"error: there is no database {tmp_path}/swather.db; name yours with --db FILE or "
        "SWATHER_DB, change to the folder of your run, or create this one: swather db init\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_command_that_creates_it_names_the_same_file(swather: Swather, tmp_path: Path):
    url = f"sqlite:///{tmp_path}/my queue.db"
    said = swather("db", "stats", "--db", url)
    assert said.err.endswith(f"create this one: swather db init --db '{tmp_path}/my queue.db'\n")


@pytest.mark.slow
def test_the_command_that_makes_tables_can_be_typed_as_it_is_shown(
    swather: Swather, postgres_server: PostgresServer
):
    """Also as JSON: a sentence that begins with an address is not one address."""
    with postgres_server.fresh_database() as url:
        for form in ((), ("--json",)):
            said = swather("workers", *form, "--db", url)
            text = said.error["message"] if form else said.err
            command = shlex.split(text.partition("create them with: ")[2])
            assert command == ["swather", "db", "init", "--db", url]


def test_other_databases_of_the_folder_are_named(swather: Swather, tmp_path: Path):
    (tmp_path / "queue.db").touch()
    assert "(that folder has queue.db)" in swather("status").err


def test_a_path_is_a_database(swather: Swather, tmp_path: Path):
    assert swather("db", "init", "--db", "queue.db").code == 0
    assert (tmp_path / "queue.db").exists()
    assert swather("runs", "--db", f"sqlite:///{tmp_path}/queue.db", "--json").data == []


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize(
    "url", ["foo", "me@host/queue", "mysql://me@host/db", "sqlite:///", "sqlite://x"]
)
def test_a_bad_url_is_a_usage_error(swather: Swather, verb, url):
    said = swather("db", *verb, "--db", url)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"error: '{url}' ")
    assert "sqlite:///path/to/file.db" in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_an_unreachable_server_is_a_database_error(swather: Swather, verb):
    said = swather("db", *verb, "--db", f"postgresql://me:{CANARY}@127.0.0.1:1/queue")
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("error: ")
    assert "127.0.0.1" in said.err
    assert said.err.count("\n") == 1
    assert CANARY not in said.err


def test_errors_are_json_when_data_is(swather: Swather):
    said = swather("db", "stats", "--json", "--db", "postgresql://me@127.0.0.1:1/queue")
    assert (said.code, said.out) == (3, "")
    assert said.error["type"] == "DatabaseUnreachable"
    assert swather("db", "stats", "--json", "--db", "foo").error["type"] == "BadURL"
    assert "there is no database" in swather("db", "stats", "--json").error["message"]


def test_a_database_that_the_server_lacks_is_named(
    swather: Swather, postgres_server: PostgresServer
):
    said = swather("db", "init", "--db", postgres_server.url("no_such_queue"))
    assert said.code == 3
    assert "no_such_queue" in said.err


def test_a_wrong_password_is_never_shown(swather: Swather, postgres_server: PostgresServer):
    role = "swather_no_such_user"
    url = urlsplit(postgres_server.url())
    host = url.netloc.rpartition("@")[2]
    said = swather("db", "stats", "--db", url._replace(netloc=f"{role}:{CANARY}@{host}").geturl())
    assert said.code == 3
    assert role in said.err
    assert CANARY not in said.err


@pytest.mark.parametrize(
    "url",
    [
        f"mysql://me:{CANARY}@host/db",
        f"postgres:me:{CANARY}@host/db",
        f"postgresql://me:{CANARY}@host:port/db",
        f"postgresql://me:{CANARY}@127.0.0.1:1/db",
        f"postgresql://me:with/{CANARY}@127.0.0.1:1/db",
        f"postgresql://me:with@{CANARY}@127.0.0.1:1/db",
        f"postgresql://127.0.0.1:1/db?user=me&password={CANARY}",
        f"postgresql://me:{CANARY}@[::1/db",
        f"postgresql://me:{CANARY}@127.0.0.1:1/db?nonsense=1",
        f"postgresql://me:100%{CANARY}@127.0.0.1:1/db",
        f"postgresql://me:%zz{CANARY}@127.0.0.1:1/db",
        f"postgresql://me@127.0.0.1:1/db?sslpassword={CANARY}",
        f"postgresql://me@127.0.0.1:1/db?p%61ssword={CANARY}",
        f"postgresql://127.0.0.1:1/db?password=a&{CANARY}",
        f"host=127.0.0.1 password = '{CANARY}'",
    ],
)
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_no_message_shows_a_password(swather: Swather, url, as_json):
    assert CANARY not in masked_database(url)
    said = swather("db", "stats", "--db", url, *as_json)
    assert said.code in (2, 3)
    assert CANARY not in said.out + said.err


@pytest.mark.slow
def test_answers_show_no_password(swather: Swather, postgres_server: PostgresServer):
    with postgres_server.fresh_database() as fresh:
        url = urlsplit(fresh)
        user, _, host = url.netloc.rpartition("@")
        secret = url._replace(netloc=f"{user.partition(':')[0]}:{CANARY}@{host}").geturl()
        for verb in (("init",), *VERBS):
            for as_json in ((), ("--json",)):
                Path("copy").unlink(missing_ok=True)
                said = swather("db", *verb, "--db", secret, *as_json)
                assert said.code == 0, said.err
                assert CANARY not in said.out + said.err


def test_tables_of_a_later_release_are_refused(swather: Swather, tmp_path: Path):
    swather("db", "init")
    database = apsw.Connection(str(tmp_path / "swather.db"))
    database.execute("PRAGMA user_version = 99")
    database.close()
    for verb in VERBS:
        said = swather("db", *verb)
        assert (said.code, said.out) == (3, "")
        assert "schema 99" in said.err
        assert "Upgrade Swather" in said.err


def test_a_server_without_tables_says_how_to_make_them(
    swather: Swather, postgres_server: PostgresServer
):
    with postgres_server.fresh_database() as url:
        said = swather("db", "stats", "--db", url)
        assert (said.code, said.out) == (3, "")
        assert "swather db init" in said.err
        with psycopg.connect(url) as connection:
            found = connection.execute("select to_regnamespace('swather')").fetchone()
        assert found == (None,)


def test_a_file_that_is_no_database_is_left_alone(swather: Swather, tmp_path: Path):
    (tmp_path / "swather.db").write_text("These are my notes. " * 100)
    said = swather("db", "stats")
    assert (said.code, said.out) == (3, "")
    assert "swather.db is not a sound SQLite database" in said.err
    assert (tmp_path / "swather.db").read_text().startswith("These are my notes.")


def test_a_folder_is_no_database(swather: Swather, tmp_path: Path):
    (tmp_path / "swather.db").mkdir()
    said = swather("db", "init")
    assert said.code == 3
    assert "swather.db is a folder" in said.err


def test_a_file_in_a_missing_folder_is_not_made(swather: Swather):
    said = swather("db", "init", "--db", "sqlite:///nowhere/queue.db")
    assert said.code == 3
    assert "nowhere does not exist" in said.err


@pytest.mark.slow
def test_a_read_only_file_is_a_database_error(swather: Swather, tmp_path: Path):
    swather("db", "init")
    (tmp_path / "swather.db").chmod(0o444)
    done = subprocess.run(
        [*HELD_BACK, PROGRAM, "db", "stats"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: swather.db cannot be written to")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["--version", "settings", "settings --json"])
def test_an_output_that_takes_no_more_is_told_in_one_line(tmp_path: Path, arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [PROGRAM, *arguments.split()],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=50,
        )
    assert done.returncode == 2
    assert "the output cannot be written: [Errno 28] No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_an_output_that_is_closed_is_for_nobody(tmp_path: Path):
    script = f"{PROGRAM} settings >&- && {PROGRAM} nonsense 2>&-; test $? = 2"
    done = subprocess.run(
        ["/bin/sh", "-c", script], cwd=tmp_path, capture_output=True, check=False, timeout=50
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.slow
def test_letters_that_the_output_lacks_are_spelt_out(installed: Swather):
    write('from swather import scraper\n\n\n@scraper\ndef u(ctx, _):\n    """Größe."""\n', "u.py")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    said = installed("scrapers", "u.py", env=ascii_only)
    assert (said.code, said.err) == (0, "")
    assert r"Gr\xf6\xdfe." in said.out
    assert "Größe." in str(installed("scrapers", "u.py", "--json", env=ascii_only).data)


@pytest.mark.slow
def test_ctrl_c_ends_with_130(tmp_path: Path):
    process = subprocess.Popen(
        [PROGRAM, "demo"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("the shop has")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
