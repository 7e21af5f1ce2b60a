"""A visit: one attempt's use of the browser."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from swather.net.egress import DIRECT, Egress
from swather.net.fetch_policy import FetchPolicy


def _no_headers(url: str) -> Mapping[str, str]:  # noqa: ARG001
    return {}


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Everything the browser needs to know for one attempt.

    new_policy     makes the policy of one request, given whether it is for the page itself or for
                   what the page loads; every request has its own
    egress         how all of them leave
    session        visits of one session share cookies and storage; '' starts without any
    block          what is not loaded: 'images', 'fonts', 'media', 'stylesheets'
    user_agent     None: that of the browser
    headers        those that a request to a URL has besides the browser's own
    storage_state  cookies and local storage to begin with, as Tab.storage_state returns them
    deadline       of the monotonic clock, as it is now; every call ends by then. It moves while
                   requests wait for their turn
    """

    new_policy: Callable[[bool], FetchPolicy]
    deadline: Callable[[], float]
    egress: Egress = DIRECT
    session: str = ""
    block: frozenset[str] = frozenset()
    user_agent: str | None = None
    headers: Callable[[str], Mapping[str, str]] = _no_headers
    storage_state: dict[str, Any] | None = None
