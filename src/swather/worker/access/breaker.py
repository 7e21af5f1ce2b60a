"""The circuit breaker's window: what became of the last attempts of a scraper on a lane."""

import math
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from swather.model.lane import BreakerPolicy
from swather.model.retry import ErrorClass
from swather.scraping.code_version import CodeVersions

MAX_WINDOWS: Final = 10_000
_MAX_TITLE_CHARACTERS: Final = 200
# Refused before the site was asked, or by what stands between it and us: no sign of how it does.
_NO_SIGN: Final = frozenset(
    {
        "robots", "private_address", "bad_url", "bad_input", "missing_extra", "needs_tor", "no_tor",
        "not_stored",
    }
)  # fmt: skip
# Every other named end ("not_found", "no_subtitles") is an answer that was understood.
_NOT_UNDERSTOOD: Final = frozenset({"bad_item", "layout_changed", "login_failed"})

# In place of a status.
NO_ANSWER: Final = "no answer"
NO_REQUEST: Final = "no request"

# A scraper and a lane.
BreakerKey = tuple[str, str]


class Ended(NamedTuple):
    """One attempt: its error class and title, or "" and "", and the last status it was given: 0 if
    a request of ours was not answered, None if there was none, as with a client of the scraper's
    own.
    """

    error_class: str
    title: str
    status: int | None


@lru_cache(maxsize=1_000)
def ended_well(status: int | None) -> Ended:
    return Ended("", "", status)


class Opens(NamedTuple):
    """The breaker opens, or stays open and lets the next attempt through later than before."""

    seen: dict[str, Any]
    probe_seconds: float


class Closes(NamedTuple):
    """An attempt of an open breaker has succeeded."""


@dataclass(slots=True)
class _Window:
    ended: deque[Ended]
    failed: int = 0
    blocked_at: float = -1.0

    def add(self, one: Ended) -> None:
        ended = self.ended
        if len(ended) == ended.maxlen and ended[0].error_class:
            self.failed -= 1
        ended.append(one)
        if one.error_class:
            self.failed += 1


class Opened(NamedTuple):
    """An open breaker; `since` when, by our clock, claims are held back by it: what is claimed
    later is a probe.
    """

    seen: dict[str, Any]
    probe_seconds: float
    since: float


class Breakers:
    """The windows of one worker. What was claimed before a breaker was open for all tells nothing
    about it.
    """

    def __init__(self, policy: BreakerPolicy, codes: CodeVersions) -> None:
        self._policy = policy
        self._codes = codes
        self._windows: OrderedDict[BreakerKey, _Window] = OrderedDict()
        self._open: dict[BreakerKey, Opened] = {}
        self._forgiven: set[tuple[BreakerKey, str]] = set()

    def learn(self, opened: Mapping[BreakerKey, Opened]) -> list[BreakerKey]:
        """These are open, and no others. Those to be closed, since other code than ours opened
        them: once for each code, so that workers with two codes do not do so in turn for ever.
        """
        outdated = [key for key, found in opened.items() if self._forgive(key, found)]
        self._open = {key: found for key, found in opened.items() if key not in outdated}
        for key in opened:
            # Once it is closed, what failed before it opened no longer counts.
            self._windows.pop(key, None)
        return outdated

    def _forgive(self, key: BreakerKey, found: Opened) -> bool:
        code, ours = found.seen.get("code"), self._codes.of(key[0])
        if not code or not ours or code == ours or (key, code) in self._forgiven:
            return False
        self._forgiven.add((key, code))
        return True

    def confirm(self, key: BreakerKey, now: float) -> None:
        """The fleet knows that it is open: what is claimed from now on is a probe."""
        opened = self._open.get(key)
        if opened is not None and now < opened.since:
            self._open[key] = opened._replace(since=now)

    def note_success(self, key: BreakerKey, ended: Ended) -> bool:
        """Take a success into account where no breaker is open, as most are; False if one is:
        then something may follow from it, see `observe`.
        """
        if key in self._open:
            return False
        if self._policy.window:
            window = self._windows.get(key) or self._window(key)
            window.add(ended)
        return True

    def observe(
        self, key: BreakerKey, ended: Ended, *, began_at: float, now: float
    ) -> Opens | Closes | None:
        """What follows from the end of an attempt."""
        if not self._policy.window:
            return None
        opened = self._open.get(key)
        if opened is not None:
            return self._probed(key, opened, ended, began_at)
        window = self._window(key)
        if ended.error_class == ErrorClass.BLOCKED:
            # All that was on its way when the site refused us is one refusal.
            if began_at < window.blocked_at:
                return None
            window.blocked_at = now
        window.add(ended)
        if len(window.ended) < self._policy.window or not ended.error_class:
            return None
        if window.failed < self._policy.share * len(window.ended):
            return None
        del self._windows[key]
        return self._opens(key, seen_in(window.ended), self._policy.probe_seconds)

    def _probed(
        self, key: BreakerKey, opened: Opened, ended: Ended, began_at: float
    ) -> Opens | Closes | None:
        if began_at < opened.since:
            return None
        if not ended.error_class:
            del self._open[key]
            return Closes()
        seconds = min(2 * opened.probe_seconds, self._policy.probe_cap_seconds)
        probe = {"class": ended.error_class, "status": ended.status, "error": _clipped(ended.title)}
        probes = {"probes": opened.seen.get("probes", 0) + 1, "last_probe": probe}
        return self._opens(key, {**opened.seen, **probes}, seconds, opened.since)

    def _opens(
        self, key: BreakerKey, seen: dict[str, Any], seconds: float, since: float = math.inf
    ) -> Opens:
        seen = {**seen, "code": self._codes.of(key[0])}
        self._open[key] = Opened(seen, seconds, since)
        return Opens(seen, seconds)

    def _window(self, key: BreakerKey) -> _Window:
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = _Window(deque(maxlen=self._policy.window))
            if len(self._windows) > MAX_WINDOWS:
                self._windows.popitem(last=False)
        return window


def seen_in(ended: Iterable[Ended]) -> dict[str, Any]:
    """What a person needs to tell a site that is down from a ban and from a broken parser."""
    ended = list(ended)
    failed = [one for one in ended if one.error_class]
    titles = Counter(one.title for one in failed)
    title, times = titles.most_common(1)[0] if titles else ("", 0)
    return {
        "of": len(ended),
        "failed": len(failed),
        "classes": dict(Counter(one.error_class or "ok" for one in ended).most_common()),
        "statuses": dict(Counter(_status(one.status) for one in ended).most_common()),
        "error": _clipped(title),
        "times": times,
    }


def _status(status: int | None) -> str:
    return NO_REQUEST if status is None else str(status or NO_ANSWER)


def _clipped(title: str) -> str:
    return title[:_MAX_TITLE_CHARACTERS]


def told_by(error_class: ErrorClass, reason: str | None) -> bool | None:
    """Whether a failure speaks against the site or the parser; None: it says nothing of them."""
    if error_class in (ErrorClass.PROXY, ErrorClass.LATER):
        return None
    if error_class is ErrorClass.PERMANENT and reason is not None:
        return None if reason in _NO_SIGN else reason in _NOT_UNDERSTOOD
    return True
