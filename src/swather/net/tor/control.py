"""The control port of a Tor daemon: commands and their replies, and events in between.

The protocol is Tor's control-spec. Only what we need of it is here.
"""

import asyncio
import hashlib
import hmac
import re
import secrets
from collections import deque
from pathlib import Path
from typing import Final, NamedTuple

COOKIE_BYTES: Final = 32
_MAX_LINE_BYTES: Final = 1 << 20
_EVENT: Final = "650"
_FROM_SERVER: Final = b"Tor safe cookie authentication server-to-controller hash"
_FROM_CONTROLLER: Final = b"Tor safe cookie authentication controller-to-server hash"
_CHALLENGE: Final = re.compile(
    r"AUTHCHALLENGE SERVERHASH=([0-9A-F]{64}) SERVERNONCE=([0-9A-F]{64})", re.IGNORECASE
)


class ControlError(Exception):
    """The daemon refused a command, does not speak its protocol, or is gone."""


class Line(NamedTuple):
    """One line of a reply: its status, its text, and the data that may follow it."""

    status: str
    text: str
    data: str = ""


class Control:
    """A connection to a control port. `events` are the lines of those that were subscribed to; the
    last of them is None, when the connection is closed.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting: deque[asyncio.Future[list[Line]]] = deque()
        self._is_closed = False
        self.events: asyncio.Queue[str | None] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read(), name="tor-control")

    @classmethod
    async def connect(cls, host: str, port: int) -> "Control":
        try:
            streams = await asyncio.open_connection(host, port, limit=_MAX_LINE_BYTES)
        except OSError as error:
            raise ControlError(f"its control port {host}:{port} cannot be reached") from error
        return cls(*streams)

    async def authenticate(self, cookie_file: Path) -> None:
        """Prove that we can read its cookie, without sending it to whoever listens there."""
        cookie = await asyncio.to_thread(_read_cookie, cookie_file)
        ours = secrets.token_bytes(32)
        (answer,) = await self.ask(f"AUTHCHALLENGE SAFECOOKIE {ours.hex()}")
        found = _CHALLENGE.fullmatch(answer.text)
        if found is None:
            raise ControlError("its control port answered a challenge with something else")
        said = cookie + ours + bytes.fromhex(found[2])
        if not hmac.compare_digest(_digest(_FROM_SERVER, said), bytes.fromhex(found[1])):
            raise ControlError("its control port does not know the cookie: another program has it")
        await self.ask(f"AUTHENTICATE {_digest(_FROM_CONTROLLER, said).hex()}")

    async def ask(self, command: str) -> list[Line]:
        """Send one command; ControlError if it is refused."""
        if self._is_closed:
            raise ControlError("its control port was closed")
        reply: asyncio.Future[list[Line]] = asyncio.get_running_loop().create_future()
        self._waiting.append(reply)
        self._writer.write(f"{command}\r\n".encode())
        lines = await reply
        if not lines[-1].status.startswith("2"):
            raise ControlError(f"it refused {command.split(maxsplit=1)[0]}: {lines[-1].text}")
        return lines

    async def get(self, *names: str) -> dict[str, str]:
        """What it knows under these names (GETINFO)."""
        found = {}
        for line in await self.ask(f"GETINFO {' '.join(names)}"):
            name, is_value, value = line.text.partition("=")
            if is_value:
                found[name] = line.data or value
        return found

    async def close(self) -> None:
        self._writer.close()
        await self._reading

    async def _read(self) -> None:
        try:
            while (lines := await self._reply()) is not None:
                if lines[0].status == _EVENT:
                    self.events.put_nowait(lines[0].text)
                elif self._waiting and not (waiting := self._waiting.popleft()).done():
                    waiting.set_result(lines)
        except (OSError, ValueError, asyncio.LimitOverrunError):
            pass  # closed, or not a daemon's
        finally:
            self._is_closed = True
            self._writer.close()
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_exception(ControlError("its control port was closed"))
            self.events.put_nowait(None)

    async def _reply(self) -> list[Line] | None:
        lines = []
        while raw := await self._reader.readline():
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            status, kind, text = line[:3], line[3:4], line[4:]
            if kind == "+":
                lines.append(Line(status, text, await self._data()))
            elif kind in {"-", " "} and status.isdigit():
                lines.append(Line(status, text))
            else:
                raise ValueError(f"not a reply: {line[:80]!r}")
            if kind == " ":
                return lines
        return None

    async def _data(self) -> str:
        rows: list[str] = []
        while raw := await self._reader.readline():
            row = raw.decode("utf-8", "replace").rstrip("\r\n")
            if row == ".":
                return "\n".join(rows)
            rows.append(row.removeprefix("."))
        raise ValueError("it ended in the middle of a reply")


def _read_cookie(path: Path) -> bytes:
    try:
        cookie = path.read_bytes()
    except OSError as error:
        raise ControlError(f"its cookie cannot be read: {error.strerror}") from error
    if len(cookie) != COOKIE_BYTES:
        raise ControlError(f"its cookie has {len(cookie)} bytes instead of {COOKIE_BYTES}")
    return cookie


def _digest(key: bytes, said: bytes) -> bytes:
    return hmac.new(key, said, hashlib.sha256).digest()
