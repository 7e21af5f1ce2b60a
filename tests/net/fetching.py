"""Fetching from a site on loopback, and sites that behave badly."""

import asyncio
import socket
from contextlib import contextmanager
from ipaddress import ip_address

from swather.net.fetch_policy import ANYWHERE
from swather.net.fetcher import WebFetcher
from swather.net.page import Page
from swather.net.private_hosts import NOT_ALLOWED
from swather.net.request import Request
from tests.net.site import Site, site


def fetch(client, path, *, of, policy=ANYWHERE, options=None, **fields) -> tuple[Page, Site]:
    """Serve `of`, fetch one path of it, and give the page and what the site was asked."""

    async def run():
        fetcher = WebFetcher(client, **(options or {}))
        async with site(**of) as served:
            try:
                page = await fetcher.fetch(Request(url=served.url + path, **fields), policy)
            finally:
                await fetcher.close()
            return page, served

    return asyncio.run(run())


def fake_dns(**names):
    """A DNS of our own making: names, written with '_' for '.', and the addresses they are at.
    Several lists of addresses are given one after the other. Its `asked` are the names looked up.
    """
    known = {name.replace("_", "."): list(answers) for name, answers in names.items()}
    asked = []

    async def resolve(name):
        asked.append(name)
        answers = known.get(name)
        if not answers:
            raise OSError(-2, "Name or service not known")
        texts = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ip_address(text) for text in texts.split()]

    resolve.asked = asked
    return resolve


class RecordingPolicy:
    """Records what it is asked and told; allows the hosts it is given."""

    def __init__(self, *hosts):
        self.hosts = hosts
        self.private = []
        self.admitted = []
        self.egresses = []
        self.answers = []
        self.failures = []

    def may_reach(self, host, port, *, private):
        return not private

    async def refusal(self, host, port, address, *, private):
        assert private
        self.private.append((host, port))
        return None if host in self.hosts else NOT_ALLOWED

    def end(self):
        pass

    def admit(self, url, origin, egress):
        assert url.startswith(origin.url)
        self.admitted.append(url)
        self.egresses.append(egress)

    def answered(self, url, status, retry_after_seconds, seconds):
        assert seconds >= 0
        self.answers.append((url, status, retry_after_seconds))

    def failed(self, url, error, seconds):
        assert seconds >= 0
        self.failures.append((url, type(error)))


@contextmanager
def nobody_there():
    """The port of an address at which nobody listens, and nobody else can."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


async def forever(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        await writer.drain()


async def dripping(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def dripping_chunks(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1\r\nx\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def dripping_head(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def silent(_, writer):
    await asyncio.Event().wait()


async def resetting(_, writer):
    writer.transport.abort()
