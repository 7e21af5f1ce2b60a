"""The class table, row by row, with texts as yt-dlp raises and warns of them."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest
from yt_dlp.networking import Response
from yt_dlp.networking.exceptions import HTTPError, IncompleteRead, ProxyError, TransportError
from yt_dlp.utils import DownloadError, ExtractorError, GeoRestrictedError, UnsupportedError

from swather.builtin.subtitles import classes
from swather.builtin.subtitles.classes import TABLE, ending_of
from swather.builtin.subtitles.evidence import Evidence, readable
from swather.scraping.classify import classify
from swather.worker.access.breaker import told_by

COOKIES = (
    "Use --cookies-from-browser or --cookies for the authentication. See  https://x/faq  for how "
    "to manually pass cookies. Also see  https://x/wiki  for tips"
)
UPLOADER = "The uploader has not made this video available in your country"
REPORT = "; please report this issue on  https://github.com/yt-dlp/yt-dlp/issues?q=  , filling out"


def raised(cause: BaseException, text: str = "") -> DownloadError:
    """As YoutubeDL.trouble raises it."""
    return DownloadError(f"ERROR: {text or cause}", (type(cause), cause, None))


def extractor_error(text: str, *, expected: bool = True) -> DownloadError:
    return raised(ExtractorError(text, expected=expected, video_id="x" * 11, ie="youtube"))


def answer(status: int, **headers: str) -> HTTPError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HTTPError(Response(io.BytesIO(), "https://s/api?secret=1", named, status=status))


def unreached() -> TransportError:
    return TransportError(cause=ConnectionRefusedError(111, "Connection refused"))


def warned(*texts: str, **known) -> Evidence:
    return Evidence(warnings=[f"[youtube] dQw4w9WgXcQ: {text}" for text in texts], **known)


PLAYER = extractor_error("Failed to extract any player response", expected=False)
NOW = 1_771_142_400
IN_AN_HOUR = NOW + 3600

PASSING = ("transient", None, None)
REFUSED = ("blocked", None, None)
AGAIN = ("later", "too_late", 1800)
# The row, what was seen, and what becomes of it: class, reason, seconds.
ROWS = [
    (
        "rate_limited",
        warned("Video unavailable. This content isn't available, try again later. The current …"),
        ("blocked", None, 3600),
    ),
    ("age_restricted", warned(f"Sign in to confirm your age. {COOKIES}"), "age_restricted"),
    ("bot_check", warned(f"Sign in to confirm you’re not a bot. {COOKIES}"), REFUSED),  # noqa: RUF001 - as YouTube writes it
    ("bot_check", warned("YouTube is requiring a captcha challenge"), REFUSED),
    (
        "bot_check",
        Evidence(extractor_error("Invalid. Your IP is likely being blocked by Youtube")),
        REFUSED,
    ),
    (
        "too_many_requests",
        Evidence(raised(answer(429, retry_after="90"))),
        ("blocked", None, 90),
    ),
    ("too_many_requests", Evidence(PLAYER, requests=[answer(429)]), REFUSED),
    (
        "too_many_requests",
        Evidence(PLAYER, ["Unable to download API page: HTTP Error 503: Service Unavailable"]),
        REFUSED,
    ),
    (
        "private",
        warned(f"Private video. Sign in if you've been granted access. {COOKIES}"),
        "private",
    ),
    (
        "removed",
        warned("Video unavailable. This video has been removed by the uploader"),
        "unavailable",
    ),
    (
        "removed",
        warned(
            "This video is no longer available because the YouTube account associated with this "
            "video has been terminated."
        ),
        "unavailable",
    ),
    (
        "members_only",
        warned("Join this channel to get access to members-only content like this video"),
        "members_only",
    ),
    ("payment", warned("This video requires payment to watch."), "payment_required"),
    ("drm", Evidence(extractor_error("This video is DRM protected")), "drm"),
    ("unsupported_url", Evidence(raised(UnsupportedError("https://x/captcha"))), "unsupported_url"),
    ("unavailable", warned("Video unavailable"), PASSING),
    ("unavailable", warned("Video unavailable. This video is not available"), PASSING),
    ("unavailable", warned("Video unavailable", failures=1), "unavailable"),
    ("geo_blocked", warned(UPLOADER), "geo_blocked"),
    (
        "geo_blocked",
        Evidence(raised(GeoRestrictedError("Not here", countries=["DE"]))),
        "geo_blocked",
    ),
    (
        "geo_blocked",
        warned(
            "Video unavailable. This video contains content from X, who has blocked it in your "
            "country on copyright grounds",
            failures=1,
        ),
        "geo_blocked",
    ),
    ("unavailable_for_a_reason", warned("Video unavailable. Because", failures=1), "unavailable"),
    ("upcoming", warned("Premieres in 2 hours"), ("later", "too_late", 7200)),
    ("upcoming", warned("This live event will begin in 3 days."), ("later", "too_late", 259_200)),
    (
        "upcoming",
        warned(
            "Premieres soon", info={"live_status": "is_upcoming", "release_timestamp": IN_AN_HOUR}
        ),
        ("later", "too_late", 3600),
    ),
    ("upcoming", warned("Premieres in 2 hours", skips_live=True), "live"),
    ("upcoming", warned("This live event will begin in 8 days."), "live"),
    ("live", Evidence(info={"live_status": "is_live"}), AGAIN),
    ("live", Evidence(info={"live_status": "is_live"}, languages="only de"), AGAIN),
    (
        "live",
        Evidence(info={"live_status": "is_live", "release_timestamp": IN_AN_HOUR - 50_400}),
        "live",
    ),
    (
        "login_required",
        Evidence(extractor_error(f"This needs a login. {COOKIES}")),
        "login_required",
    ),
    (
        "po_token",
        warned("There are missing subtitles languages because a PO token was not provided."),
        "po_token_required",
    ),
    ("unplayable", warned("The moon is in the way"), PASSING),
    ("no_subtitles", Evidence(), "no_subtitles"),
    (
        "no_subtitles",
        warned("Some web client https formats require a GVS PO Token"),
        "no_subtitles",
    ),
    (
        "no_subtitles",
        warned("Some tv client https formats have been skipped as they are DRM protected."),
        "no_subtitles",
    ),
    ("no_subtitles", warned("Sign in to confirm your age", languages="only de"), "no_subtitles"),
    ("no_subtitles", warned("A word", info={"formats": [{}]}), "no_subtitles"),
    ("empty", Evidence(DownloadError("ERROR: Did not get any data blocks")), PASSING),
    ("proxy", Evidence(raised(ProxyError("Unable to connect to proxy"))), ("proxy", None, None)),
    ("proxy", Evidence(PLAYER, requests=[ProxyError("refused")]), ("proxy", None, None)),
    ("proxy", Evidence(raised(unreached()), uses_proxy=True), ("proxy", None, None)),
    ("transport", Evidence(raised(unreached())), PASSING),
    ("transport", Evidence(raised(TransportError("timed out"))), PASSING),
    ("transport", Evidence(raised(IncompleteRead(5, 9))), PASSING),
    ("transport", Evidence(PLAYER, requests=[TransportError("reset")]), PASSING),
    ("http_status", Evidence(raised(answer(404))), "not_found"),
    ("http_status", Evidence(raised(answer(502))), PASSING),
    ("expected", Evidence(extractor_error("We are tired today")), PASSING),
    ("", Evidence(PLAYER, failures=1), PASSING),
    ("", Evidence(KeyError("captions"), failures=1), PASSING),
    ("", Evidence(KeyError("captions"), failures=2), "layout_changed"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "evidence", "meaning"), ROWS)
def test_the_first_row_that_fits_decides(monkeypatch, name, evidence, meaning):
    monkeypatch.setattr(classes, "time", SimpleNamespace(time=lambda: NOW))
    fitting = [row.name for row in TABLE if row.fits(evidence)] or [""]
    if not evidence.languages:
        assert fitting[0] == name
    found = classify(ending_of(evidence))
    kind, reason, after = ("permanent", meaning, None) if isinstance(meaning, str) else meaning
    assert (found.fault.error_class, found.reason) == (kind, reason)
    assert found.after_seconds == after


def test_every_row_has_an_example():
    assert {name for name, _, _ in ROWS} == {"", *(row.name for row in TABLE)}


def test_a_reason_of_a_video_is_not_held_against_the_site():
    """A breaker must not open on a channel whose videos are private; it must when yt-dlp is old."""
    reasons = {meaning for _, _, meaning in ROWS if isinstance(meaning, str)}
    for reason in reasons - {"layout_changed"}:
        assert told_by(classify(ending_of(Evidence())).fault.error_class, reason) is False, reason
    assert told_by(classify(ending_of(Evidence())).fault.error_class, "layout_changed") is True


def test_an_extractor_that_fails_three_times_needs_an_update():
    said = str(ending_of(Evidence(KeyError("captions"), failures=2)))
    assert said == "KeyError: 'captions'; update yt-dlp: pip install -U yt-dlp"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"ERROR: [youtube] dQw4w9WgXcQ: Private video. {COOKIES}", "Private video"),
        ("ERROR: \r[download] Got error: HTTP Error 429: Busy", "HTTP Error 429: Busy"),
        (f"ERROR: [youtube] dQw4w9WgXcQ: It broke{REPORT}", "It broke"),
        ("ERROR: two\nlines\x1b[31m", "two lines [31m"),
    ],
)
def test_what_is_said_is_one_line_without_advice_about_yt_dlp(text, said):
    assert readable(text) == said


def test_the_reference_names_every_reason():
    page = (Path(__file__).parents[3] / "docs/reference/subtitles.md").read_text()
    reasons = {meaning for _, _, meaning in ROWS if isinstance(meaning, str)}
    assert [reason for reason in reasons if f"`{reason}`" not in page] == []
