"""Writes cues in the formats that can be asked for, and the text alone without rolling repeats."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final
from xml.sax.saxutils import escape, quoteattr

import msgspec

from swather.builtin.subtitles.cues import Cue

MEDIA_TYPES: Final[Mapping[str, str]] = {
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
    "json3": "application/json",
    "ttml": "application/ttml+xml",
    "txt": "text/plain",
}
# From which formats of the site others are made, the best first: json3 has every word once.
SOURCES: Final = ("json3", "vtt", "ttml", "srt", "dfxp", "srv1")
_MIN_REPEATS: Final = 3
_MAX_GAP_SECONDS: Final = 0.05


def write(cues: Sequence[Cue], form: str, language: str) -> bytes:
    return WRITERS[form](cues, language).encode()


def text_of(cues: Sequence[Cue]) -> str:
    """What is said, line by line.

    Automatic captions roll: a cue shows the last line of the one before it above its own. There a
    line that is shown again is left out; elsewhere it is said again.
    """
    shown = [cue.text.split("\n") for cue in cues]
    repeated = [0, *(_repeated(*each) for each in pairwise(zip(cues, shown, strict=True)))]
    again = sum(map(bool, repeated))
    rolls = again >= _MIN_REPEATS and again * 3 >= len(cues)
    return "".join(
        f"{line}\n"
        for lines, count in zip(shown, repeated, strict=False)
        for line in lines[count if rolls else 0 :]
    )


def _repeated(before: tuple[Cue, list[str]], now: tuple[Cue, list[str]]) -> int:
    """How many lines at the beginning of a cue are the last ones of the cue right before it."""
    if now[0].start - before[0].end > _MAX_GAP_SECONDS:
        return 0
    return _overlap(before[1], now[1])


def _overlap(before: Sequence[str], shown: Sequence[str]) -> int:
    for size in range(min(len(before), len(shown)), 0, -1):
        if list(before[-size:]) == list(shown[:size]):
            return size
    return 0


def _vtt(cues: Sequence[Cue], language: str) -> str:
    blocks = (
        f"{_clock(cue.start, '.')} --> {_clock(cue.end, '.')}\n{escape(cue.text)}\n" for cue in cues
    )
    return "\n".join((f"WEBVTT\nKind: captions\nLanguage: {language}\n", *blocks))


def _srt(cues: Sequence[Cue], _language: str) -> str:
    return "\n".join(
        f"{number}\n{_clock(cue.start, ',')} --> {_clock(cue.end, ',')}\n{cue.text}\n"
        for number, cue in enumerate(cues, 1)
    )


def _ttml(cues: Sequence[Cue], language: str) -> str:
    paragraphs = "".join(
        f'<p begin="{_clock(cue.start, ".")}" end="{_clock(cue.end, ".")}">'
        f"{'<br/>'.join(map(escape, cue.text.split(chr(10))))}</p>\n"
        for cue in cues
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<tt xml:lang={quoteattr(language)} xmlns="http://www.w3.org/ns/ttml">\n'
        f"<body><div>\n{paragraphs}</div></body>\n</tt>\n"
    )


def _json3(cues: Sequence[Cue], _language: str) -> str:
    events = [
        {
            "tStartMs": round(cue.start * 1000),
            "dDurationMs": round((cue.end - cue.start) * 1000),
            "segs": [{"utf8": cue.text}],
        }
        for cue in cues
    ]
    return msgspec.json.encode({"wireMagic": "pb3", "events": events}).decode()


def _clock(seconds: float, point: str) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}{point}{rest % 1000:03}"


WRITERS: Final[Mapping[str, Callable[[Sequence[Cue], str], str]]] = {
    "vtt": _vtt,
    "srt": _srt,
    "ttml": _ttml,
    "json3": _json3,
    "txt": lambda cues, _language: text_of(cues),
}
