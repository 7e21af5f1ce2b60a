"""Reads the body of a response: decoded, and within its limits whatever the site claims."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, Final, NamedTuple

from swather.net.client import Response
from swather.net.decoding import ERRORS, Decoder, decoder_of
from swather.net.errors import BadResponse, TooLarge
from swather.net.request import shown_url

MAX_BYTES: Final = 32 << 20
MAX_RATIO: Final = 250.0
# Below this size any compression ratio is fine.
_RATIO_COUNTS_BYTES: Final = 1 << 20
_READ_WHOLE_BYTES: Final = 1 << 20
# How much is decoded at a time, and after how much other tasks get their turn.
_SLICE_BYTES: Final = 64 << 10
_TURN_BYTES: Final = 1 << 20
_PIECE_COSTS_BYTES: Final = 4 << 10


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


async def _counted(response: Response, url: str, caps: Caps) -> bytes:
    content = bytearray()
    async with aclosing(response.chunks()) as chunks:
        async for chunk in chunks:
            content += chunk
            if len(content) > caps.max_bytes:
                raise _too_large(url, caps)
    return bytes(content)


async def _unpacked(response: Response, url: str, caps: Caps, decoder: Decoder) -> bytes:
    content = bytearray()
    packed_bytes = since_turn = 0
    try:
        async with aclosing(_slices(response)) as slices:
            async for packed in slices:
                packed_bytes += len(packed)
                if packed_bytes > caps.max_bytes:
                    raise _too_large(url, caps)
                for piece in decoder.pieces(packed):
                    content += piece
                    _check(len(content), packed_bytes, url, caps)
                    since_turn += len(piece) + _PIECE_COSTS_BYTES
                    if since_turn >= _TURN_BYTES:
                        since_turn = 0
                        await asyncio.sleep(0)
    except ERRORS as error:
        raise BadResponse(f"the answer of {shown_url(url)} cannot be decoded: {error}") from None
    if not decoder.is_complete:
        raise BadResponse(f"the answer of {shown_url(url)} cannot be decoded: it ends too early")
    return bytes(content)


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
            f"{shown_url(url)} grew to more than {caps.max_ratio:g} times its size when unpacked"
        )


def _too_large(url: str, caps: Caps) -> TooLarge:
    return TooLarge(f"{shown_url(url)} has more than {caps.max_bytes:,} bytes")
