"""Notices as programs get them: a command on its standard input, a webhook as its body."""

from collections.abc import Sequence
from typing import Any

import msgspec

from swather.masking import masked_data
from swather.model.notice import Delivery, Notice
from swather.store import Store


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


def told_data(notice: Notice, deliveries: Sequence[Delivery]) -> dict[str, Any]:
    """The notice, and what became of it at its hooks."""
    return {
        "notice": notice.id,
        "uid": notice.uid,
        **{name: value for name, value in data_of(notice).items() if name != "id"},
        "deliveries": [
            {
                "hook": each.words,
                "state": str(each.state),
                "attempts": each.attempts,
                "error": each.error or None,
            }
            for each in deliveries
        ],
    }


def deliveries_of(store: Store, notices: Sequence[Notice]) -> dict[int, list[Delivery]]:
    """By the number of the notice."""
    found: dict[int, list[Delivery]] = {notice.id: [] for notice in notices}
    for each in store.notices.deliveries(list(found)):
        found[each.notice.id].append(each)
    return found
