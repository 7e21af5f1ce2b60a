"""Claims tasks, runs scrapers on them, and reports what came of it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swather.worker.report import WorkerReport
    from swather.worker.worker import Worker

__all__ = ["Worker", "WorkerReport"]

_HOMES = {"Worker": "swather.worker.worker", "WorkerReport": "swather.worker.report"}


def __getattr__(name: str) -> Any:
    """Loaded when first used: a child process, which starts often, needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
