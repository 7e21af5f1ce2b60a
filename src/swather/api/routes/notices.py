"""Notices over HTTP: notifications, and whether they were delivered."""

from typing import Any

from swather.api import answers_schedules as answers
from swather.api.answers import shown
from swather.api.parameters import Do, Limit, new_router
from swather.api.served import TheStore
from swather.model.action import ActionVerb
from swather.runs.notice_json import deliveries_of, told_data

router = new_router("notices")


@router.get("", response_model=list[answers.Notice])
def list_notices(store: TheStore, limit: Limit = 50) -> Any:
    """Notices, the newest first, and what became of each at its hooks."""
    found = store.notices.find(limit=limit)
    deliveries = deliveries_of(store, found)
    return shown([told_data(notice, deliveries[notice.id]) for notice in found])


@router.post("/retry", response_model=answers.RetriedNotices)
def retry_notices(do: Do, given: answers.RetryNotices | None = None) -> Any:
    """Make deliveries due now that have failed, or wait to be tried again."""
    wanted = None if given is None else given.notices
    number = do.now(ActionVerb.NOTICES_RETRY, "notices", lambda store: store.notices.retry(wanted))
    return {"retried": number}
