"""What a check of this machine or its database found, for `doctor` and before a fleet starts."""

from enum import StrEnum
from typing import NamedTuple


class Health(StrEnum):
    """With a WARNING, work is still possible."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "PROBLEM"


class Check(NamedTuple):
    """One thing that was checked."""

    what: str
    health: Health
    said: str
