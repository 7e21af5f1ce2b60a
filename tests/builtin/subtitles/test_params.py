"""The options of `subtitles`, and what is said of wrong ones."""

from pathlib import Path

import pytest

from swather.builtin.subtitles.names import FIELDS
from swather.builtin.subtitles.params import Params
from swather.builtin.subtitles.scraper import Subtitles
from swather.builtin.subtitles.ytdl_arguments import ALLOWED, REFUSED, options_of
from swather.errors import InputError, Later
from swather.scraping.params import parse, typed_params
from swather.testing import run_scraper


def test_one_option_may_name_several_languages_and_formats():
    given = parse(Subtitles, ["lang=de, en.*", "lang=-en-GB", "format=srt,txt"])
    assert given == {"lang": ("de", "en.*", "-en-GB"), "format": ("srt", "txt")}
    assert typed_params(Subtitles, given).lang == ("de", "en.*", "-en-GB")


def test_a_cookie_file_is_kept_by_its_path_alone(tmp_path, monkeypatch):
    (tmp_path / "cookies.txt").write_text(
        "# Netscape HTTP Cookie File\n.x\tTRUE\t/\tTRUE\t0\ta\tb\n"
    )
    monkeypatch.chdir(tmp_path)
    assert parse(Subtitles, ["cookies=cookies.txt"]) == {"cookies": str(tmp_path / "cookies.txt")}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("lang=english", "'english' is not a language code; expected a code such as en"),
        ("lang=xx", "'xx' is not a language code"),
        ("lang=en,,de", "expected one or more words"),
        ("lang=en.[", "'en.[' is not a pattern"),
        ("lang=all", "for every language write '.*'"),
        ("lang=-live_chat", "only leaves languages out"),
        ("format=docx", "expected one of vtt, srt, json3, ttml, txt, got 'docx'"),
        ("automatic=maybe", "'automatic': expected"),
        ("live=later", "'live': expected"),
        ("name={titel}.{format}", "unknown field {titel}; did you mean {title}?"),
        ("name={x}.{format}", "it may have {id}, {title}"),
        ("name={title", "is not a template"),
        ("name={title!r}.{format}", "takes no format"),
        ("name={title.__class__}.{format}", "unknown field"),
        ("name={title}.{language}", "must end with .{format}"),
        ("name={language}.{format}", "must have {id} or {title}"),
        ("cookies=/nowhere/c.txt", "there is no file '/nowhere/c.txt'"),
        ("cookies=/dev/null", "there is no file"),
        ("ytdl=proxy", "expected key=value, got 'proxy'"),
        ("ytdl=socket_timout=5", "did you mean socket_timeout?"),
        ("ytdl=socket_timeout=-5", "expected seconds, from 0 to 3600, got '-5'"),
        ("ytdl=nocheckcertificate=perhaps", "expected true or false, got 'perhaps'"),
        ("ytdl=exec=rm -rf /", "exec is not accepted: it can run programs"),
        ("ytdl=--ffmpeg-location=/tmp/x", "ffmpeg_location is not accepted: it can run programs"),
        ("ytdl=js_runtimes=node:/tmp/x", "expected one of deno, node"),
        ("ytdl=paths=/", "paths is not accepted: it reads or writes files anywhere"),
        ("ytdl=proxy=http://me:pw@proxy:80", "expected a URL without a password"),
        ("ytdl=password=x", "would keep it in the database"),
        ("ytdl=subtitleslangs=en", "pass --lang"),
        ("ytdl=extractor_args=youtube", "expected EXTRACTOR:NAME=VALUE"),
    ],
)
def test_a_wrong_value_is_refused_with_what_was_expected(pair, said):
    with pytest.raises(InputError) as refused:
        parse(Subtitles, [pair])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_every_language_needs_a_name_of_its_own():
    with pytest.raises(InputError, match=r"must have \{language\}"):
        parse(Subtitles, ["every_lang=true", "name={id}.{format}"])


def test_a_worker_without_the_file_of_cookies_leaves_targets_to_others(tmp_path):
    """The command has checked that the file is there; a worker may run elsewhere."""
    params = {"cookies": str(tmp_path / "c.txt")}
    with pytest.raises(Later, match=r"there is no file .* on this machine") as later:
        run_scraper(Subtitles, "dQw4w9WgXcQ", params=params)
    assert later.value.after == 60


def test_a_file_that_is_no_cookie_file_is_refused_without_showing_it(tmp_path):
    (tmp_path / "c.json").write_text('[{"name": "a", "value": "secret"}]')
    with pytest.raises(InputError, match="is not a cookies") as refused:
        parse(Subtitles, [f"cookies={tmp_path / 'c.json'}"])
    assert "secret" not in str(refused.value)


def test_cookies_are_not_sent_where_others_could_read_them():
    pairs = ["cookies=c.txt", "ytdl=nocheckcertificate=true", "ytdl=proxy=http://x:1"]
    with pytest.raises(InputError, match="nocheckcertificate cannot be used with cookies"):
        parse(Subtitles, pairs)


def test_arguments_of_yt_dlp_have_its_types():
    assert options_of(
        [
            "socket-timeout=2.5",
            "nocheckcertificate=true",
            "extractor_args=youtube:player_client=tv,web;skip=hls",
            "extractor_args=youtube:lang=de",
            "allowed_extractors=youtube,generic",
        ]
    ) == {
        "socket_timeout": 2.5,
        "nocheckcertificate": True,
        "extractor_args": {
            "youtube": {"player_client": ["tv", "web"], "skip": ["hls"], "lang": ["de"]}
        },
        "allowed_extractors": ["youtube", "generic"],
    }


@pytest.mark.slow
def test_no_argument_is_both_allowed_and_refused():
    assert not ALLOWED.keys() & REFUSED.keys()


def test_the_defaults_are_valid():
    assert Params().lang == ("en.*",)


def test_the_reference_names_every_field_of_a_template():
    page = (Path(__file__).parents[3] / "docs/reference/subtitles.md").read_text()
    assert [field for field in FIELDS if f"`{{{field}}}`" not in page] == []
