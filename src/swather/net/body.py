"""Reads the body of a response: decoded, and within its limits whatever the site claims."""

import asyncio
import sys
import zlib
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import aclosing
from typing import Any, Final, NamedTuple, Protocol

import brotli

from swather.masking import shown_url
from swather.net.client import Response
from swather.net.errors import BadResponse, TooLarge

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPTED: Final = "gzip, deflate, br, zstd"
PIECE_BYTES: Final = 256 << 10
MAX_STACKED: Final = 2
ERRORS: Final = (zlib.error, brotli.error, zstd.ZstdError, EOFError)
_GZIP: Final = 16 + zlib.MAX_WBITS
_FIRST_OF_A_MEMBER: Final = 0x1F
# 8 MB: what RFC 9659 allows a site to ask of us, and what every browser has.
_ZSTD_WINDOW_LOG: Final = 23
MAX_BYTES: Final = 32 << 20
MAX_DOWNLOAD_BYTES: Final = 1 << 30
MAX_RATIO: Final = 250.0
# Below this size any compression ratio is fine.
_RATIO_COUNTS_BYTES: Final = 1 << 20
_READ_WHOLE_BYTES: Final = 1 << 20
# How much is decoded at a time, and after how much other tasks get their turn.
_SLICE_BYTES: Final = 64 << 10
_TURN_BYTES: Final = 1 << 20
_PIECE_COSTS_BYTES: Final = 4 << 10


class Sink(Protocol):
    """Takes a body, piece by piece."""

    async def write(self, piece: bytes | memoryview) -> None: ...


class Decoder(Protocol):
    """Decodes one encoding. Each piece has at most PIECE_BYTES (br: about)."""

    def pieces(self, packed: bytes) -> Iterator[bytes]: ...

    @property
    def is_complete(self) -> bool: ...


class Gzip:
    """Any number of members; anything else after the first is padding."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP)
        self._has_begun = False
        self._has_ended = False

    @property
    def is_complete(self) -> bool:
        return self._stream.eof or self._has_ended or not self._has_begun

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        while packed and not self._has_ended:
            if self._stream.eof:
                if packed[0] != _FIRST_OF_A_MEMBER:
                    self._has_ended = True
                    return
                self._stream = zlib.decompressobj(_GZIP)
            self._has_begun = True
            yield self._stream.decompress(packed, PIECE_BYTES)
            packed = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail


class Deflate:
    """With the zlib header it should have, or without it, as some sites send it."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._head = b""

    @property
    def is_complete(self) -> bool:
        return not self._head if self._stream is None else bool(self._stream.eof)

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        if self._stream is None:
            packed = self._head = self._head + packed
            if len(packed) < 2:
                return
            is_wrapped = packed[0] & 15 == 8 and int.from_bytes(packed[:2]) % 31 == 0
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if is_wrapped else -zlib.MAX_WBITS)
        piece = b""
        # After a full piece there may be more output, though all input is consumed.
        while not self._stream.eof and (packed or len(piece) == PIECE_BYTES):
            piece = self._stream.decompress(packed, PIECE_BYTES)
            yield piece
            packed = self._stream.unconsumed_tail


class Brotli:
    def __init__(self) -> None:
        self._stream: Any = brotli.Decompressor()
        self._has_begun = False

    @property
    def is_complete(self) -> bool:
        return not self._has_begun or bool(self._stream.is_finished())

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        if not packed or (self._has_begun and self.is_complete):
            return
        self._has_begun = True
        piece = self._stream.process(packed, output_buffer_limit=PIECE_BYTES)
        # It may hold back output even when it accepts more input.
        while piece or not self._stream.can_accept_more_data():
            yield piece
            piece = self._stream.process(b"", output_buffer_limit=PIECE_BYTES)


class Zstd:
    """Any number of frames, one after another."""

    def __init__(self) -> None:
        self._stream = _new_zstd()
        self._has_begun = False

    @property
    def is_complete(self) -> bool:
        return not self._has_begun or bool(self._stream.eof)

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        while packed or not (self._stream.eof or self._stream.needs_input):
            if self._stream.eof:
                self._stream = _new_zstd()
            self._has_begun = True
            yield self._stream.decompress(packed, PIECE_BYTES)
            packed = self._stream.unused_data if self._stream.eof else b""


class Stacked:
    """One encoding inside another: `outer` was applied last."""

    def __init__(self, outer: Decoder, inner: Decoder) -> None:
        self._outer = outer
        self._inner = inner

    @property
    def is_complete(self) -> bool:
        return self._outer.is_complete and self._inner.is_complete

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        for piece in self._outer.pieces(packed):
            yield from self._inner.pieces(piece)


def decoder_of(encoding: str) -> Decoder | None:
    """The decoder for a Content-Encoding; None when the body is not encoded. Unknown names count as
    none, as in browsers.
    """
    names = [name.strip().lower().removeprefix("x-") for name in encoding.split(",")]
    known = [name for name in names if name in _DECODERS]
    if len(known) > MAX_STACKED:
        raise BadResponse(f"an answer that is compressed {len(known)} times cannot be decoded")
    if not known:
        return None
    decoder = _DECODERS[known[-1]]()
    return decoder if len(known) == 1 else Stacked(decoder, _DECODERS[known[0]]())


def _new_zstd() -> Any:
    return zstd.ZstdDecompressor(
        options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
    )


_DECODERS: Final[dict[str, Any]] = {
    "gzip": Gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": Zstd,
}


class Caps(NamedTuple):
    """`max_bytes` counts decoded bytes; `max_ratio` is decoded to received."""

    max_bytes: int = MAX_BYTES
    max_ratio: float = MAX_RATIO


def read_body(response: Response, url: str, caps: Caps) -> Coroutine[Any, Any, bytes]:
    """The whole body, or TooLarge as soon as that is known."""
    encodings = response.values("content-encoding")
    if encodings and (decoder := decoder_of(", ".join(encodings))) is not None:
        return _unpacked(response, url, caps, decoder)
    announced = response.announced
    if announced is None:
        return _counted(response, url, caps)
    if announced > caps.max_bytes:
        raise _too_large(url, caps)
    return response.read()


async def copy_body(response: Response, url: str, caps: Caps, sink: Sink) -> None:
    """Pass on the whole body, decoded, as it arrives; TooLarge as soon as that is known."""
    encodings = response.values("content-encoding")
    decoder = decoder_of(", ".join(encodings)) if encodings else None
    announced = response.announced
    pieces: AsyncGenerator[bytes | memoryview] | AsyncGenerator[bytes]
    if decoder is not None:
        pieces = _unpacked_pieces(response, url, caps, decoder)
    elif announced is not None and announced > caps.max_bytes:
        raise _too_large(url, caps)
    else:
        pieces = _plain_pieces(response, url, caps)
    size = 0
    async with aclosing(pieces):
        async for piece in pieces:
            size += len(piece)
            await sink.write(piece)
    if decoder is None and announced not in (None, size):
        raise BadResponse(f"{shown_url(url)} announced {announced:,} bytes and sent {size:,}")


async def _counted(response: Response, url: str, caps: Caps) -> bytes:
    content = bytearray()
    async with aclosing(_plain_pieces(response, url, caps)) as pieces:
        async for piece in pieces:
            content += piece
    return bytes(content)


async def _plain_pieces(
    response: Response, url: str, caps: Caps
) -> AsyncGenerator[bytes | memoryview]:
    if response.announced is not None and response.announced <= _READ_WHOLE_BYTES:
        yield await response.read()
        return
    size = 0
    async with aclosing(response.chunks()) as chunks:
        async for chunk in chunks:
            size += len(chunk)
            if size > caps.max_bytes:
                raise _too_large(url, caps)
            yield chunk


async def _unpacked(response: Response, url: str, caps: Caps, decoder: Decoder) -> bytes:
    content = bytearray()
    async with aclosing(_unpacked_pieces(response, url, caps, decoder)) as pieces:
        async for piece in pieces:
            content += piece
    return bytes(content)


async def _unpacked_pieces(
    response: Response, url: str, caps: Caps, decoder: Decoder
) -> AsyncGenerator[bytes]:
    unpacked_bytes = packed_bytes = since_turn = 0
    try:
        async with aclosing(_slices(response)) as slices:
            async for packed in slices:
                packed_bytes += len(packed)
                if packed_bytes > caps.max_bytes:
                    raise _too_large(url, caps)
                for piece in decoder.pieces(packed):
                    unpacked_bytes += len(piece)
                    _check(unpacked_bytes, packed_bytes, url, caps)
                    yield piece
                    since_turn += len(piece) + _PIECE_COSTS_BYTES
                    if since_turn >= _TURN_BYTES:
                        since_turn = 0
                        await asyncio.sleep(0)
    except ERRORS as error:
        raise BadResponse(f"the answer of {shown_url(url)} cannot be decoded: {error}") from None
    if not decoder.is_complete:
        raise BadResponse(f"the answer of {shown_url(url)} cannot be decoded: it ends too early")


async def _slices(response: Response) -> AsyncGenerator[bytes]:
    if response.announced is not None and response.announced <= _READ_WHOLE_BYTES:
        whole = memoryview(await response.read())
        for start in range(0, len(whole), _SLICE_BYTES):
            yield bytes(whole[start : start + _SLICE_BYTES])
        return
    async with aclosing(response.chunks()) as chunks:
        async for chunk in chunks:
            for start in range(0, len(chunk), _SLICE_BYTES):
                yield bytes(chunk[start : start + _SLICE_BYTES])


def _check(unpacked_bytes: int, packed_bytes: int, url: str, caps: Caps) -> None:
    if unpacked_bytes > caps.max_bytes:
        raise _too_large(url, caps)
    if unpacked_bytes > max(_RATIO_COUNTS_BYTES, packed_bytes * caps.max_ratio):
        raise TooLarge(
            f"{shown_url(url)} grew more than {caps.max_ratio:g} times when decompressed"
        )


def _too_large(url: str, caps: Caps) -> TooLarge:
    return TooLarge(f"{shown_url(url)} has more than {caps.max_bytes:,} bytes")
