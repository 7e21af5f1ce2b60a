"""What is logged of a job, its sources and their files."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from swather.builtin.media.log import Line

if TYPE_CHECKING:
    from swather.builtin.media.asking import Unused
    from swather.builtin.media.download import Fetched
    from swather.builtin.media.results import Ended

_WORDS: Final = {"failed": "FAILED", "timeout": "TIMEOUT", "skipped": "SKIPPED"}


def job_start(job_id: str, query: str, sources: Sequence[str]) -> Line:
    return Line(
        "INFO", "job_start",
        ["=== JOB START ===", f"Job ID: {job_id}", f"Query: {query}", f"Sources: {list(sources)}"],
        job_id=job_id, query=query, sources=list(sources),
    )  # fmt: skip


def job_resume(job_id: str, query: str, sources: Sequence[str]) -> Line:
    """A job that was interrupted asks its other sources."""
    return Line(
        "INFO", "job_resume",
        ["=== JOB RESUME ===", f"Job ID: {job_id}", f"Query: {query}", f"Sources: {list(sources)}"],
        job_id=job_id, query=query, sources=list(sources),
    )  # fmt: skip


def job_complete(job_id: str, results: dict[str, Any]) -> Iterator[Line]:
    total, images, videos = results["total_downloaded"], results["images"], results["videos"]
    yield Line(
        "INFO", "job_complete",
        ["=== JOB COMPLETE ===", f"Downloaded: {total}", f"Images: {images}", f"Videos: {videos}"],
        job_id=job_id, downloaded=total, images=images, videos=videos,
    )  # fmt: skip
    worked, failed = results["successful_sources"], results["failed_sources"]
    yield Line(
        "INFO", "statistics",
        ["STATISTICS", f"Success: {_listed(worked)}", f"Failed: {_listed(failed)}"],
        job_id=job_id, success=worked, failed=failed,
    )  # fmt: skip


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def source_lines(
    job_id: str,
    source: str,
    ended: "Ended",
    files: Sequence[tuple[str, "Fetched"]],
    unused: Sequence["Unused"],
) -> Iterator[Line]:
    """A line for every file, and one for how the source ended."""
    about = {"job_id": job_id, "source": source}
    for name, file in files:
        yield Line(
            "INFO", "success",
            [f"SUCCESS: {source}", f"File: {name}", f"Size: {file.size_bytes} bytes",
             f"Time: {file.seconds:.2f}s"],
            **about, file=name, url=file.found.url, size_bytes=file.size_bytes,
            seconds=round(file.seconds, 3),
        )  # fmt: skip
    for one in unused:
        yield Line(
            "WARNING", "unused",
            [f"UNUSED: {source}", f"File: {one.url}", f"{one.why}: {one.error}"],
            **about, url=one.url, why=one.why, error=one.error,
        )  # fmt: skip
    stats = ended.stats
    counts = {"downloaded": stats.downloaded, "images": stats.images, "videos": stats.videos}
    if stats.error is not None:
        yield Line(
            "WARNING" if ended.how == "skipped" else "ERROR",
            ended.how,
            [_WORDS[ended.how], source, stats.error],
            **about, **counts, error=stats.error, reason=ended.reason,
        )  # fmt: skip
        return
    yield Line(
        "INFO", ended.how,
        [ended.how.upper(), source, f"Downloaded: {stats.downloaded}", f"Images: {stats.images}",
         f"Videos: {stats.videos}", f"Time: {ended.seconds:.2f}s"],
        **about, **counts, seconds=round(ended.seconds, 3),
    )  # fmt: skip
