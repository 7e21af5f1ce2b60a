"""yt-dlp's own arguments, as `--ytdl key=value`: which may be given, and what their values are.

The run keeps them, and every worker that reads its row uses them: so what runs a program, writes a
file elsewhere or is a secret is refused, whoever asks for it.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

_RUNTIMES: Final = ("deno", "node", "bun", "quickjs")
_FLAGS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _text(value: str) -> str:
    if not value:
        raise ValueError("text")
    return value


def _proxy(value: str) -> str:
    if "@" in value:
        raise ValueError(
            "a URL without a password, which the run would keep in the database (a proxy with one "
            "goes into the variable HTTPS_PROXY)"
        )
    return _text(value)


def _flag(value: str) -> bool:
    if value.lower() not in _FLAGS:
        raise ValueError("true or false")
    return _FLAGS[value.lower()]


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise ValueError("seconds, from 0 to 3600")
    return seconds


def _whole(value: str) -> int:
    if not value.isascii() or not value.isdigit():
        raise ValueError("a whole number")
    return int(value)


def _words(value: str) -> list[str]:
    words = [word.strip() for word in value.split(",")]
    if not all(words):
        raise ValueError("words with commas between them")
    return words


def _runtime(value: str) -> dict[str, Any]:
    """By name only: a path would be a program that the database names."""
    if value not in _RUNTIMES:
        raise ValueError(f"one of {', '.join(_RUNTIMES)}")
    return {value: {}}


def _extractor_arguments(value: str) -> dict[str, dict[str, list[str]]]:
    """As after --extractor-args: 'youtube:player_client=web,tv;skip=hls'."""
    extractor, colon, rest = value.partition(":")
    pairs = [pair.partition("=") for pair in rest.split(";")]
    if not colon or not extractor or not all(name and equals for name, equals, _ in pairs):
        raise ValueError("EXTRACTOR:NAME=VALUE;NAME=VALUE")
    given = {name.replace("-", "_").lower(): values.split(",") for name, _, values in pairs}
    return {extractor.lower(): given}


ALLOWED: Final[Mapping[str, Callable[[str], Any]]] = {
    "age_limit": _whole,
    "allowed_extractors": _words,
    "extractor_args": _extractor_arguments,
    "geo_bypass": _flag,
    "geo_bypass_country": _text,
    "geo_bypass_ip_block": _text,
    "geo_verification_proxy": _proxy,
    "js_runtimes": _runtime,
    "legacyserverconnect": _flag,
    "nocheckcertificate": _flag,
    "prefer_insecure": _flag,
    "proxy": _proxy,
    "sleep_interval_requests": _seconds,
    "sleep_interval_subtitles": _seconds,
    "socket_timeout": _seconds,
    "source_address": _text,
}

# With these, whoever is on the way can read what is sent.
INSECURE: Final = frozenset({"nocheckcertificate", "prefer_insecure", "legacyserverconnect"})

_RUNS_PROGRAMS: Final = "it can run programs"
_WRITES_FILES: Final = (
    "it reads or writes files anywhere; --output-dir and --name place those of a run"
)
_KEPT: Final = "the run would keep it in the database; log in with --cookies FILE"
_OURS: Final = "Swather decides it"
REFUSED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("exec", "exec_cmd", "exec_before_dl_cmd", "postprocessors", "postprocessor_args",
         "external_downloader", "external_downloader_args", "ffmpeg_location", "netrc_cmd",
         "plugin_dirs", "remote_components", "progress_hooks", "postprocessor_hooks", "post_hooks",
         "match_filter", "logger"),
        _RUNS_PROGRAMS,
    ),
    **dict.fromkeys(
        ("paths", "outtmpl", "print_to_file", "enable_file_urls", "download_archive", "cachedir",
         "load_info_filename", "client_certificate", "client_certificate_key", "netrc_location",
         "usenetrc", "writeinfojson", "writedescription", "writethumbnail", "writelink"),
        _WRITES_FILES,
    ),
    **dict.fromkeys(
        ("username", "password", "videopassword", "twofactor", "ap_username", "ap_password",
         "client_certificate_password", "http_headers"),
        _KEPT,
    ),
    **dict.fromkeys(
        ("skip_download", "writesubtitles", "writeautomaticsub", "allsubtitles", "ignoreerrors",
         "ignore_no_formats_error", "quiet", "verbose", "noprogress", "extract_flat"),
        _OURS,
    ),
    **dict.fromkeys(
        ("retries", "extractor_retries", "fragment_retries", "file_access_retries"),
        "Swather retries, see the setting `retries`",
    ),
    "cookiefile": "pass --cookies FILE",
    "cookiesfrombrowser": "export them to a file once, and pass --cookies FILE",
    "subtitleslangs": "pass --lang",
    "subtitlesformat": "pass --format",
    "wait_for_video": "pass --live",
}  # fmt: skip


def options_of(pairs: Iterable[str]) -> dict[str, Any]:
    """yt-dlp's options of 'key=value' texts; ValueError says which cannot be used, and why."""
    made: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip().lstrip("-").replace("-", "_").lower()
        if not equals or not name:
            raise ValueError(f"'ytdl': expected key=value, got {pair!r}")
        value = _value_of(name, text.strip())
        if isinstance(value, dict):
            _merge(made.setdefault(name, {}), value)
        else:
            made[name] = value
    return made


def _value_of(name: str, text: str) -> Any:
    if name in REFUSED:
        raise ValueError(f"'ytdl': {name} is not accepted: {REFUSED[name]}")
    if name not in ALLOWED:
        near = get_close_matches(name, ALLOWED, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(ALLOWED)}"
        raise ValueError(f"'ytdl': {name} is not an argument that can be passed on; {hint}")
    try:
        return ALLOWED[name](text)
    except ValueError as error:
        got = "one with a password" if "@" in text else repr(text)
        raise ValueError(f"'ytdl': {name}: expected {error}, got {got}") from None


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, dict):
            _merge(into.setdefault(name, {}), value)
        else:
            into[name] = value
