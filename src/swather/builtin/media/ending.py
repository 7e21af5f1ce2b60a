"""How a source, or a whole job, ended: statistics, what it failed of, what a limit has cut."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import quote, urlsplit

from swather.builtin.media.asking import Asked, Unused
from swather.builtin.media.download import Fetched
from swather.builtin.media.params import Limits
from swather.builtin.media.results import Ended, SourceStats
from swather.builtin.media.sources.source import SourceFailed
from swather.errors import FetchError, Permanent
from swather.masking import HIDDEN
from swather.model.source import SourceState
from swather.net.errors import ConnectionFailed, FetchTimeout, HttpStatusError, LaneBusy

# Files that the parameters leave out, through no fault of their source.
_LEFT_OUT: Final = frozenset({"unwanted", "too_small", "too_large"})


def ended_of(
    asked: Asked,
    fresh: Sequence[Fetched],
    duplicates: int,
    *,
    limits: Limits,
    limit: int,
    key: str = "",
) -> Ended:
    """`fresh` are the files of the source that are published, at most `limit`; its `key` is not
    shown.
    """
    kinds = Counter(file.type.kind for file in fresh)
    error, reason = _what_failed(asked)
    unused = Counter(one.why for one in asked.unused)
    unused.update({"duplicate": duplicates, "skipped": asked.skipped})
    return Ended(
        stats=SourceStats(
            downloaded=len(fresh),
            images=kinds["image"],
            videos=kinds["video"],
            success=error is None,
            error=error and _without(key, error),
        ),
        how="completed" if error is None else "timeout" if reason == "timeout" else "failed",
        reason=reason,
        seconds=round(asked.seconds, 3),
        cut="; ".join(_cuts(asked, limits, limit)),
        unused={why: count for why, count in sorted(unused.items()) if count},
    )


def skipped_for(state: SourceState) -> Ended:
    """How a source ends that has failed too often lately to be asked."""
    error = f"Skipped for another {state.retry_in:.0f}s, since it keeps failing: {state.reason}"
    return Ended(stats=SourceStats(success=False, error=error), how="skipped", reason="skipped")


def failure_of(ended: Mapping[str, Ended]) -> Permanent:
    """Of a job in which no source has worked."""
    reasons = {one.reason for one in ended.values()}
    if not ended:
        return Permanent(
            "none of the usual sources has what is wanted; name others with --sources",
            reason="not_offered",
        )
    if len(ended) == 1:
        (only,) = ended.values()
        return Permanent(only.stats.error or "", reason=only.reason)
    errors = [f"{name}: {one.stats.error}" for name, one in ended.items()]
    if reasons == {"unreachable"}:
        said = f"no source can be reached, is there a network? {errors[0]}"
        return Permanent(said, reason="no_network")
    return Permanent("; ".join(errors), reason=min(reasons) if len(reasons) == 1 else "no_source")


def _what_failed(asked: Asked) -> tuple[str | None, str]:
    """In words and in a word; (None, '') if the source worked."""
    error = asked.error
    match error:
        case None:
            return _without_files(asked.files, asked.unused)
        case SourceFailed():
            reason: str = error.reason
        case TimeoutError() | FetchTimeout():
            reason = "timeout"
        case HttpStatusError():
            host = urlsplit(error.url).netloc.rpartition("@")[2]
            return f"HTTP {error.status} from {host}", f"http_{error.status}"
        case LaneBusy():
            reason = "blocked" if error.is_closed else "paced"
        case ConnectionFailed():
            reason = "unreachable"
        case FetchError():
            reason = "bad_answer"
        case _:
            return f"{type(error).__name__}: {error}", "error"
    return str(error), reason


def _without_files(files: Sequence[Fetched], unused: Sequence[Unused]) -> tuple[str | None, str]:
    """A source has failed if it had files and none of them could be used, unless it was a person
    who did not want them.
    """
    bad = [one for one in unused if one.why not in _LEFT_OUT]
    if files or not bad:
        return None, ""
    tried = "" if len(bad) == 1 else f"none of {len(bad)} files could be used: "
    return f"{tried}{bad[0].error}", bad[0].why


def _cuts(asked: Asked, limits: Limits, limit: int) -> Iterator[str]:
    """What was left out, and which option raises the limit."""
    unused = Counter(one.why for one in asked.unused)
    if isinstance(asked.error, FetchTimeout):
        yield f"a request took {limits.request_seconds:g} s (--request-timeout)"
    elif isinstance(asked.error, TimeoutError):
        yield (
            f"stopped after {limits.source_seconds:g} s, with {len(asked.files)} of {limit} files "
            "(--source-timeout)"
        )
    if count := unused["timeout"]:
        yield f"{_files(count)} took {limits.file_seconds:g} s (--file-timeout)"
    if count := unused["too_large"]:
        yield f"{_files(count)} too large (--max-file-bytes)"
    if count := unused["paced"]:
        yield f"{_files(count)} too late at the pace of the host (--rate)"
    elif isinstance(asked.error, LaneBusy) and not asked.error.is_closed:
        yield "a request too late at the pace of the host (--rate)"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _without(key: str, text: str) -> str:
    """Some sites want their key in the URL, which errors show."""
    return text.replace(key, HIDDEN).replace(quote(key), HIDDEN) if key else text
