"""Playlists and channels: each of their videos becomes a target of the same run."""

from typing import Any

from swather.errors import Permanent
from swather.scraping.blocking import SyncContext


def expand(ctx: SyncContext, ydl: Any, url: str) -> None:  # noqa: ARG001 - to be written
    """Add the videos of the list at `url`, which yt-dlp fetches a page at a time."""
    raise Permanent(f"{url} is a list of videos, which cannot be expanded yet", "unsupported_url")
