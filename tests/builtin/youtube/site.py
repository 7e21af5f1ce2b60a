"""The stand-in as a CONNECT proxy: whatever host a client asks it for, it answers as YouTube."""

import asyncio
import json
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import trustme

from tests.builtin.youtube.answer import Answer, Fault
from tests.builtin.youtube.lists import Channel, Lists
from tests.builtin.youtube.videos import next_answer, player_answer, scenario_of, subtitle_answer

# What yt-dlp must be told to leave out: the stand-in has no JavaScript player and no watch pages.
EXTRACTOR_ARGS = {
    "youtube": {
        "player_skip": ["webpage", "configs", "js", "initial_data"],
        "player_client": ["android_vr"],
    }
}
CLOSED = (asyncio.IncompleteReadError, OSError)


def ytdl_options(url: str) -> list[str]:
    """What `swather run subtitles --ytdl …` needs to go to the stand-in at `url`."""
    arguments = [f"{name}={','.join(values)}" for name, values in EXTRACTOR_ARGS["youtube"].items()]
    return [
        f"proxy={url}",
        "nocheckcertificate=true",
        f"extractor_args=youtube:{';'.join(arguments)}",
    ]


class Asked(NamedTuple):
    """A request of a `kind` (player, next, subtitles, page, browse, resolve) for `what`: a video,
    a path, a continuation.
    """

    kind: str
    what: str


class YouTube:
    """`url` is the proxy's. `asked` counts the requests; each is answered after `seconds`.

    What a video is like is in its id (see videos.py): `private0001` is private. A video whose
    trouble passes is troubled `troubles` times and fine from then on.
    """

    def __init__(
        self,
        channels: Mapping[str, Channel] | None = None,
        playlists: Mapping[str, list[str]] | None = None,
        *,
        seconds: float = 0.0,
        troubles: int = 1,
        port: int = 0,
    ) -> None:
        self.lists = Lists(dict(channels or {}), dict(playlists or {}))
        self.seconds = seconds
        self.troubles = troubles
        self.asked: Counter[Asked] = Counter()
        self._played_at: list[float] = []
        self.url = ""
        self._port = port
        self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        trustme.CA().issue_cert("www.youtube.com").configure_cert(self._tls)

    def count(self, kind: str, what: str | None = None) -> int:
        """How often `what` was asked for, or everything of this kind."""
        if what is not None:
            return self.asked[Asked(kind, what)]
        return sum(count for asked, count in self.asked.items() if asked.kind == kind)

    async def serve(self) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", self._port, backlog=512)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(*CLOSED, asyncio.CancelledError):
            while await self._answer_one(reader, writer):
                pass
        writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """False when the connection should be closed."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, address, _version = first.split(" ")
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await writer.drain()
            await writer.start_tls(self._tls)
            return True
        headers = dict(line.lower().split(": ", 1) for line in lines)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        answer = self._answer_to(address, body)
        await asyncio.sleep(self.seconds)
        if answer.fault is Fault.RESET:
            writer.transport.abort()
            return False
        writer.write(_encoded(answer))
        await writer.drain()
        return answer.fault is None

    def _answer_to(self, address: str, body: bytes) -> Answer:
        parts = urlsplit(address)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        data: dict[str, Any] = json.loads(body) if body.startswith(b"{") else {}
        match parts.path.removeprefix("/youtubei/v1"):
            case "/player":
                video = data["videoId"]
                return player_answer(video, troubled=self._is_troubled("player", video))
            case "/next":
                self._note("next", data["videoId"])
                return next_answer()
            case "/api/timedtext":
                troubled = self._is_troubled("subtitles", query["v"])
                return subtitle_answer(query["v"], query["lang"], query["fmt"], troubled=troubled)
            case "/pace":  # of the stand-in itself, when it is a process of its own
                return Answer({"played_at": self._played_at})
            case path:
                return self._list_at(path, query, data)

    def _list_at(self, path: str, query: dict[str, str], data: dict[str, Any]) -> Answer:
        match path:
            case "/browse":
                self._note("browse", data.get("continuation") or data["browseId"])
                return self.lists.browse(data)
            case "/navigation/resolve_url":
                self._note("resolve", data["url"])
                return self.lists.resolve(data["url"])
            case _:
                self._note("page", path)
                return self.lists.page(path, query)

    def _is_troubled(self, kind: str, video: str) -> bool:
        self._note(kind, video)
        return not scenario_of(video).passes or self.count(kind, video) <= self.troubles

    def _note(self, kind: str, what: str) -> None:
        self.asked[Asked(kind, what)] += 1
        if kind == "player" and self.count(kind, what) == 1:
            self._played_at.append(time.monotonic())


def _encoded(answer: Answer) -> bytes:
    is_text = isinstance(answer.body, str)
    body = (answer.body if is_text else json.dumps(answer.body)).encode()
    headers = {
        "Content-Type": "text/html; charset=utf-8" if is_text else "application/json",
        "Content-Length": str(len(body)),
        **answer.headers,
    }
    if answer.fault is Fault.TRUNCATED:
        body = body[: len(body) // 2]
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@contextmanager
def serving(site: YouTube) -> Iterator[YouTube]:
    """The site in a thread of its own, for the length of a `with` block."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(site.serve())
    thread = threading.Thread(target=loop.run_forever, name="stand-in", daemon=True)
    thread.start()
    try:
        yield site
    finally:
        asyncio.run_coroutine_threadsafe(_hang_up(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _hang_up(server: asyncio.Server) -> None:
    server.close()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
