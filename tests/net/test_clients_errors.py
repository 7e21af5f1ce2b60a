"""Every way in which a fetch can fail, and which of our errors it is; the same for every client."""

import asyncio
import gzip
import time

import aiohttp
import pytest
import wreq

from swather.errors import FetchError, InputError, SwatherError
from swather.net import aiohttp_client, wreq_client
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    FetchTimeout,
    ProxyFailed,
    TooLarge,
    UnusableURL,
)
from swather.net.fetcher import WebFetcher
from swather.net.request import Request
from tests.net.fetching import (
    RecordingPolicy,
    dripping,
    dripping_chunks,
    dripping_head,
    fake_dns,
    fetch,
    forever,
    nobody_there,
    resetting,
    silent,
)
from tests.net.site import respond, send, site


def ask(client, url, **options):
    async def run():
        fetcher = WebFetcher(client, **options)
        try:
            return await fetcher.fetch(Request(url=url))
        finally:
            await fetcher.close()

    return asyncio.run(run())


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [silent, dripping, dripping_chunks, dripping_head],
    ids=["silent", "dripping", "dripping chunks", "dripping head"],
)
def test_an_answer_that_takes_too_long_is_given_up(client, answer):
    policy = RecordingPolicy("127.0.0.1")
    began = time.monotonic()
    with pytest.raises(FetchTimeout, match=r"no complete answer from .*/a within 0\.3 s"):
        fetch(client, "/a", of={"a": answer}, policy=policy, timeout=0.3)
    assert time.monotonic() - began < 5
    assert [kind for _, kind in policy.failures] == [FetchTimeout]


@pytest.mark.slow
def test_the_time_is_for_all_hops_together(client):
    async def slow(asked, writer):
        await asyncio.sleep(0.2)
        await respond(b"", "302 Found", Location=asked.path)(asked, writer)

    with pytest.raises(FetchTimeout, match=r"within 0\.5 s"):
        fetch(client, "/a", of={"a": slow}, timeout=0.5)


def test_a_long_silence_is_given_up_before_the_whole_time_is_over(client):
    with pytest.raises(FetchTimeout, match="in time"):
        fetch(client, "/a", of={"a": silent}, options={"read_seconds": 0.2, "timeout_seconds": 20})


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (resetting, ConnectionFailed, ""),
        (send(b"", close=True), ConnectionFailed, ": it was closed before the answer"),
        (
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", close=True),
            ConnectionFailed,
            ": it was closed in the middle of the answer",
        ),
        (
            send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", close=True),
            ConnectionFailed,
            ": it was closed in the middle of the answer",
        ),
        (send(b"SSH-2.0-OpenSSH\r\n\r\n", close=True), ConnectionFailed, "does not speak HTTP"),
        (respond(b"no gzip", Content_Encoding="gzip"), BadResponse, "cannot be decoded"),
        (
            respond(gzip.compress(b"x" * 999)[:-9], Content_Encoding="gzip"),
            BadResponse,
            "cannot be decoded: it ends too early",
        ),
    ],
    ids=["reset", "closed", "cut", "cut in a chunk", "not HTTP", "not gzip", "half gzip"],
)
def test_a_broken_answer_is_told_by_its_kind(client, answer, error, told):
    policy = RecordingPolicy("127.0.0.1")
    with pytest.raises(error, match="/a") as raised:
        fetch(client, "/a", of={"a": answer}, policy=policy)
    assert told in str(raised.value)
    assert [kind for _, kind in policy.failures] == [error]


@pytest.mark.parametrize(
    "answer",
    [
        respond(b"x" * 100_001),
        respond(gzip.compress(b"x" * 200_000), Content_Encoding="gzip"),
        forever,
    ],
    ids=["announced", "packed", "endless"],
)
def test_an_answer_that_is_too_large_is_not_taken(client, answer):
    with pytest.raises(TooLarge, match="more than 100,000 bytes"):
        fetch(client, "/a", of={"a": answer}, options={"max_bytes": 100_000})


def test_the_largest_answer_is_taken_whole(client):
    page, _ = fetch(client, "/a", of={"a": respond(b"x" * 100_000)}, options={"max_bytes": 100_000})
    assert len(page.content) == 100_000


def test_nobody_there_is_told_with_the_reason(client):
    with (
        nobody_there() as port,
        pytest.raises(ConnectionFailed, match=r"failed: Connection refused"),
    ):
        ask(client, f"http://127.0.0.1:{port}/")


def test_a_name_that_does_not_exist_is_told_with_the_reason(client):
    with pytest.raises(ConnectionFailed, match=r"the host no\.example cannot be found: Name or"):
        ask(client, "http://no.example/", resolve=fake_dns())


def test_a_name_that_is_not_found_in_time_is_given_up(client):
    async def never(_):
        await asyncio.Event().wait()

    with pytest.raises(FetchTimeout, match=r"http://slow\.example/ was not found in time"):
        ask(client, "http://slow.example/", resolve=never, connect_seconds=0.1)


@pytest.mark.parametrize("url", ["http://[::1", "http://a b/", "http://", "http://x:99999/"])
def test_a_url_that_cannot_be_requested_is_refused(client, url):
    with pytest.raises(UnusableURL, match="cannot be requested"):
        ask(client, url)


def test_a_password_in_the_url_is_not_shown(client):
    with nobody_there() as port, pytest.raises(ConnectionFailed) as raised:
        ask(client, f"http://me:secret@127.0.0.1:{port}/")
    assert "secret" not in str(raised.value)


def test_https_with_a_certificate_of_a_known_authority(client, authority):
    file, context = authority

    async def run():
        fetcher = WebFetcher(client, ca_file=file, resolve=fake_dns(secure_example=["127.0.0.1"]))
        async with site(tls=context, a=respond(b"secure")) as served:
            urls = [served.url, served.url.replace("127.0.0.1", "secure.example")]
            pages = [await fetcher.fetch(Request(url=f"{url}/a")) for url in urls]
            await fetcher.close()
            return pages

    assert [page.content for page in asyncio.run(run())] == [b"secure", b"secure"]


@pytest.mark.parametrize("name", ["unknown authority", "another name"])
def test_https_with_a_certificate_that_is_not_valid(client, authority, name):
    file, context = authority
    options = {} if name == "unknown authority" else {"ca_file": file}

    async def run():
        fetcher = WebFetcher(client, resolve=fake_dns(other_example=["127.0.0.1"]), **options)
        async with site(tls=context, a=respond(b"secure")) as served:
            try:
                url = served.url.replace("127.0.0.1", "other.example")
                await fetcher.fetch(Request(url=f"{url}/a"))
            finally:
                await fetcher.close()

    with pytest.raises(ConnectionFailed, match="its certificate is not valid"):
        asyncio.run(run())


def test_https_to_a_site_that_speaks_only_http(client):
    async def refuse(reader, writer):
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def run():
        fetcher = WebFetcher(client)
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            try:
                await fetcher.fetch(Request(url=f"https://127.0.0.1:{port}/a"))
            finally:
                await fetcher.close()

    with pytest.raises(ConnectionFailed, match="failed"):
        asyncio.run(run())


# What each error of the clients is with us; one that is not in here fails the walk below.
OF_WREQ = {
    "BodyError": ConnectionFailed,
    "BuilderError": InputError,
    "ConnectionError": ConnectionFailed,
    "ConnectionResetError": ConnectionFailed,
    "DecodingError": BadResponse,
    "ProxyConnectionError": ProxyFailed,
    "RedirectError": ConnectionFailed,
    "RequestError": ConnectionFailed,
    "RustPanic": ConnectionFailed,
    "StatusError": ConnectionFailed,
    "TimeoutError": FetchTimeout,
    "TlsError": ConnectionFailed,
    "UpgradeError": ConnectionFailed,
    "WebSocketError": ConnectionFailed,
}
OF_AIOHTTP = {
    "ClientConnectionError": ConnectionFailed,
    "ClientConnectionResetError": ConnectionFailed,
    "ClientConnectorCertificateError": ConnectionFailed,
    "ClientConnectorDNSError": ConnectionFailed,
    "ClientConnectorError": ConnectionFailed,
    "ClientConnectorSSLError": ConnectionFailed,
    "ClientError": ConnectionFailed,
    "ClientHttpProxyError": ProxyFailed,
    "ClientOSError": ConnectionFailed,
    "ClientPayloadError": ConnectionFailed,
    "ClientProxyConnectionError": ProxyFailed,
    "ClientResponseError": ConnectionFailed,
    "ClientSSLError": ConnectionFailed,
    "ConnectionTimeoutError": FetchTimeout,
    "ContentTypeError": ConnectionFailed,
    "InvalidURL": InputError,
    "InvalidUrlClientError": InputError,
    "InvalidUrlRedirectClientError": InputError,
    "NonHttpUrlClientError": ConnectionFailed,
    "NonHttpUrlRedirectClientError": ConnectionFailed,
    "RedirectClientError": ConnectionFailed,
    "ServerConnectionError": ConnectionFailed,
    "ServerDisconnectedError": ConnectionFailed,
    "ServerFingerprintMismatch": ConnectionFailed,
    "ServerTimeoutError": FetchTimeout,
    "SocketTimeoutError": FetchTimeout,
    "UploadAbortedError": ConnectionFailed,
    "WSMessageTypeError": InputError,
    "WSServerHandshakeError": ConnectionFailed,
}


def kinds_in(module):
    return sorted(
        name
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    )


@pytest.mark.parametrize("name", kinds_in(wreq.exceptions))
def test_every_error_of_wreq_is_one_of_ours(name):
    error = getattr(wreq.exceptions, name)('… message: "Something happened" …')
    assert isinstance(error, wreq_client._ERRORS)
    told = wreq_client._translated(error, "http://me:secret@example.com/")
    assert type(told) is OF_WREQ[name]
    assert isinstance(told, SwatherError)
    assert "secret" not in str(told)


@pytest.mark.parametrize("name", sorted(aiohttp.client_exceptions.__all__))
def test_every_error_of_aiohttp_is_one_of_ours(name):
    kind = getattr(aiohttp, name, None) or getattr(aiohttp.client_exceptions, name)
    error = kind.__new__(kind)
    error.__dict__.update(
        {"status": 502, "message": "m", "request_info": None, "history": (), "headers": None},
    )
    told = aiohttp_client._translated(error, "http://me:secret@example.com/")
    assert isinstance(error, aiohttp_client._ERRORS)
    assert type(told) is OF_AIOHTTP[name]
    assert "secret" not in str(told)


@pytest.mark.parametrize("translated", [wreq_client._translated, aiohttp_client._translated])
@pytest.mark.parametrize("error", [ValueError("v"), TypeError("t")], ids=["value", "type"])
def test_a_value_that_a_client_cannot_read_is_an_input_error(translated, error):
    told = translated(error, "http://example.com/")
    assert isinstance(told, InputError)
    assert not isinstance(told, FetchError)
