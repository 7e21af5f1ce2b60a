"""A site that speaks HTTP/2 and nothing else."""

import asyncio
import ssl
from contextlib import asynccontextmanager

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived, StreamReset, WindowUpdated


class Http2Site:
    """Answers each path with its bytes, each a request of one of `connections`."""

    def __init__(self, answers):
        self.answers = answers
        self.connections = []
        self.url = ""


@asynccontextmanager
async def http2_site(tls: ssl.SSLContext, **answers):
    served = Http2Site(answers)
    tls.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    lines = []

    def answer():
        lines.append(_Line(served))
        return lines[-1]

    async with await loop.create_server(answer, "127.0.0.1", ssl=tls) as server:
        served.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield served
        finally:
            await asyncio.gather(*(line.hang_up() for line in lines))


class _Line(asyncio.Protocol):
    def __init__(self, served):
        self._served = served
        self._asked = []
        self._left = {}
        self._talk = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._transport = None
        self._lost = asyncio.Event()

    async def hang_up(self):
        if self._transport is not None:
            self._transport.abort()
            await self._lost.wait()

    def connection_lost(self, error):
        self._lost.set()

    def connection_made(self, transport):
        self._transport = transport
        self._served.connections.append(self._asked)
        self._talk.initiate_connection()
        transport.write(self._talk.data_to_send())

    def data_received(self, data):
        for event in self._talk.receive_data(data):
            if isinstance(event, RequestReceived):
                self._answer(event.stream_id, dict(event.headers)[":path"])
            elif isinstance(event, StreamReset):
                self._left.pop(event.stream_id, None)
            elif isinstance(event, WindowUpdated):
                self._send_what_fits()
        self._transport.write(self._talk.data_to_send())

    def _answer(self, stream, path):
        self._asked.append(path)
        body = self._served.answers[path.strip("/")]
        self._talk.send_headers(stream, [(":status", "200"), ("content-length", str(len(body)))])
        self._left[stream] = body
        self._send_what_fits()

    def _send_what_fits(self):
        for stream in list(self._left):
            while window := self._talk.local_flow_control_window(stream):
                size = min(window, self._talk.max_outbound_frame_size)
                part, rest = self._left[stream][:size], self._left[stream][size:]
                self._talk.send_data(stream, part, end_stream=not rest)
                self._left[stream] = rest
                if not rest:
                    del self._left[stream]
                    break
