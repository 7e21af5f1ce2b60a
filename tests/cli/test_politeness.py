from swather import settings_sources
from swather.fleet.worker_factory import politeness
from swather.worker.settings import POLITE


def test_workers_are_as_polite_as_the_settings_say(tmp_path):
    plain = settings_sources.read(folder=tmp_path).settings
    assert politeness(plain) == POLITE
    given = {
        "user_agent": "reaper/1.0",
        "block_base_seconds": 5,
        "auto_concurrency": 3,
        "breaker_window": 7,
        "max_crawl_delay_seconds": 9,
    }
    found = politeness(settings_sources.read(given, folder=tmp_path).settings)
    assert found.user_agent == "reaper/1.0"
    assert found.curve.base_seconds == 5
    assert found.auto.concurrency == 3
    assert found.breaker.window == 7
    assert found.max_crawl_delay_seconds == 9
