"""Containers of videos: whether a file has all of its parts, without decoding them."""

import struct
from pathlib import Path
from typing import IO, Final

# No file needs so many parts on its top level; a made-up one may.
_MAX_PARTS: Final = 200_000
_SEGMENT: Final = 0x18538067
_CLUSTER: Final = 0x1F43B675
_TRACKS: Final = 0x1654AE6B
_OGG_PAGE: Final = struct.Struct("<4sBBqIIIB")
_OGG_END: Final = 4


class BrokenFile(ValueError):
    """A file is not complete, or not what it seems to be."""


def check_mp4(path: Path) -> None:
    """Walk through the boxes of an MP4 or QuickTime file to its end."""
    with path.open("rb") as file:
        size = path.stat().st_size
        at, seen = 0, set()
        for _ in range(_MAX_PARTS):
            if at == size:
                break
            name, length = _box(file, at, size)
            seen.add(name)
            at += length
        else:
            raise BrokenFile("it has too many boxes")
    if not seen >= {b"ftyp", b"moov"} or seen.isdisjoint({b"mdat", b"moof"}):
        named = ", ".join(sorted(box.decode("latin-1") for box in seen))
        raise BrokenFile(f"it has no moov or mdat box, only {named[:80]}")


def _box(file: IO[bytes], at: int, size: int) -> tuple[bytes, int]:
    file.seek(at)
    head = file.read(16)
    if len(head) < 8:
        raise BrokenFile(f"it ends within a box, at byte {size:,}")
    length, name = struct.unpack(">I4s", head[:8])
    if length == 1 and len(head) == 16:
        (length,) = struct.unpack(">Q", head[8:])
    elif length == 0:
        length = size - at
    if length < 8:
        raise BrokenFile(f"a box at byte {at:,} has no length")
    if at + length > size:
        raise BrokenFile(f"it ends at byte {size:,}, within a box of {length:,} bytes")
    return name, length


def check_webm(path: Path) -> None:
    """Walk through the elements of a WebM or Matroska file to its end."""
    with path.open("rb") as file:
        size = path.stat().st_size
        header_end = _element(file, 0, size)[2]
        if header_end < 0:
            raise BrokenFile("its header has no end")
        name, start, end = _element(file, header_end, size)
        if name != _SEGMENT:
            raise BrokenFile("it has no segment")
        seen = _elements_in(file, start, size if end < 0 else end, size)
    if not {_TRACKS, _CLUSTER} <= seen:
        raise BrokenFile("it has no tracks or no clusters")


def _elements_in(file: IO[bytes], start: int, end: int, size: int) -> set[int]:
    seen: set[int] = set()
    at = start
    for _ in range(_MAX_PARTS):
        if at >= end:
            return seen
        name, inside, after = _element(file, at, size)
        seen.add(name)
        # A live recording does not say where a cluster ends: its parts follow, or the next one.
        at = inside if after < 0 else after
    raise BrokenFile("it has too many elements")


def _element(file: IO[bytes], at: int, size: int) -> tuple[int, int, int]:
    """Its id, where its content begins and where that ends; -1 if it does not say."""
    file.seek(at)
    head = file.read(12)
    if not head:
        raise BrokenFile(f"it ends at byte {size:,}, before its parts do")
    id_length = 9 - head[0].bit_length()
    if id_length > 4 or len(head) <= id_length or not head[id_length]:
        raise BrokenFile(f"there is no element at byte {at:,}")
    length_bytes = 9 - head[id_length].bit_length()
    coded = head[id_length : id_length + length_bytes]
    if len(coded) < length_bytes:
        raise BrokenFile(f"it ends within an element, at byte {size:,}")
    length = int.from_bytes(coded) & ((1 << 7 * length_bytes) - 1)
    inside = at + id_length + length_bytes
    name = int.from_bytes(head[:id_length])
    if length == (1 << 7 * length_bytes) - 1:
        return name, inside, -1
    if inside + length > size:
        raise BrokenFile(f"it ends at byte {size:,}, within an element of {length:,} bytes")
    return name, inside, inside + length


def check_ogg(path: Path) -> None:
    """Walk through the pages of an Ogg file; the last one of a stream says that it is the last."""
    with path.open("rb") as file:
        size = path.stat().st_size
        at = flags = 0
        for _ in range(_MAX_PARTS):
            if at == size:
                break
            file.seek(at)
            head = file.read(_OGG_PAGE.size)
            if len(head) < _OGG_PAGE.size or not head.startswith(b"OggS"):
                raise BrokenFile(f"there is no page at byte {at:,}")
            flags, count = head[5], head[-1]
            at += _OGG_PAGE.size + count + sum(file.read(count))
            if at > size:
                raise BrokenFile(f"it ends within a page, at byte {size:,}")
        else:
            raise BrokenFile("it has too many pages")
    if not flags & _OGG_END:
        raise BrokenFile("it ends before its last page")
