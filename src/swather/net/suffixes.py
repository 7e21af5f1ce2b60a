"""Domains below which anybody can register: 'co.uk', 'github.io' (the Public Suffix List)."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


@lru_cache(maxsize=4096)
def is_public_suffix(domain: str) -> bool:
    """Whether a domain, in lower-case ASCII, is a public suffix; every top-level domain is."""
    return _suffixes().is_public(domain)


@cache
def _suffixes() -> "PublicSuffixList":
    # Loading it takes 0.1 s and some megabytes, and most processes never need it.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    return PublicSuffixList()
