"""How Hypothesis searches here, and the table of errors as it was before each test."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from swather.scraping import classify

settings.register_profile("scraping", deadline=None, max_examples=60)
settings.load_profile("scraping")


@pytest.fixture(autouse=True)
def own_rules() -> Iterator[None]:
    """Forget the rules a test adds."""
    before = list(classify._own_rules)
    yield
    classify._own_rules[:] = before
