"""What is known of an attempt that brought no subtitles: what yt-dlp raised, warned of and saw."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from yt_dlp.networking.exceptions import HTTPError, RequestError

from swather.net.errors import retry_after_seconds

_STATUS: Final = re.compile(r"HTTP Error (\d{3})")
_URL: Final = re.compile(r"https?://\S+")
# What is raised when every client of a site failed, without a word of why they did.
_ALL_FAILED: Final = "Failed to extract any player response"
# Warnings that say nothing of the video: of formats that one of several clients was not given.
_CHATTER: Final = re.compile(
    r"PO Token|JavaScript|JS runtime|formats (?:require|have been|may be)|nsig|SABR|"
    r"No video formats found|Requested format|player response|Deprecated|experiment",
    re.IGNORECASE,
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]+")
_PREFIX: Final = re.compile(
    r"^(?:ERROR: *)?(?:\[[\w:.+-]+\] *)?(?:Got error: *)?(?:[\w-]{3,40}: )?"
)
# Of yt-dlp's own command line, or for its developers.
_NOT_FOR_US: Final = re.compile(
    r"[.;]? *(?:Use --cookies|Also see +http|; please report this issue|\(caused by |"
    r"You might want to use a VPN|For more information, refer to|It is recommended to use).*"
)


@dataclass(frozen=True)
class Evidence:
    """`failures` counts earlier attempts that failed, `requests` has the requests of this one that
    did, `languages` says which languages there are if none of them is wanted.
    """

    error: BaseException | None = None
    warnings: Sequence[str] = ()
    requests: Sequence[RequestError] = ()
    info: Mapping[str, Any] = field(default_factory=dict)
    failures: int = 0
    skips_live: bool = False
    uses_proxy: bool = False
    languages: str = ""

    @property
    def texts(self) -> Iterator[str]:
        """What was raised and warned of, with plain apostrophes."""
        if self.error is not None:
            yield str(self.error).replace("\u2019", "'")
        for warning in self.warnings:
            yield warning.replace("\u2019", "'")

    @property
    def reasons(self) -> Iterator[str]:
        """Those of the texts that may be about the video."""
        if self.error is not None:
            yield next(self.texts)
        yield from (text for text in self.texts if not _CHATTER.search(text))

    @property
    def causes(self) -> Iterator[BaseException]:
        """The error, and what it was raised for, where yt-dlp keeps it."""
        waiting, seen = [self.error], set[int]()
        if self.error is not None and _ALL_FAILED in str(self.error):
            waiting += self.requests
        while waiting:
            found = waiting.pop(0)
            if found is None or id(found) in seen:
                continue
            seen.add(id(found))
            yield found
            kept = getattr(found, "exc_info", None) or (None, None, None)
            cause = getattr(found, "cause", None)
            waiting += [kept[1], cause if isinstance(cause, BaseException) else None]
            waiting += getattr(found, "unexpected_errors", [])
            waiting.append(found.__cause__ or found.__context__)

    @property
    def statuses(self) -> set[int]:
        """Those of requests that failed."""
        known = {found.status for found in self._answers()}
        return known | {int(status) for text in self.texts for status in _STATUS.findall(text)}

    @property
    def retry_after_seconds(self) -> float | None:
        """The longest wait that the site has asked for."""
        waits = [retry_after(found) for found in self._answers()]
        return max((wait for wait in waits if wait is not None), default=None)

    @property
    def summary(self) -> str:
        """The error in one line, with the request that failed if it does not say so itself."""
        if self.error is None:
            return readable(next(iter(self.warnings), ""))
        said = readable(str(self.error))
        if _ALL_FAILED in said and self.requests:
            return f"{said}: {self.requests[-1]}"
        is_theirs = type(self.error).__module__.startswith("yt_dlp")
        return said if is_theirs and said else f"{type(self.error).__name__}: {said}"

    def cause(self, *kinds: type[BaseException]) -> Any:
        """The first cause of one of these types, or None."""
        return next((found for found in self.causes if isinstance(found, kinds)), None)

    def said(self, pattern: str) -> str:
        """The first reason that matches, as a person reads it; '' if none does."""
        for text in self.reasons:
            if re.search(pattern, _URL.sub("", text), re.IGNORECASE):
                return readable(text)
        return ""

    def _answers(self) -> Iterator[HTTPError]:
        for found in (*self.causes, *self.requests):
            if isinstance(found, HTTPError):
                yield found


def readable(text: str) -> str:
    """What yt-dlp says of a video, in one line, without its own prefixes and advice."""
    plain = _CONTROL.sub(" ", text).strip()
    return _NOT_FOR_US.sub("", _PREFIX.sub("", plain)).strip()


def retry_after(answer: HTTPError) -> float | None:
    headers = {name.lower(): value for name, value in answer.response.headers.items()}
    return retry_after_seconds(headers)
