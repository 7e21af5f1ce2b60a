"""A browser that the tests of a module share."""

import pytest

from tests.debian import need_chromium
from tests.net.browser.visiting import Runs


@pytest.fixture(scope="module")
def in_browser():
    """Runs a scene in the browser: `in_browser(scene)` calls it with that."""
    need_chromium()
    runs = Runs()
    yield runs
    runs.close()
