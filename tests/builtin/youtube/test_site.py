"""The stand-in is good enough for yt-dlp's own extractor, and counts what it is asked."""

from pathlib import Path
from typing import Any

import pytest

from tests.builtin.youtube.lists import Channel, channel_id
from tests.builtin.youtube.site import EXTRACTOR_ARGS, YouTube, serving

pytestmark = pytest.mark.slow


def youtube_dl(site: YouTube, folder: Path) -> Any:
    import yt_dlp  # noqa: PLC0415 - half a second, which only these tests should take

    return yt_dlp.YoutubeDL(
        {
            "proxy": site.url,
            "nocheckcertificate": True,
            "extractor_args": EXTRACTOR_ARGS,
            "extractor_retries": 0,
            "retries": 0,
            "cachedir": False,
            "quiet": True,
            "no_warnings": True,
            "skip_download": True,
            "writesubtitles": True,
            "subtitleslangs": ["en"],
            "subtitlesformat": "vtt",
            "ignore_no_formats_error": True,
            "outtmpl": f"{folder}/%(id)s",
        }
    )


def test_the_real_extractor_reads_videos_channels_and_playlists(tmp_path: Path):
    ids = [f"cats{number:07}" for number in range(250)]
    site = YouTube(
        {"cats": Channel(ids[:70], [f"short{number:06}" for number in range(35)])},
        {"PLcats0000001": ids},
    )
    with serving(site), youtube_dl(site, tmp_path) as reader:
        info = reader.extract_info("https://youtu.be/good0000001")
        track = Path(info["requested_subtitles"]["en"]["filepath"])
        assert "This is good0000001." in track.read_text()
        assert reader.extract_info("https://youtu.be/silent00001")["requested_subtitles"] is None
        assert site.count("player", "good0000001") == site.count("subtitles", "good0000001") == 1
        listed = {}
        for path in ("@cats/videos", "c/cats/shorts", f"channel/{channel_id('cats')}/videos",
                     "playlist?list=PLcats0000001"):  # fmt: skip
            url = f"https://www.youtube.com/{path}"
            found = reader.extract_info(url, download=False, process=False)
            listed[path] = [entry["id"] for entry in found["entries"]]
        assert listed["@cats/videos"] == listed["channel/UCcats" + "0" * 18 + "/videos"] == ids[:70]
        assert len(listed["c/cats/shorts"]) == 35
        assert listed["playlist?list=PLcats0000001"] == ids
