"""Reading and writing subtitles; the samples are shaped like those of YouTube and other sites."""

import json

import pytest

from swather.builtin.subtitles import cues, formats
from swather.builtin.subtitles.cues import Cue, Unreadable

SAID = [
    Cue(0.0, 1.5, "Tom & Jerry <3"),
    Cue(1.5, 2.0, "two\nlines"),
    Cue(3661.25, 3662.0, "later"),
]

# Automatic captions of YouTube: each line is shown while it is spoken, then for 10 ms by itself,
# and then above the next one.
ROLLING_VTT = """WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.389 align:start position:0%
 \n\
hello<00:00:00.480><c> and</c><00:00:00.799><c> welcome</c>

00:00:02.389 --> 00:00:02.399 align:start position:0%
hello and welcome
 \n\

00:00:02.399 --> 00:00:04.550 align:start position:0%
hello and welcome
to<00:00:02.720><c> the</c><00:00:03.040><c> show</c>

00:00:04.550 --> 00:00:04.560 align:start position:0%
to the show
 \n\

00:00:04.560 --> 00:00:06.000 align:start position:0%
to the show
the<00:00:04.900><c> show</c>

00:00:06.000 --> 00:00:06.010 align:start position:0%
the show
 \n\

00:00:06.010 --> 00:00:07.000 align:start position:0%
the show
the<00:00:06.500><c> show</c>
"""
ROLLING_JSON3 = json.dumps(
    {
        "wireMagic": "pb3",
        "pens": [{}],
        "wsWinStyles": [{}, {"mhModeHint": 2, "juJustifCode": 0}],
        "events": [
            {"tStartMs": 0, "dDurationMs": 7000, "id": 1, "wpWinPosId": 1, "wsWinStyleId": 1},
            {
                "tStartMs": 160,
                "dDurationMs": 4390,
                "wWinId": 1,
                "segs": [
                    {"utf8": "hello", "acAsrConf": 0},
                    {"utf8": " and", "tOffsetMs": 320, "acAsrConf": 0},
                    {"utf8": " welcome", "tOffsetMs": 639},
                ],
            },
            {
                "tStartMs": 2389,
                "dDurationMs": 2161,
                "wWinId": 1,
                "aAppend": 1,
                "segs": [{"utf8": "\n"}],
            },
            {
                "tStartMs": 2399,
                "dDurationMs": 3601,
                "wWinId": 1,
                "segs": [{"utf8": "to"}, {"utf8": " the", "tOffsetMs": 321}, {"utf8": " show"}],
            },
        ],
    }
).encode()
MANUAL_VTT = """\ufeffWEBVTT - a title

NOTE
This is a remark.

STYLE
::cue { color: red }

1
00:01.000 --> 00:02.000 line:0
<v Fred>No.</v>

2
00:02.000 --> 00:03.000
No.

00:03.000 --> 00:04.000
- <c.loud>No!</c>&nbsp;&lt;really&gt;
- Yes.
"""
SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,000\r\n<b>Hello</b>\r\n\r\n"
    "2\r\n00:00:02,500 --> 00:00:03,000\r\nyou\r\n"
)
TTML = """<?xml version="1.0" encoding="utf-8" ?>
<tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter"
 ttp:tickRate="10000000" ttp:frameRate="25">
<body><div>
<p begin="00:00:01.000" end="00:00:02.000">one <span style="s1">two</span><br />three</p>
<p begin="25000000t" dur="1.5s">&amp; four</p>
<p begin="00:00:05:05" end="6s"> </p>
<p begin="00:00:05:05" end="6s">five</p>
</div></body></tt>"""
SRV1 = '<transcript><text start="1.2" dur="3">it&amp;#39;s</text></transcript>'


@pytest.mark.parametrize("form", ["vtt", "srt", "ttml", "json3"])
def test_what_is_written_is_read_again(form):
    written = formats.write(SAID, form, "en")
    assert cues.read(written, form) == SAID
    assert written.endswith(b"\n") or form == "json3"


@pytest.mark.parametrize(
    ("form", "content", "said"),
    [
        ("srt", SRT, [Cue(1, 2, "Hello"), Cue(2.5, 3, "you")]),
        (
            "vtt",
            MANUAL_VTT,
            [Cue(1, 2, "No."), Cue(2, 3, "No."), Cue(3, 4, "- No! <really>\n- Yes.")],
        ),
        (
            "ttml",
            TTML,
            [Cue(1, 2, "one two\nthree"), Cue(2.5, 4, "& four"), Cue(5.2, 6, "five")],
        ),
        ("srv1", SRV1, [Cue(1.2, 4.2, "it's")]),
        (
            "json3",
            ROLLING_JSON3.decode(),
            [Cue(0.16, 2.399, "hello and welcome"), Cue(2.399, 6.0, "to the show")],
        ),
    ],
)
def test_every_format_is_read(form, content, said):
    found = cues.read(content.encode(), form)
    assert [cue.text for cue in found] == [cue.text for cue in said]
    times = [time for cue in found for time in cue[:2]]
    assert times == pytest.approx([time for cue in said for time in cue[:2]])


def test_rolling_captions_become_text_in_which_nothing_is_repeated():
    rolled = cues.read(ROLLING_VTT.encode(), "vtt")
    assert formats.text_of(rolled) == "hello and welcome\nto the show\nthe show\nthe show\n"
    plain = cues.read(ROLLING_JSON3, "json3")
    assert formats.text_of(plain) == "hello and welcome\nto the show\n"


def test_what_is_said_twice_stays_in_the_text():
    assert formats.text_of(cues.read(MANUAL_VTT.encode(), "vtt")).startswith("No.\nNo.\n- No!")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "content", "why"),
    [
        ("vtt", b"<html>Sorry", "do not begin with WEBVTT"),
        ("json3", b"<html>", "are not json3"),
        ("json3", b'{"events": 5}', "are not json3"),
        ("ttml", b"<tt>", "are not TTML"),
        ("ttml", b"<!DOCTYPE x [<!ENTITY a 'b'>]><tt/>", "document type"),
        ("srt", b"1\n00:zz:00 --> 00:00:01\nx", "a time that is none: '00:zz:00'"),
        ("srt", b"\xff\xfe", "are not UTF-8"),
        ("ass", b"x", "'ass' cannot be converted"),
    ],
)
def test_what_cannot_be_read_says_why(form, content, why):
    with pytest.raises(Unreadable, match=why):
        cues.read(content, form)


def test_every_format_has_a_writer_and_a_media_type():
    assert formats.WRITERS.keys() == formats.MEDIA_TYPES.keys()
    assert set(formats.SOURCES) == set(cues.READERS)
