"""Where pictures and videos come from: one file per source, and what a further one is made of."""

from swather.builtin.media.sources.answer import Address, changed, page_numbers, read, usable
from swather.builtin.media.sources.registry import add_source
from swather.builtin.media.sources.source import (
    Found,
    Source,
    SourceFailed,
    SourceWeb,
    Wanted,
)

__all__ = [
    "Address",
    "Found",
    "Source",
    "SourceFailed",
    "SourceWeb",
    "Wanted",
    "add_source",
    "changed",
    "page_numbers",
    "read",
    "usable",
]
