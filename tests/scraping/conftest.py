"""The table of errors as it was before each test."""

from collections.abc import Iterator

import pytest

from swather.scraping import classify


@pytest.fixture(autouse=True)
def own_rules() -> Iterator[None]:
    """Forget the rules a test adds."""
    before = list(classify._own_rules)
    yield
    classify._own_rules[:] = before
