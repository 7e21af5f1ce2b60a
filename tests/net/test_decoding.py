"""Packed bodies, a piece at a time."""

import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.net.body import ERRORS, PIECE_BYTES, decoder_of, zstd
from swather.net.errors import BadResponse
from tests.net.fetching import fetch
from tests.net.site import respond


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}
WAYS = {
    **{name: (name, pack) for name, pack in PACKERS.items()},
    "x-gzip": ("x-gzip", gzip.compress),
    "GZip": (" GZip ", gzip.compress),
    "raw deflate": ("deflate", raw_deflate),
    "identity, gzip": ("identity, gzip", gzip.compress),
    "two members": ("gzip", lambda data: gzip.compress(data[:7]) + gzip.compress(data[7:])),
    "two frames": ("zstd", lambda data: zstd.compress(data[:7]) + zstd.compress(data[7:])),
    "padding": ("gzip", lambda data: gzip.compress(data) + b"\0" * 100),
    "gzip, br": ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
    "zstd, zstd": ("zstd, zstd", lambda data: zstd.compress(zstd.compress(data))),
}


def unpacked(encoding, packed, at_a_time=1 << 20):
    decoder = decoder_of(encoding)
    pieces = []
    for start in range(0, len(packed), at_a_time):
        pieces += decoder.pieces(packed[start : start + at_a_time])
    assert decoder.is_complete
    return pieces


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("at_a_time", [1, 1000, 1 << 20])
def test_what_was_packed_comes_out(way, at_a_time):
    encoding, pack = WAYS[way]
    data = bytes(range(256)) * 5
    assert b"".join(unpacked(encoding, pack(data), at_a_time)) == data


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKERS)
def test_it_comes_in_small_pieces(name):
    pieces = unpacked(name, PACKERS[name](b"\0" * 20_000_000))
    assert sum(map(len, pieces)) == 20_000_000
    assert max(map(len, pieces)) <= 2 * PIECE_BYTES


@pytest.mark.parametrize("size", [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES])
@pytest.mark.parametrize("way", WAYS)
def test_a_full_last_piece_is_not_the_end(way, size):
    encoding, pack = WAYS[way]
    assert sum(map(len, unpacked(encoding, pack(b"a" * size)))) == size


@pytest.mark.parametrize("name", PACKERS)
@given(data=st.binary(max_size=300))
def test_anything_can_be_packed_and_unpacked(name, data):
    assert b"".join(unpacked(name, PACKERS[name](data))) == data


@pytest.mark.parametrize("name", PACKERS)
@given(data=st.binary(max_size=300))
def test_anything_else_comes_out_or_is_an_error_that_is_known(name, data):
    decoder = decoder_of(name)
    try:
        for _ in decoder.pieces(data):
            pass
    except ERRORS:
        pass


@pytest.mark.parametrize("name", PACKERS)
def test_half_of_it_is_not_complete(name):
    packed = PACKERS[name](bytes(range(256)) * 50)
    decoder = decoder_of(name)
    list(decoder.pieces(packed[: len(packed) // 2]))
    assert not decoder.is_complete


def test_a_window_that_takes_more_memory_than_browsers_have_is_refused():
    options = {zstd.CompressionParameter.window_log: 27}
    packer = zstd.ZstdCompressor(options=options)
    packed = packer.compress(b"x" * 1000) + packer.flush()
    with pytest.raises(ERRORS):
        unpacked("zstd", packed)


@pytest.mark.parametrize("encoding", ["", "identity", "none", "utf-8", "compress"])
def test_what_nobody_knows_is_not_packed(encoding):
    assert decoder_of(encoding) is None


def test_what_is_packed_too_often_is_refused():
    with pytest.raises(BadResponse, match="compressed 3 times"):
        decoder_of("gzip, gzip, gzip")


@pytest.mark.parametrize("way", WAYS)
def test_a_packed_page_is_unpacked(client, way):
    encoding, pack = WAYS[way]
    answer = respond(pack(b"x" * 10_000), Content_Encoding=encoding)
    page, _ = fetch(client, "/a", of={"a": answer})
    assert page.content == b"x" * 10_000


def test_packings_that_are_named_on_lines_of_their_own_are_all_undone(client):
    packed = brotli.compress(gzip.compress(b"x" * 10_000))
    answer = respond(packed, Content_Encoding="gzip\r\nContent-Encoding: br")
    page, _ = fetch(client, "/a", of={"a": answer})
    assert page.content == b"x" * 10_000


def test_a_packed_page_without_content_is_empty(client):
    page, _ = fetch(client, "/a", of={"a": respond(b"", Content_Encoding="gzip")})
    assert page.content == b""
