"""The videos of the stand-in. A video's id begins with the name of its scenario: `private0001`."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from tests.builtin.youtube.answer import Answer, Fault

FORMAT = {
    "itag": 18,
    "url": "https://rr1.googlevideo.com/videoplayback?id=1",
    "mimeType": 'video/mp4; codecs="avc1.42001E, mp4a.40.2"',
    "quality": "medium",
    "width": 640,
    "height": 360,
}
TRY_LATER = "This content isn't available, try again later."
NOT_A_BOT = "Sign in to confirm you’re not a bot"  # noqa: RUF001 - as YouTube writes it
TERMINATED = (
    "This video is no longer available because the YouTube account associated with this video has "
    "been terminated."
)
MEMBERS = "Join this channel to get access to members-only content like this video"
NOT_HERE = "The uploader has not made this video available in your country"


class Scenario(NamedTuple):
    """What is wrong with a video: with its player answer, or with its subtitles."""

    reason: str = ""
    """What the player says instead of playing; there are no tracks then."""
    detail: str = ""
    status: str = "OK"
    screen: Mapping[str, Any] = {}
    """More of the error screen."""
    details: Mapping[str, Any] = {}
    """More of `videoDetails`."""
    answer: Mapping[str, Any] = {}
    """More of the player's answer."""
    languages: tuple[str, ...] = ("en", "de", "a.en")
    """Its tracks; those with `a.` are automatic."""
    player: Answer | None = None
    """Instead of a player answer."""
    subtitles: Answer | None = None
    """Instead of a track."""
    passes: bool = False
    """Whether the trouble ends after it was met often enough."""


BUSY = Answer("Too many requests", 429, {"Retry-After": "1"})
SCENARIOS = {
    "good": Scenario(),
    # The class table of yt-dlp's messages, in its order.
    "limited": Scenario("Video unavailable", TRY_LATER, "ERROR", passes=True),
    "age": Scenario("Sign in to confirm your age", "It may be inappropriate.", "LOGIN_REQUIRED"),
    "bot": Scenario(NOT_A_BOT, status="LOGIN_REQUIRED", passes=True),
    "captcha": Scenario(
        "Video unavailable",
        status="ERROR",
        screen={"playerCaptchaViewModel": {"siteKey": "1"}},
        passes=True,
    ),
    "other": Scenario(details={"videoId": "dQw4w9WgXcQ"}, passes=True),
    "busy": Scenario(subtitles=BUSY, passes=True),
    "private": Scenario("Private video", "Sign in if you've been granted access", "LOGIN_REQUIRED"),
    "removed": Scenario(
        "Video unavailable", "This video has been removed by the uploader", "ERROR"
    ),
    "terminated": Scenario("Video unavailable", TERMINATED, "ERROR"),
    "members": Scenario(MEMBERS, status="UNPLAYABLE"),
    "drm": Scenario(
        answer={"streamingData": {"licenseInfos": [{"drmFamily": "WIDEVINE"}]}}, languages=()
    ),
    "gone": Scenario("Video unavailable", status="ERROR"),
    "geo": Scenario("Video unavailable", NOT_HERE, "UNPLAYABLE"),
    "premiere": Scenario(
        "Premieres in 2 hours", status="LIVE_STREAM_OFFLINE", details={"isUpcoming": True}
    ),
    "live": Scenario(
        details={"isLive": True, "isLiveContent": True}, answer={"streamingData": {}}, languages=()
    ),
    "silent": Scenario(languages=()),
    "auto": Scenario(languages=("a.en",)),
    "empty": Scenario(subtitles=Answer(""), passes=True),
    "cut": Scenario(subtitles=Answer("WEBVTT\n\n" * 99, fault=Fault.TRUNCATED), passes=True),
    "reset": Scenario(subtitles=Answer("", fault=Fault.RESET), passes=True),
    "down": Scenario(player=Answer("Service unavailable", 503), passes=True),
    "hurried": Scenario(player=BUSY, passes=True),
    "dropped": Scenario(player=Answer("", fault=Fault.RESET), passes=True),
    # What the extractor does not expect.
    "changed": Scenario(
        answer={
            "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": [{"baseUrl": 5}]}}
        }
    ),
}


def scenario_of(video: str) -> Scenario:
    """An id that begins with no scenario's name is that of a good video."""
    name = re.match("[a-z]*", video)
    return SCENARIOS.get(name[0] if name else "", SCENARIOS["good"])


def player_answer(video: str, *, troubled: bool) -> Answer:
    scenario = scenario_of(video)
    if scenario.passes and not troubled:
        scenario = SCENARIOS["good"]
    if scenario.player is not None:
        return scenario.player
    tracks = () if scenario.reason else scenario.languages
    answer = {
        "playabilityStatus": _playability(scenario),
        "videoDetails": {
            "videoId": video,
            "title": f"Video {video}",
            "lengthSeconds": "61",
            "channelId": "UCstandinstandinstandin0",
            "author": "Stand-in",
            "isLiveContent": False,
            **scenario.details,
        },
        "microformat": {"playerMicroformatRenderer": _microformat(scenario)},
        "captions": {
            "playerCaptionsTracklistRenderer": {
                "captionTracks": [_track(video, code) for code in tracks]
            }
        },
        "streamingData": {} if scenario.reason else {"formats": [FORMAT]},
        **scenario.answer,
    }
    return Answer(answer)


def next_answer() -> Answer:
    """What is beside a video: the extractor takes the channel's name from it."""
    owner = {"videoOwnerRenderer": {"title": {"runs": [{"text": "Stand-in"}]}}}
    contents = [{"videoSecondaryInfoRenderer": {"owner": owner}}]
    results = {"results": {"results": {"contents": contents}}}
    return Answer({"contents": {"twoColumnWatchNextResults": results}})


def _microformat(scenario: Scenario) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "publishDate": "2026-02-15T08:00:00Z",
        "uploadDate": "2026-02-15T08:00:00Z",
        "ownerChannelName": "Stand-in",
        "availableCountries": ["DE", "FR"],
    }
    if scenario.details.get("isUpcoming"):
        begins_at = datetime.now(UTC) + timedelta(hours=2)
        facts["liveBroadcastDetails"] = {"startTimestamp": begins_at.isoformat(timespec="seconds")}
    return facts


def _playability(scenario: Scenario) -> dict[str, Any]:
    if not scenario.reason:
        return {"status": scenario.status}
    message = {
        "reason": {"simpleText": scenario.reason},
        "subreason": {"simpleText": scenario.detail},
    }
    screen = {"playerErrorMessageRenderer": message, **scenario.screen}
    return {"status": scenario.status, "reason": scenario.reason, "errorScreen": screen}


def _track(video: str, code: str) -> dict[str, Any]:
    language = code.removeprefix("a.")
    is_automatic = code != language
    return {
        "baseUrl": f"https://www.youtube.com/api/timedtext?v={video}&lang={language}"
        + ("&kind=asr" if is_automatic else ""),
        "name": {"runs": [{"text": language + " (auto-generated)" * is_automatic}]},
        "vssId": code if is_automatic else f".{code}",
        "languageCode": language,
        "isTranslatable": True,
        **({"kind": "asr"} if is_automatic else {}),
    }


def subtitle_answer(video: str, language: str, extension: str, *, troubled: bool) -> Answer:
    scenario = scenario_of(video)
    if troubled and scenario.subtitles is not None:
        return scenario.subtitles
    lines = [f"This is {video}.", f"It speaks {language}.", "That was all."]
    return Answer(_document(lines, extension))


def _document(lines: list[str], extension: str) -> str:
    """One line each second."""
    match extension:
        case "vtt":
            cues = [
                f"00:00:0{at}.000 --> 00:00:0{at + 1}.000\n{line}\n"
                for at, line in enumerate(lines)
            ]
            return "WEBVTT\nKind: captions\n\n" + "\n".join(cues)
        case "srt":
            cues = [
                f"{at + 1}\n00:00:0{at},000 --> 00:00:0{at + 1},000\n{line}\n"
                for at, line in enumerate(lines)
            ]
            return "\n".join(cues)
        case "json3":
            events = [
                {"tStartMs": at * 1_000, "dDurationMs": 1_000, "segs": [{"utf8": line}]}
                for at, line in enumerate(lines)
            ]
            return json.dumps({"wireMagic": "pb3", "events": events})
        case _:
            cues = [
                f'<p begin="00:00:0{at}.000" end="00:00:0{at + 1}.000">{line}</p>'
                for at, line in enumerate(lines)
            ]
            return (
                '<?xml version="1.0" encoding="utf-8" ?><tt xml:lang="en" '
                'xmlns="http://www.w3.org/ns/ttml"><body><div>'
                + "".join(cues)
                + "</div></body></tt>"
            )
