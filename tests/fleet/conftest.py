"""The databases of the store's own suite: what asks for `store` runs on both."""

from tests.store.conftest import *  # noqa: F403 - all its fixtures, whichever it has
