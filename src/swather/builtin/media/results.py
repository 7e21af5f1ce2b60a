"""What a job came to: statistics per source, and what was cut short."""

from collections.abc import Mapping
from typing import Any

import msgspec


class SourceStats(msgspec.Struct, frozen=True, kw_only=True):
    """What one source came to. Files that were complete before it failed count, too."""

    downloaded: int = 0
    images: int = 0
    videos: int = 0
    success: bool = True
    error: str | None = None


class Ended(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a source ended: `how` names it in the log. Kept in the cursor of the job.

    `reason` is of a failed one, for programs; `cut` says what was left out, and which option
    raises that limit; `unused` counts files that were found and not kept, by why.
    """

    stats: SourceStats
    how: str = "completed"
    reason: str = ""
    seconds: float = 0.0
    cut: str = ""
    unused: dict[str, int] = {}


def results_of(ended: Mapping[str, Ended]) -> dict[str, Any]:
    """The statistics of all sources, in the order in which they were to be asked."""
    stats = {name: one.stats for name, one in ended.items()}
    return {
        "total_downloaded": sum(one.downloaded for one in stats.values()),
        "images": sum(one.images for one in stats.values()),
        "videos": sum(one.videos for one in stats.values()),
        "source_stats": {name: msgspec.to_builtins(one) for name, one in stats.items()},
        "successful_sources": [name for name, one in stats.items() if one.success],
        "failed_sources": [name for name, one in stats.items() if not one.success],
    }


def job_item(
    *, job_id: str, query: str, ended: Mapping[str, Ended], seconds: float
) -> dict[str, Any]:
    """The item of a whole job, after those of its files."""
    return {
        "type": "job",
        "job_id": job_id,
        "query": query,
        "results": results_of(ended),
        "seconds": round(seconds, 3),
        "cut": {name: one.cut for name, one in ended.items() if one.cut},
        "cached_sources": [name for name, one in ended.items() if one.how == "cached"],
        "skipped_sources": [name for name, one in ended.items() if one.how == "skipped"],
        "unused_files": {name: one.unused for name, one in ended.items() if one.unused},
    }
