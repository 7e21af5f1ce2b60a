"""Cues: what is said from when to when. They are read from every format that sites have."""

import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from itertools import pairwise
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET

import msgspec

_ARROW: Final = re.compile(r"^\s*(\S+)\s+-->\s+(\S+)(.*)$")
_TAG: Final = re.compile(r"<[^<>]*>")
_OFFSET: Final = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s|f|t)")
_OFFSET_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
# In a file's own clock: https://www.w3.org/TR/ttml2/#parameter-attribute-tickRate
_TTML_PARAMETER: Final = "{http://www.w3.org/ns/ttml#parameter}"


class Cue(NamedTuple):
    """A text of one or more lines, without markup, shown from `start` to `end` in seconds."""

    start: float
    end: float
    text: str


class Unreadable(ValueError):
    """The content is not what its format says."""


def read(content: bytes, form: str) -> list[Cue]:
    """The cues in their order; Unreadable says why there are none to be had."""
    reader = READERS.get(form)
    if reader is None:
        raise Unreadable(f"subtitles in the format {form!r} cannot be converted")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"the subtitles are not UTF-8: {error.reason}") from error
    return [cue for cue in reader(text) if cue.text]


def _read_json3(text: str) -> Iterator[Cue]:
    try:
        events = msgspec.json.decode(text.encode(), type=_Json3).events
    except msgspec.DecodeError as error:
        raise Unreadable(f"the subtitles are not json3: {error}") from error
    said = []
    for event in events:
        line = "".join(str(part.get("utf8", "")) for part in event.segs).replace("\u200b", "")
        if line.strip():
            start = event.tStartMs / 1000
            said.append(Cue(start, start + event.dDurationMs / 1000, _clean(line)))
    yield from _in_turn(said)


class _Event(msgspec.Struct):
    tStartMs: float = 0.0  # noqa: N815 - the name of the format
    dDurationMs: float = 0.0  # noqa: N815 - the name of the format
    segs: list[dict[str, Any]] = []


class _Json3(msgspec.Struct):
    events: list[_Event] = []


def _in_turn(cues: list[Cue]) -> Iterator[Cue]:
    """Automatic captions are shown until the line after the next one; here each ends with the
    next.
    """
    for cue, following in pairwise(cues):
        yield cue._replace(end=max(cue.start, min(cue.end, following.start)))
    yield from cues[-1:]


def _read_blocks(text: str) -> Iterator[Cue]:
    """WebVTT and SubRip: blocks of lines below a line with two times."""
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.split("\n")
        for number, line in enumerate(lines):
            if found := _ARROW.match(line):
                start, end = _clock(found[1]), _clock(found[2])
                yield Cue(
                    start, end, _clean(unescape(_TAG.sub("", "\n".join(lines[number + 1 :]))))
                )
                break


def _read_vtt(text: str) -> Iterator[Cue]:
    if not text.lstrip().startswith("WEBVTT"):
        raise Unreadable("the subtitles are not WebVTT: they do not begin with WEBVTT")
    return _read_blocks(text)


def _read_ttml(text: str) -> Iterator[Cue]:
    if "<!ENTITY" in text or "<!DOCTYPE" in text:
        raise Unreadable("the subtitles are XML with a document type, which is not read")
    try:
        root = ET.fromstring(text.encode())  # noqa: S314 - without entities there is no bomb
    except ET.ParseError as error:
        raise Unreadable(f"the subtitles are not TTML: {error}") from error
    ticks = _rate(root, "tickRate", 1.0)
    frames = _rate(root, "frameRate", 30.0)
    for element in root.iter():
        if element.tag.rpartition("}")[2] not in {"p", "text"} or not _begin(element):
            continue
        start = _instant(_begin(element), ticks, frames)
        if end := element.get("end"):
            until = _instant(end, ticks, frames)
        else:
            until = start + _instant(element.get("dur") or "0", ticks, frames)
        yield Cue(start, until, _clean(unescape("".join(_texts(element)))))


def _begin(element: ET.Element) -> str:
    return element.get("begin") or element.get("start") or ""


def _texts(element: ET.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield "\n" if child.tag.rpartition("}")[2] == "br" else "".join(_texts(child))
        yield child.tail or ""


def _rate(root: ET.Element, name: str, default: float) -> float:
    try:
        return float(root.get(_TTML_PARAMETER + name, default)) or default
    except ValueError:
        return default


def _instant(text: str, ticks: float, frames: float) -> float:
    if found := _OFFSET.fullmatch(text.strip()):
        unit = {**_OFFSET_SECONDS, "t": 1 / ticks, "f": 1 / frames}[found[2]]
        return float(found[1]) * unit
    if text.count(":") == 3:
        clock, _, frame = text.rpartition(":")
        return _clock(clock) + float(frame) / frames
    return _clock(text)


def _clock(text: str) -> float:
    """'01:02:03.456', '02:03,456' or seconds."""
    seconds = 0.0
    try:
        for part in text.replace(",", ".").split(":"):
            seconds = seconds * 60 + float(part)
    except ValueError as error:
        raise Unreadable(f"the subtitles have a time that is none: {text[:40]!r}") from error
    return seconds


def _clean(text: str) -> str:
    """Lines without blanks around them; blank lines are left out."""
    lines = (" ".join(line.split()) for line in text.replace("\xa0", " ").splitlines())
    return "\n".join(line for line in lines if line)


READERS: Final[Mapping[str, Callable[[str], Iterator[Cue]]]] = {
    "json3": _read_json3,
    "vtt": _read_vtt,
    "srt": _read_blocks,
    "ttml": _read_ttml,
    "dfxp": _read_ttml,
    # YouTube's own XML: <transcript><text start="1.2" dur="3">.
    "srv1": _read_ttml,
}
