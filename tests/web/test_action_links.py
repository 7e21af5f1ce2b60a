"""Where the log of actions leads."""

from datetime import UTC, datetime

import pytest

from swather.model.action import Action, ActionState, ActionVerb
from swather.web.action_links import subject_address


def action(verb: str, subject: str) -> Action:
    return Action(
        id=1,
        at=datetime.now(UTC),
        actor="admin",
        verb=verb,
        subject=subject,
        detail={},
        state=ActionState.DONE,
        done=0,
        total=None,
        error="",
        ended_at=None,
    )


@pytest.mark.parametrize(
    ("verb", "subject", "address"),
    [
        (ActionVerb.RUN_START, "books", "/start/books"),
        (ActionVerb.RUN_CANCEL, "1-books", "/runs/1-books"),
        (ActionVerb.ERRORS_MUTE, "1-books", "/runs/1-books"),
        (ActionVerb.TASK_RETRY, "12", "/tasks/12"),
        (ActionVerb.TASK_RETRY, "9" * 5_000, ""),
        (ActionVerb.LANE_PAUSE, "a.example", "/lanes/show?name=a.example&kind=lane"),
        (ActionVerb.SCRAPER_SET, "books", "/lanes/show?name=books&kind=scraper"),
        (ActionVerb.SCHEDULE_FIRE, "nightly", "/schedules/show?name=nightly"),
        (ActionVerb.SCHEDULE_REMOVE, "nightly", "/schedules"),
        (ActionVerb.SETTING_SET, "rate", "/settings/rate"),
        (ActionVerb.FLEET_SCALE, "home", "/workers"),
        (ActionVerb.DATABASE_CHECK, "database", ""),
        ("pause", "lane a.example", ""),
    ],
)
def test_a_subject_leads_to_its_page(verb: str, subject: str, address: str) -> None:
    assert subject_address(action(verb, subject)) == address


def test_every_verb_names_its_noun_first() -> None:
    assert all(len(verb.split(" ")) == 2 for verb in ActionVerb)
