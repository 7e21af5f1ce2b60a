"""Notices as programs get them: a command on its standard input, a webhook as its body."""

from typing import Any

import msgspec

from swather.masking import masked_data
from swather.model.notice import Notice


def data_of(notice: Notice) -> dict[str, Any]:
    """`text` says it in a sentence; chat services show a member of this name."""
    data = {
        "id": notice.uid,
        "kind": str(notice.kind),
        "at": notice.at.isoformat().replace("+00:00", "Z"),
        "scraper": notice.scraper,
        "run": notice.run,
        "text": notice.text,
        "data": notice.data,
    }
    found: dict[str, Any] = masked_data(data)
    return found


def encoded(notice: Notice) -> bytes:
    return msgspec.json.encode(data_of(notice))
