"""Files are known by how they begin, whatever a site calls them."""

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from swather.net.magic import HEAD_BYTES, media_type_of

HEADS = [
    (b"\xff\xd8\xff\xe1", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF89a", "image/gif"),
    (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    (b"RIFF\x10\0\0\0AVI LIST", "video/x-msvideo"),
    (b"RIFF\x10\0\0\0WAVEfmt ", "audio/wav"),
    (b"\0\0\0\x1cftypavif\0\0\0\0mif1", "image/avif"),
    (b"\0\0\0\x1cftypheic\0\0\0\0mif1", "image/heic"),
    (b"\0\0\0\x18ftypmif1\0\0\0\0avif", "image/heif"),
    (b"\0\0\0\x14ftypqt  \0\0\0\0", "video/quicktime"),
    (b"\0\0\0\x1cftypisom\0\0\2\0isomiso2", "video/mp4"),
    (b"\0\0\0\x1cftypM4A \0\0\0\0", "audio/mp4"),
    (b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm", "video/webm"),
    (b"\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska", "video/x-matroska"),
    (b"II*\0", "image/tiff"),
    (b"BM" + bytes(12) + b"\x28\0\0\0", "image/bmp"),
    (b"BMW is a car, not a picture", ""),
    (b"ID3\4", "audio/mpeg"),
    (b"\xff\xfb\x90\x44", "audio/mpeg"),
    (b"\xff\xfe\x48\0", ""),
    (b"OggS\0", "application/ogg"),
    (b"%PDF-1.7", "application/pdf"),
    (b"PK\3\4", "application/zip"),
    (b'<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="x">', "image/svg+xml"),
    (b"\xef\xbb\xbf \n<!DOCTYPE html><html>", "text/html"),
    (b"<html lang=en>", "text/html"),
    (b"<?xml version='1.0'?><rss>", ""),
    (b"{}", ""),
    (b"", ""),
]


@pytest.mark.parametrize(("head", "media_type"), HEADS)
def test_files_are_known_by_their_first_bytes(head, media_type):
    assert media_type_of(head) == media_type


@pytest.mark.parametrize("kind", ["jpeg", "png", "gif", "webp", "bmp", "tiff", "avif"])
def test_what_pillow_writes_is_known(kind):
    made = io.BytesIO()
    Image.new("RGB", (20, 20)).save(made, kind)
    assert media_type_of(made.getvalue()[:HEAD_BYTES]) == f"image/{kind}"


@given(st.binary(max_size=HEAD_BYTES))
def test_any_bytes_have_a_type_or_none(head):
    assert isinstance(media_type_of(head), str)


@pytest.mark.parametrize("piece", [b"<!--x-->", b"<?xml>", b"<!DOCTYPE>", b" ", b"<!--"])
def test_no_text_is_looked_at_for_long(piece):
    began = time.process_time()
    assert media_type_of(piece * (HEAD_BYTES // len(piece))) == ""
    assert time.process_time() - began < 1
