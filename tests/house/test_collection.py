"""The names of the tests: pytest-xdist refuses to start when its workers collect different ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def collected() -> set[str]:
    """In another process, whose sets have another order."""
    pytest_here = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly"]
    listing = subprocess.run(
        [*pytest_here, "--collect-only", "-q"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    ).stdout
    return {line for line in listing.splitlines() if "::" in line}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_no_name_of_a_test_depends_on_the_order_of_a_set(request: pytest.FixtureRequest):
    assert {item.nodeid for item in request.session.items} <= collected()
