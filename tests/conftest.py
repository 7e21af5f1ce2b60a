"""What every test may use."""

import compileall
import os
import shutil
import signal
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import swather.store
from tests import debian, postgres, tor_network
from tests.store.database import ReusedPostgres

MEMORY = Path("/dev/shm")  # noqa: S108
SLOW_FOLDERS = {Path(__file__).parent / name for name in ("api", "process", "web")}
ENOUGH_BYTES = 4 << 30

# How slowly examples come says how busy the machine is, and nothing about them.
ANY_SPEED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", ANY_SPEED, max_examples=40)
settings.register_profile("thorough", ANY_SPEED, max_examples=1_000)
settings.load_profile("quick")


def pytest_configure(config: pytest.Config) -> None:
    restore_interrupts()
    if hasattr(config, "workerinput"):
        return
    keep_files_in_memory()
    config.add_cleanup(tor_network.stop)
    # For the processes that tests start by the hundred.
    compileall.compile_dir(Path(swather.__file__).parent, quiet=2)
    if config.getoption("dist", "no") != "no":
        share_a_server(config)


def pytest_xdist_auto_num_workers() -> int:
    """Three for each core: most of the time a test waits, for a process, a lease or a pace."""
    return 3 * (os.cpu_count() or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the compiled test modules, which every process of pytest needs, and nothing from then
    on: a test writes a scraper anew within the second that bytecode is dated by.
    """
    sys.dont_write_bytecode = False
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Starting a process or a server takes its time."""
    for item in items:
        if SLOW_FOLDERS.intersection(item.path.parents):
            item.add_marker(pytest.mark.slow)


def keep_files_in_memory() -> None:
    """Where there is such a disk and room on it: tests commit thousands of times, and none of them
    pulls the plug.
    """
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def restore_interrupts() -> None:
    """A shell has whatever it starts in the background ignore SIGINT. The processes that tests
    start and interrupt would inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def share_a_server(config: pytest.Config) -> None:
    """Start it before pytest-xdist starts its workers."""
    try:
        server = postgres.start()
    except postgres.NoPostgresError as error:
        raise pytest.UsageError(str(error)) from error
    os.environ[postgres.URL_VARIABLE] = server.url()
    config.add_cleanup(server.stop)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.PostgresServer]:
    """Lend one server to the whole session."""
    server = postgres.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def template_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "queue.db"
    swather.store.prepare(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def template(postgres_server: postgres.PostgresServer) -> Iterator[str]:
    """The name of a PostgreSQL database with Swather's tables, to be copied."""
    name = f"swather_template_{uuid.uuid4().hex}"
    postgres_server.create_database(name)
    swather.store.prepare(postgres_server.url(name))
    yield name
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def reused(postgres_server: postgres.PostgresServer, template: str) -> Iterator[ReusedPostgres]:
    """A copy that tests use one after another: deleting rows is quicker than copying files."""
    with postgres_server.fresh_database(template) as url:
        database = ReusedPostgres(url)
        yield database
        database.close()


@pytest.fixture(scope="session")
def chromium() -> None:
    """For tests that open pages in a real browser."""
    debian.need_chromium()


@pytest.fixture
def tor_net() -> Iterator[tor_network.TorNetwork]:
    """A Tor network that all tests share. It takes a while to start: a test that needs it has a
    longer timeout.
    """
    with tor_network.joined() as network:
        yield network


@pytest.fixture
def tor_net_alone() -> Iterator[tor_network.TorNetwork]:
    """The same for a test that stops it."""
    with tor_network.joined(alone=True) as network:
        yield network
