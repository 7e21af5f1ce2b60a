"""Files: what they are by their bytes, and whether they are complete."""

from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from swather.builtin.media.containers import BrokenFile, check_mp4, check_ogg, check_webm
from swather.builtin.media.file_types import file_type, is_as_announced
from swather.builtin.media.pictures import MAX_PIXELS, check_picture
from swather.net.magic import media_type_of
from tests.builtin.media.stand_ins import picture, video


def element(name: bytes, content: bytes, length: bytes | None = None) -> bytes:
    return name + (length or bytes([0x80 | len(content)])) + content


TRACKS, CLUSTER = b"\x16\x54\xae\x6b", b"\x1f\x43\xb6\x75"
EBML = element(b"\x1a\x45\xdf\xa3", element(b"\x42\x82", b"webm"))
PARTS = element(TRACKS, b"t" * 20) + element(CLUSTER, b"c" * 30)
SEGMENT = b"\x18\x53\x80\x67"
WEBM = EBML + element(SEGMENT, PARTS)
# A live recording: neither the segment nor its cluster says where it ends.
LIVE = EBML + element(
    SEGMENT, element(TRACKS, b"t") + element(CLUSTER, element(b"\xa3", b"x"), b"\xff"), b"\xff"
)


def ogg_page(flags: int, content: bytes) -> bytes:
    return b"OggS\0" + bytes([flags]) + bytes(20) + bytes([1, len(content)]) + content


OGG = ogg_page(2, b"theora") + ogg_page(0, b"x" * 100) + ogg_page(4, b"end")


def saved(content: bytes, folder: Path) -> Path:
    path = folder / "file"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        *((picture("x", kind), f"image/{kind.lower()}") for kind in ("JPEG", "PNG", "GIF", "WEBP")),
        *((picture("x", kind), f"image/{kind.lower()}") for kind in ("BMP", "TIFF", "AVIF")),
        (video("x"), "video/mp4"),
        (b"\0\0\0\x14ftypqt  ", "video/quicktime"),
        (WEBM, "video/webm"),
        (OGG, "video/ogg"),
        (b"<html>", None),
        (b"", None),
        (b"MZ\x90\0", None),
    ],
)
def test_a_file_is_known_by_its_first_bytes(content: bytes, media_type: str | None, tmp_path: Path):
    found = file_type(media_type_of(content[:64]))
    assert (found and found.media_type) == media_type
    if found is not None and found.kind == "image":
        assert check_picture(saved(content, tmp_path)) == (64, 48)


@pytest.mark.parametrize(
    ("announced", "fits"),
    [
        ("image/jpeg", True),
        ("Image/JPG; charset=binary", True),
        ("application/octet-stream", True),
        ("", True),
        ("image/png", False),
        ("text/html", False),
        ("video/mp4", False),
    ],
)
def test_a_type_is_compared_with_what_was_announced(announced: str, fits: bool):
    found = file_type("image/jpeg")
    assert found is not None
    assert is_as_announced(found, announced) is fits


@pytest.mark.parametrize(
    ("check", "content"), [(check_mp4, video("x")), (check_webm, WEBM), (check_ogg, OGG)]
)
def test_a_video_that_lacks_its_end_is_broken(check, content: bytes, tmp_path: Path):
    check(saved(content, tmp_path))
    for length in range(1, len(content)):
        with pytest.raises(BrokenFile):
            check(saved(content[:length], tmp_path))


@given(st.binary(max_size=300), st.sampled_from([b"", WEBM, LIVE, OGG, video("x")]), st.data())
def test_no_file_is_worse_than_broken(noise: bytes, whole: bytes, data: st.DataObject):
    at = data.draw(st.integers(0, len(whole)))
    with NamedTemporaryFile() as file:
        file.write(whole[:at] + noise + whole[at + len(noise) :])
        file.flush()
        for check in (check_mp4, check_webm, check_ogg):
            with suppress(BrokenFile):
                check(Path(file.name))


def test_a_live_recording_is_complete(tmp_path: Path):
    check_webm(saved(LIVE, tmp_path))


def test_a_video_without_content_is_broken(tmp_path: Path):
    with pytest.raises(BrokenFile, match="no moov or mdat"):
        check_mp4(saved(video("x").replace(b"mdat", b"free"), tmp_path))
    with pytest.raises(BrokenFile, match="no clusters"):
        check_webm(saved(EBML + element(SEGMENT, element(TRACKS, b"t")), tmp_path))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_a_picture_that_lacks_its_end_is_broken(kind: str, tmp_path: Path):
    file = BytesIO()
    Image.effect_noise((200, 200), 60).convert("RGB").save(file, kind)
    content = file.getvalue()
    check_picture(saved(content, tmp_path))
    for share in (0.2, 0.5, 0.9):
        with pytest.raises(BrokenFile, match="cannot be decoded"):
            check_picture(saved(content[: int(len(content) * share)], tmp_path))


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_picture_that_would_fill_the_memory_is_not_decoded(tmp_path: Path):
    file = BytesIO()
    Image.new("1", (10_000, MAX_PIXELS // 10_000 + 1)).save(file, "PNG")
    with pytest.raises(BrokenFile, match="10,000 x 8,901 pixels"):
        check_picture(saved(file.getvalue(), tmp_path))
