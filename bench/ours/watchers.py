"""People who watch a server: WebSocket clients and requests for a page, niced, in one process.

`python -m bench.ours.watchers URL TOKEN SOCKETS PAGES_PER_SECOND PATH...` says "ready" when all are
connected, and when its input ends, as JSON, what they were told. The pages at these paths are asked
for in turn.
"""

import asyncio
import itertools
import json
import os
import re
import statistics
import sys
import time
from datetime import UTC, datetime
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect

NICENESS = 10


class Watched:
    """What all of them have seen."""

    def __init__(self) -> None:
        self.since = "9"
        self.messages = 0
        self.reads: set[str] = set()
        self.seconds: list[float] = []
        self.failed = 0


async def main() -> None:
    url, token, sockets, pages, *paths = sys.argv[1:]
    host = urlsplit(url).netloc
    headers = {"Authorization": f"Bearer {token}"}
    seen = Watched()
    tasks = []
    for _ in range(int(sockets)):
        socket = await connect(f"ws://{host}/jobs/status", additional_headers=headers)
        tasks.append(asyncio.create_task(_listen(socket, seen)))
    for number in range(int(pages)):
        start = number / int(pages)
        tasks.append(asyncio.create_task(_look(host, token, paths, start, seen)))
    print("ready", flush=True)
    # What is read from now on counts, however late it is heard of.
    seen.since, began = datetime.now(UTC).isoformat(), time.monotonic()
    seen.seconds.clear()
    await asyncio.to_thread(sys.stdin.read)
    seconds = time.monotonic() - began
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    told = {
        "seconds": seconds,
        "messages": seen.messages,
        "reads": len(seen.reads),
        "requests": len(seen.seconds),
        "failed": seen.failed,
        "p50": statistics.median(seen.seconds or [0.0]),
        "p95": sorted(seen.seconds or [0.0])[int(len(seen.seconds) * 0.95)],
    }
    print(json.dumps(told), flush=True)


async def _listen(socket: ClientConnection, seen: Watched) -> None:
    async for message in socket:
        # Which read of the database it was: a server that reads for each would have many a second.
        at = str(message).split('"', 4)[3]
        if at >= seen.since:
            seen.messages += 1
            seen.reads.add(at)


async def _look(host: str, token: str, paths: list[str], start: float, seen: Watched) -> None:
    """One who opens a page a second on a connection that stays open, as browsers' do."""
    name, _, port = host.rpartition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    due = time.monotonic() + start
    for path in itertools.cycle(paths):
        await asyncio.sleep(max(due - time.monotonic(), 0.0))
        due += 1.0
        began = time.monotonic()
        request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        writer.write(f"{request}Accept: text/html\r\n\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer)
        assert length
        await reader.readexactly(int(length[1]))
        seen.seconds.append(time.monotonic() - began)
        seen.failed += not answer.startswith(b"HTTP/1.1 200")


if __name__ == "__main__":
    os.nice(NICENESS)
    asyncio.run(main())
