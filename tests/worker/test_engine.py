"""The engine as a whole: every message has somebody who receives it."""

import pytest

from swather.scraping.scraper import scraper
from swather.worker.access.sites import SiteMessage
from swather.worker.engine import Engine
from swather.worker.messages import Message
from tests.worker.given import Shop


@scraper
async def quick(ctx, target):
    return target


def kinds_of(message: type[Message]) -> set[type[Message]]:
    below = {kind for one in message.__subclasses__() for kind in kinds_of(one)}
    return below or {message}


def test_every_message_is_received(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    made: list[Engine] = []
    make = Engine.__init__

    def note(engine: Engine, *given: object) -> None:
        make(engine, *given)
        made.append(engine)

    monkeypatch.setattr(Engine, "__init__", note)
    run, _ = shop.scrape(quick, 3)
    assert shop.counts(run) == {"completed": 3}
    assert set(made[0]._receivers) == kinds_of(Message)
    assert kinds_of(SiteMessage) < kinds_of(Message)
