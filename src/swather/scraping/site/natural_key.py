"""The natural key of a row: the fields that make two rows the same one."""

import unicodedata
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final

from swather.model.key import normalise_url
from swather.scraping.business.key import address_key, name_key, phone_key
from swather.scraping.site.rows import as_text
from swather.scraping.site.ways import Way

MAX_BYTES: Final = 200


def key_of(
    alternatives: tuple[tuple[str, ...], ...],
    values: dict[str, Any],
    fields: Mapping[str, tuple[Way, ...]],
) -> str | None:
    """By the first alternative whose fields all have values; None if there is none."""
    for names in alternatives:
        parts = [_part(values.get(name), fields[name]) for name in names]
        if all(parts):
            key = "|".join(f"{name}={part}" for name, part in zip(names, parts, strict=True))
            if len(key.encode(errors="replace")) <= MAX_BYTES:
                return key
            digest = sha256(key.encode(errors="replace")).hexdigest()
            return f"{'|'.join(names)[:100]}#{digest}"
    return None


def _part(value: Any, ways: tuple[Way, ...]) -> str:
    """What a field adds to a key; '' if it has nothing that tells rows apart."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return str(value)
    kinds = {way.kind for way in ways}
    if "url" in kinds:
        # All that is in an address counts, even its letter case.
        return normalise_url(as_text(value))
    for kind, normal in _OF_KINDS.items():
        if kind in kinds:
            return normal(as_text(value))
    if "phone" in kinds and any((way.reading.country or "").lower() == "us" for way in ways):
        # A number without its area code, for example, is that of many.
        return phone_key(as_text(value))
    return _normal(value)


def _normal(value: Any) -> str:
    """The same for spellings of one thing: letter case, accents' encoding, spaces, punctuation."""
    text = unicodedata.normalize("NFKC", as_text(value)).casefold()
    kept = "".join(each if each.isalnum() or each in "+/:" else " " for each in text)
    return " ".join(kept.split())


_OF_KINDS: Final[dict[str, Callable[[str], str]]] = {"company": name_key, "address": address_key}
