"""What a worker and its child processes say to each other, and in which form.

A frame is its length in four bytes and a message in MessagePack. What is JSON anyway (targets,
items, cursors) travels as JSON inside it, since MessagePack has no large whole numbers.
"""

import struct
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from swather import errors
from swather.model.lease import Lease
from swather.model.outcome import File, Item, Memory
from swather.model.source import SourceNote, SourceState
from swather.model.task import Target
from swather.net import errors as net_errors
from swather.net.download import Download
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.classify import Classified
from swather.scraping.context import Collected
from swather.scraping.notes import Notes

LENGTH: Final = struct.Struct(">I")
MAX_FRAME_BYTES: Final = 1 << 30
# The number of what is told and not asked: there is no answer.
TOLD: Final = 0


class Hello(msgspec.Struct, frozen=True, tag=True):
    """To the child, first: which scraper to load, and where to look for modules."""

    spec: str
    path: list[str]
    log_level: int


class Start(msgspec.Struct, frozen=True, tag=True):
    """To the child: execute the scraper on this task. `params` are the run's, as JSON. All that
    the child says of this attempt carries its `token`.
    """

    token: int
    lease: bytes
    run: tuple[int, str, str, str]
    params: bytes


class Met(msgspec.Struct, frozen=True):
    """An error: its kind, its text, and what else it tells."""

    kind: str
    text: str
    details: dict[str, str | int | float | bool | None]


class Reply(msgspec.Struct, frozen=True, tag=True):
    """To the child: the answer to its question of that number, or the error it met."""

    number: int
    body: bytes = b""
    error: "Met | None" = None


class Ready(msgspec.Struct, frozen=True, tag=True):
    """From the child: the scraper is loaded."""


class CannotLoad(msgspec.Struct, frozen=True, tag=True):
    """From the child: the scraper cannot be loaded, and why."""

    message: str


class Ask(msgspec.Struct, frozen=True, tag=True):
    """From the child: a verb of the context."""

    token: int
    number: int
    verb: str
    body: bytes


class Done(msgspec.Struct, frozen=True, tag=True):
    """From the child: what the scraper has produced, as JSON."""

    token: int
    collected: bytes
    notes: Notes


class Faulted(msgspec.Struct, frozen=True, tag=True):
    """From the child: what the scraper has raised."""

    token: int
    classified: Classified
    notes: Notes


Message = Hello | Start | Reply | Ready | CannotLoad | Ask | Done | Faulted


class WireItem(msgspec.Struct, frozen=True):
    data: msgspec.Raw
    key: str | None


class Produced(msgspec.Struct, frozen=True):
    """Collected results, or with a cursor a checkpoint of them."""

    part: int
    items: list[WireItem]
    children: list[Target]
    files: list[File]
    memories: list[Memory]
    cursor: Any = None
    sources: list[SourceNote] = []
    rejected: dict[str, int] = {}


class Fetch(msgspec.Struct, frozen=True):
    """A request whose answer is downloaded as a file."""

    request: Request
    max_bytes: int | None


class Save(msgspec.Struct, frozen=True):
    """Content, the path of a file that both processes see, or a download."""

    content: bytes | None
    path: str | None
    download: Download | None
    name: str | None
    media_type: str


class Recall(msgspec.Struct, frozen=True):
    keys: list[str]
    max_age_seconds: float | None


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, Sequence):
        return list(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be sent")


_encoder: Final = msgspec.msgpack.Encoder(enc_hook=_as_list)
_decoder: Final = msgspec.msgpack.Decoder(Message)
_produced: Final = msgspec.json.Decoder(Produced)
_lease: Final = msgspec.json.Decoder(Lease)

pack: Final = _encoder.encode
request_of: Final = msgspec.msgpack.Decoder(Request).decode
page_of: Final = msgspec.msgpack.Decoder(Page).decode
fetch_of: Final = msgspec.msgpack.Decoder(Fetch).decode
download_of: Final = msgspec.msgpack.Decoder(Download).decode
save_of: Final = msgspec.msgpack.Decoder(Save).decode
recall_of: Final = msgspec.msgpack.Decoder(Recall).decode
source_state_of: Final = msgspec.msgpack.Decoder(SourceState).decode
file_of: Final = msgspec.msgpack.Decoder(File).decode
lease_of: Final = _lease.decode
to_json: Final = msgspec.json.encode
from_json: Final = msgspec.json.decode


def frame(message: Message) -> bytes:
    body = _encoder.encode(message)
    if len(body) > MAX_FRAME_BYTES:
        raise errors.BadPayload(
            f"{len(body):,} bytes are too many to pass between processes; save large files by path"
        )
    return LENGTH.pack(len(body)) + body


def message_of(body: bytes) -> Message:
    message: Message = _decoder.decode(body)
    return message


def produced(collected: Collected, cursor: Any = None, sources: Sequence[SourceNote] = ()) -> bytes:
    items, children, files, memories, part, rejected = collected
    wire_items = [WireItem(msgspec.Raw(item.data), item.key) for item in items]
    return msgspec.json.encode(
        Produced(part, wire_items, children, files, memories, cursor, list(sources), dict(rejected))
    )


def produced_of(body: bytes) -> Produced:
    return _produced.decode(body)


def collected_of(made: Produced) -> Collected:
    # A copy, or each item would keep the whole frame in memory.
    items = [Item(item.data.copy(), item.key) for item in made.items]
    return Collected(items, made.children, made.files, made.memories, made.part, made.rejected)


def error_of(error: BaseException) -> Met:
    told = vars(error).items()
    plain = {name: value for name, value in told if isinstance(value, str | int | float | None)}
    return Met(type(error).__name__, str(error), plain)


def raised_from(met: Met) -> Exception:
    """The error that was met on the other side, as far as we know its kind."""
    kind = getattr(net_errors, met.kind, None) or getattr(errors, met.kind, None)
    if not (isinstance(kind, type) and issubclass(kind, errors.SwatherError)):
        return errors.SwatherError(f"{met.kind}: {met.text}")
    # Not by its constructor, which would build the text again from its arguments.
    error = kind.__new__(kind)
    error.args = (met.text,)
    vars(error).update(met.details)
    return error
