import subprocess
import sys

import pytest

import swather

NAMES = [
    "Backoff",
    "Blocked",
    "Client",
    "Context",
    "Download",
    "File",
    "InputError",
    "Later",
    "LeaseLost",
    "Page",
    "Permanent",
    "Proxies",
    "Queue",
    "Request",
    "Result",
    "RunResult",
    "Scraper",
    "SwatherError",
    "SyncContext",
    "SyncWeb",
    "Target",
    "Transient",
    "Web",
    "__version__",
    "add_rule",
    "open",
    "run",
    "scraper",
    "start",
    "stats",
]


def test_these_are_the_public_names():
    assert swather.__all__ == NAMES == sorted(NAMES)
    assert len(NAMES) <= 30


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_documented(name):
    value = getattr(swather, name)
    assert name in dir(swather)
    assert name == "__version__" or value.__doc__


def test_another_name_is_not_there():
    with pytest.raises(AttributeError, match="module 'swather' has no attribute 'nonsense'"):
        swather.nonsense  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, swather; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"apsw", "psycopg", "pydantic", "rich", "msgspec", "asyncio", "wreq"})
