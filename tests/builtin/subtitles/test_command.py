"""`swather run subtitles` as its users see it: real processes, real yt-dlp, a site on loopback."""

import importlib.util
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from swather.errors import MissingExtra
from swather.scraping import registry
from swather.scraping.available import Available
from swather.testing import Answer, Asked, FakeSite
from tests import forked

PAGE = """<title>A video</title>
<video src='/v.mp4'><track kind='subtitles' srclang='en' src='/en.vtt'></video>"""
VTT = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n"
SECRET = "s3cr3t-s3ss10n"  # noqa: S105 - of nobody


def swather(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("SWATHER_")}
    return forked.run(arguments, cwd=folder, env=known | environment, timeout=50)


@pytest.mark.slow
def test_cookies_are_sent_and_kept_nowhere(tmp_path: Path):
    seen = []

    def page(asked: Asked) -> str:
        seen.append(asked.headers.get("cookie", ""))
        return PAGE

    cookies = tmp_path.parent / f"{tmp_path.name}-cookies.txt"
    line = f"127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t{SECRET}\n"
    cookies.write_text(f"# Netscape HTTP Cookie File\n{line}")
    before = cookies.read_text()
    with FakeSite({"/v": page, "/v.mp4": b"\0", "/en.vtt": VTT}) as site:
        done = swather(tmp_path, "run", "subtitles", f"{site.url}/v", "--cookies", str(cookies))
    assert done.returncode == 0, done.stderr
    assert f"session={SECRET}" in seen[0]
    assert cookies.read_text() == before
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert (tmp_path / "subtitles" / "A video (1) [v-1].en.vtt").read_text() == VTT
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    assert SECRET not in done.stdout + done.stderr
    (item,) = map(json.loads, (tmp_path / "subtitles.jsonl").read_text().splitlines())
    assert item["file"] == "A video (1) [v-1].en.vtt"


@pytest.mark.slow
def test_a_site_that_never_answers_is_cut_off_and_leaves_nothing(tmp_path: Path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with FakeSite({"/v": PAGE, "/v.mp4": b"\0", "/en.vtt": Answer(VTT, seconds=60)}) as site:
        done = swather(
            tmp_path, "run", "subtitles", f"{site.url}/v", "--json",
            TMPDIR=str(temporary), SWATHER_TIMEOUT="3", SWATHER_RETRIES="0",
        )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["counts"]["reasons"] == {"timeout": 1}
    assert [path for path in temporary.rglob("*") if "children" not in path.name] == []
    assert list((tmp_path / "subtitles").glob("*.vtt")) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cats and dogs"], "is neither a URL nor the id of a video"),
        (["dQw4w9WgXcQ", "--lang", "english"], "'english' is not a language code"),
    ],
)
def test_a_mistake_is_told_in_a_line_and_leaves_nothing_behind(tmp_path, arguments, said):
    done = swather(tmp_path, "run", "subtitles", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_without_yt_dlp_a_line_says_what_to_install(monkeypatch, caplog):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "yt_dlp" else find(name, *more),
    )
    monkeypatch.delitem(sys.modules, "swather.builtin.subtitles.scraper", raising=False)
    caplog.set_level(logging.INFO)
    with pytest.raises(MissingExtra, match=r"pip install 'swather\[subtitles\]'"):
        registry.load("subtitles")
    summaries = {known.name: known.summary for known in registry.names()}
    assert summaries["subtitles"] == "subtitles need yt-dlp: pip install 'swather[subtitles]'"
    assert "subtitles" not in Available().all()
    assert not caplog.records
