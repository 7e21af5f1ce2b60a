"""yt-dlp leaves sockets of failed requests to the garbage collector, which is not ours to judge."""

import gc

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


@pytest.fixture(autouse=True, scope="module")
def collected():
    yield
    # Here, and not in a test that knows nothing of it.
    gc.collect()
