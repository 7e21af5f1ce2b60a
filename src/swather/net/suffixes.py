"""Domains below which anybody can register: 'co.uk', 'github.io' (the Public Suffix List)."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


@lru_cache(maxsize=4096)
def is_public_suffix(domain: str) -> bool:
    """Whether a domain in lower-case ASCII is nobody's own; every top level is."""
    return _suffixes().is_public(domain)


@cache
def _suffixes() -> "PublicSuffixList":
    # Reading it takes a tenth of a second and some megabytes, which most processes never need.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    return PublicSuffixList()
