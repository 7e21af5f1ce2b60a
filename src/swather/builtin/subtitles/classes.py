"""What became of a video, by what yt-dlp says of it: a table, whose first row that fits counts.

yt-dlp raises few types of errors. A reason is a text, and often only a warning: a video that may
not be played is returned as if it had no subtitles, and the status of a request that failed is in
the error's cause, or nowhere if another client was asked after it.
"""

import re
import time
from collections.abc import Callable
from socket import gaierror
from typing import Final, NamedTuple

from yt_dlp.networking.exceptions import HTTPError, ProxyError, TransportError
from yt_dlp.utils import ContentTooShortError, ExtractorError, GeoRestrictedError, UnsupportedError

from swather.builtin.subtitles.evidence import Evidence, readable, retry_after
from swather.errors import Blocked, Later, Permanent, SwatherError, Transient
from swather.net.errors import ConnectionFailed, HttpStatusError, ProxyFailed, Refused

_HOUR: Final = 3600.0
_LIVE_AGAIN_SECONDS: Final = 1800.0
# A run should end; some streams are announced for years from now, as rooms to chat in.
_MAX_WAIT_SECONDS: Final = 7 * 24 * _HOUR
# YouTube keeps no recording of a longer stream.
_MAX_STREAM_SECONDS: Final = 12 * _HOUR
_UNITS: Final = {"second": 1.0, "minute": 60.0, "hour": _HOUR, "day": 24 * _HOUR}
_STARTS_IN: Final = re.compile(r"\b(\d+) (second|minute|hour|day)s?\b")
_LANGUAGES_MISSING: Final = "missing subtitles languages because a PO token"


class Row(NamedTuple):
    """`fits` returns what was said, '' if the row does not fit; `ends` what to raise for it."""

    name: str
    fits: Callable[[Evidence], str]
    ends: Callable[[Evidence, str], SwatherError]


def ending_of(evidence: Evidence) -> SwatherError:
    """What to raise for an attempt that brought no subtitles."""
    if (refused := evidence.cause(Refused)) is not None:
        return Refused(str(refused))
    for row in TABLE if not evidence.languages else _OF_VIDEOS_THAT_PLAY:
        if said := row.fits(evidence):
            return row.ends(evidence, said)
    return _unexpected(evidence, evidence.summary)


def _says(*patterns: str) -> Callable[[Evidence], str]:
    return lambda evidence: evidence.said("|".join(patterns))


def _permanent(reason: str, hint: str = "") -> Callable[[Evidence, str], SwatherError]:
    return lambda _, said: Permanent(f"{said.rstrip('.')}; {hint}" if hint else said, reason)


def _blocked(after: float | None = None, hint: str = "") -> Callable[[Evidence, str], SwatherError]:
    return lambda _, said: Blocked(f"{said.rstrip('.')}; {hint}" if hint else said, after)


def _transient(_: Evidence, said: str) -> SwatherError:
    return Transient(said)


def _twice(reason: str) -> Callable[[Evidence, str], SwatherError]:
    """For what may be a passing whim of the site, once."""

    def ends(evidence: Evidence, said: str) -> SwatherError:
        return Permanent(said, reason) if evidence.failures else Transient(said)

    return ends


def _is_refused(evidence: Evidence) -> str:
    return evidence.summary if evidence.statuses & {429, 503} else ""


def _refused(evidence: Evidence, said: str) -> SwatherError:
    return Blocked(said, evidence.retry_after_seconds)


def _is_status(evidence: Evidence) -> str:
    return evidence.summary if evidence.cause(HTTPError) is not None else ""


def _status(evidence: Evidence, _: str) -> SwatherError:
    answer = evidence.cause(HTTPError)
    return HttpStatusError(answer.status, answer.response.url, retry_after(answer))


def _is_unsupported(evidence: Evidence) -> str:
    return evidence.summary if evidence.cause(UnsupportedError) else ""


def _is_geo(evidence: Evidence) -> str:
    if evidence.cause(GeoRestrictedError):
        return evidence.summary
    return evidence.said(
        r"available (?:in|from) your (?:country|location|region)|blocked it in your country|"
        r"geo.?restrict"
    )


def _is_upcoming(evidence: Evidence) -> str:
    said = evidence.said(r"Premieres in|Premiere will begin|will begin (?:in|shortly)|is upcoming")
    return said or ("it has not begun yet" if _live_status(evidence) == "is_upcoming" else "")


def _upcoming(evidence: Evidence, said: str) -> SwatherError:
    begins_at = evidence.info.get("release_timestamp")
    if isinstance(begins_at, int | float):
        after = max(begins_at - time.time(), 60.0)
    else:
        found = _STARTS_IN.search(said)
        after = float(found[1]) * _UNITS[found[2]] if found else _LIVE_AGAIN_SECONDS
    if after > _MAX_WAIT_SECONDS:
        return Permanent(f"{said.rstrip('.')}; it begins in {after / 86_400:.0f} days", "live")
    return _later(evidence, said, after)


def _is_live(evidence: Evidence) -> str:
    return "it is live" if _live_status(evidence) in {"is_live", "post_live"} else ""


def _live(evidence: Evidence, said: str) -> SwatherError:
    began_at = evidence.info.get("release_timestamp") or evidence.info.get("timestamp")
    if isinstance(began_at, int | float) and time.time() - began_at > _MAX_STREAM_SECONDS:
        return Permanent("it has been live for more than 12 hours", "live")
    return _later(evidence, said, _LIVE_AGAIN_SECONDS)


def _later(evidence: Evidence, said: str, after: float) -> SwatherError:
    if evidence.skips_live:
        return Permanent(said, "live")
    return Later(said, after=after)


def _live_status(evidence: Evidence) -> str:
    return str(evidence.info.get("live_status") or "")


def _is_without(evidence: Evidence) -> str:
    if evidence.error is not None:
        return ""
    return f"no subtitles: {evidence.languages}" if evidence.languages else "it has no subtitles"


def _lacks_token(evidence: Evidence) -> str:
    return readable(next((text for text in evidence.texts if _LANGUAGES_MISSING in text), ""))


def _is_unplayable(evidence: Evidence) -> str:
    """A reason that no row knows; only of a video without formats is it about the video."""
    if evidence.error is not None or evidence.info.get("formats"):
        return ""
    return readable(next(evidence.reasons, ""))


def _is_proxy(evidence: Evidence) -> str:
    """A proxy that is not there is reported as a site that is not: all connections go to it."""
    is_unreached = evidence.uses_proxy and evidence.cause(ConnectionRefusedError, gaierror)
    return evidence.summary if is_unreached or evidence.cause(ProxyError) else ""


def _proxy(_: Evidence, said: str) -> SwatherError:
    return ProxyFailed(said)


def _is_transport(evidence: Evidence) -> str:
    found = evidence.cause(TransportError, ContentTooShortError)
    return "" if found is None or isinstance(found, ProxyError) else evidence.summary


def _transport(_: Evidence, said: str) -> SwatherError:
    return ConnectionFailed(said)


def _is_expected(evidence: Evidence) -> str:
    """What an extractor says on purpose, and no row knows."""
    error = evidence.cause(ExtractorError)
    return evidence.summary if error is not None and error.expected else ""


def _unexpected(evidence: Evidence, said: str) -> SwatherError:
    """yt-dlp no longer understands the site; or this page of it, so two more look."""
    ending: SwatherError = Transient(said)
    if evidence.failures >= 2:
        update = "update yt-dlp: pip install -U yt-dlp"
        ending = Permanent(f"{said.rstrip('.')}; {update}", reason="layout_changed")
    # Only here does it matter where in yt-dlp it happened.
    ending.__cause__ = evidence.error
    return ending


TABLE: Final[tuple[Row, ...]] = (
    Row("rate_limited", _says("This content isn't available, try again later"), _blocked(_HOUR)),
    Row(
        "age_restricted",
        _says("Sign in to confirm your age", "age.restricted", "confirm your age"),
        _permanent("age_restricted", "pass --cookies FILE of an account that may watch it"),
    ),
    Row(
        "bot_check",
        _says("Sign in to confirm you're not a bot", "captcha", "IP is likely being blocked"),
        _blocked(hint="pass --cookies FILE, or set a lower --rate"),
    ),
    Row("too_many_requests", _is_refused, _refused),
    Row(
        "private",
        _says("Private video", "video is private", "playlist is private", "is a private"),
        _permanent("private"),
    ),
    Row(
        "removed",
        _says(
            "has been removed", "has been terminated", "no longer available", "account .*closed",
            "does not exist", "video has been deleted",
        ),
        _permanent("unavailable"),
    ),
    Row(
        "members_only",
        _says("members.only", "channel's members", "Join this channel"),
        _permanent("members_only"),
    ),
    Row(
        "payment",
        _says("requires payment", "Music Premium", "requires purchase", "pay to watch"),
        _permanent("payment_required"),
    ),
    Row("drm", _says("DRM protected"), _permanent("drm")),
    Row("unsupported_url", _is_unsupported, _permanent("unsupported_url")),
    Row(
        "unavailable",
        _says(r"Video unavailable\.?\s*(?:This video (?:is|isn't) (?:not |un)?available\.?)?\s*$"),
        _twice("unavailable"),
    ),
    Row("geo_blocked", _is_geo, _permanent("geo_blocked")),
    Row("unavailable_for_a_reason", _says("Video unavailable"), _twice("unavailable")),
    Row("upcoming", _is_upcoming, _upcoming),
    Row("live", _is_live, _live),
    Row(
        "login_required",
        _says("login required", "Use --cookies", "requires authentication", "registered users"),
        _permanent("login_required", "pass --cookies FILE"),
    ),
    Row(
        "po_token",
        _lacks_token,
        _permanent("po_token_required", "pass --ytdl extractor_args=youtube:po_token=…"),
    ),
    Row("unplayable", _is_unplayable, _transient),
    Row("no_subtitles", _is_without, _permanent("no_subtitles")),
    Row("empty", _says("Did not get any data blocks"), _transient),
    Row("proxy", _is_proxy, _proxy),
    Row("transport", _is_transport, _transport),
    Row("http_status", _is_status, _status),
    Row("expected", _is_expected, _transient),
)  # fmt: skip

_PLAYING: Final = frozenset({"upcoming", "live", "po_token", "no_subtitles"})
_OF_VIDEOS_THAT_PLAY: Final = tuple(row for row in TABLE if row.name in _PLAYING)
