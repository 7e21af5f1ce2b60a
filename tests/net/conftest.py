"""Both clients, for the suite that they share."""

import pytest


@pytest.fixture(params=["wreq", "aiohttp"])
def client(request):
    """The name of the client that a fetcher is made with."""
    return request.param
