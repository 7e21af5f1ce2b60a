"""Stopping a stand-in leaves no connection open, however young: what was left would fail whichever
test runs when it is collected.
"""

import gc
import socket
from urllib.parse import urlsplit

import pytest

from swather.testing.proxies import LocalProxies
from swather.testing.site import FakeSite

TIMES = 40


def connect_and_stop(server: FakeSite | LocalProxies) -> None:
    with server:
        url = server.url if isinstance(server, FakeSite) else server[0].url
        address = ("127.0.0.1", urlsplit(url).port or 0)
        clients = [socket.create_connection(address) for _ in range(3)]
    for client in clients:
        client.close()


@pytest.mark.slow
@pytest.mark.parametrize("server", [lambda: FakeSite({}), lambda: LocalProxies(1)])
def test_a_server_that_is_stopped_closes_what_it_just_accepted(server, recwarn):
    gc.collect()
    recwarn.clear()
    left = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.unraisablehook", lambda one: left.append(str(one.exc_value)))
        for _ in range(TIMES):
            connect_and_stop(server())
        gc.collect()
    assert left == []
