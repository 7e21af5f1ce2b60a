"""A visit: one attempt's use of the browser."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from swather.net.egress import DIRECT, Egress
from swather.net.fetch_policy import FetchPolicy


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Everything the browser needs to know for one attempt.

    new_policy     makes the policy of one request; every request of the page has its own
    egress         how all of them leave
    session        visits of one session share cookies and storage; '' starts without any
    block          what is not loaded: 'images', 'fonts', 'media', 'stylesheets'
    user_agent     None: that of the browser
    headers        sent with every request
    storage_state  cookies and local storage to begin with, as Tab.storage_state returns them
    deadline       of the monotonic clock; every call ends by then
    """

    new_policy: Callable[[], FetchPolicy]
    deadline: float
    egress: Egress = DIRECT
    session: str = ""
    block: frozenset[str] = frozenset()
    user_agent: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    storage_state: dict[str, Any] | None = None
