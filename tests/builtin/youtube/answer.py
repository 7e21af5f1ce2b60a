"""What the stand-in says to one request."""

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple


class Fault(enum.Enum):
    """What goes wrong with the connection while an answer is sent."""

    TRUNCATED = enum.auto()
    RESET = enum.auto()


class Answer(NamedTuple):
    """Text is sent as it is, anything else as JSON."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = {}
    fault: Fault | None = None
