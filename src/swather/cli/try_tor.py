"""A Tor daemon for `swather try`."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from swather.errors import InputError
from swather.net.egress_policy import TorPolicy
from swather.net.tor.own_tor import OwnTor
from swather.net.tor.process import TorFailed


@contextmanager
def tor_daemon(policy: TorPolicy, country: str) -> Iterator[str]:
    """Where its SOCKS port is, for the length of a block; InputError if it cannot be had."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="try-tor", daemon=True)
    thread.start()
    tor = OwnTor(policy, country)
    print("starting Tor", file=sys.stderr)
    try:
        try:
            waiting = asyncio.run_coroutine_threadsafe(tor.wait(policy.bootstrap_seconds), loop)
            yield waiting.result()
        except TorFailed as error:
            raise InputError(f"this scraper uses Tor: {error}") from error
        finally:
            asyncio.run_coroutine_threadsafe(tor.close(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
