"""With `log_targets`, a worker logs a line for each target, once its outcome is committed."""

import logging

import pytest

from swather import Permanent, Transient, scraper
from tests.worker.given import Shop


@scraper(retries=1, lane=lambda target: target["lane"])
def mixed(ctx, target):
    match target["does"]:
        case "items":
            return [{"n": 1}, {"n": 2}]
        case "fails":
            raise Permanent("it is \x1b[31mgone, see http://me:secret@example.com", "gone")
        case "again":
            raise Transient("not now", after=0.04)
    return None


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == "swather.worker.target_log"
    ]


def test_each_target_has_a_line_that_says_what_is_committed(
    shop: Shop, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO)
    targets = [{"does": what, "lane": "a"} for what in ("items", "nothing", "fails", "again")]
    run, report = shop.scrape(mixed, targets, log_targets=True)
    found = sorted(lines(caplog))
    assert [line.split(" {")[0] for line in found] == [
        "completed",
        "completed",
        "failed",
        "failed",
        "to be retried",
    ]
    assert report.completed + report.failed + report.retried == len(found)
    assert found[0].endswith(" s: 2 items, lane a")
    assert found[1].endswith(" s: 0 items, lane a")
    text = "\n".join(found)
    assert "gone: it is" in text
    assert "Exceeded retries: not now" in text
    assert "transient: not now, due in 0.0 s" in text
    assert "\x1b" not in text
    assert "secret" not in text
    assert shop.counts(run) == {"completed": 2, "failed": 2}


def test_without_it_there_is_none(shop: Shop, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO)
    shop.scrape(mixed, [{"does": "items", "lane": ""}])
    assert lines(caplog) == []
