"""What the settings say of proxies, Tor and browsers reaches every worker that is made."""

from pathlib import Path
from typing import get_args

import pytest

from swather import scraper, settings_egress, settings_sources
from swather.fleet.worker_factory import browser_policy, new_worker, pool_policy, tor_policy
from swather.model.proxy_choice import ProxyStrategy, Rotation
from swather.net.egress_policy import BrowserPolicy, PoolPolicy, TorPolicy
from swather.settings import Settings


@scraper
async def nothing(ctx, target): ...


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


def read(**given: object) -> Settings:
    return settings_sources.read(given).settings


def test_by_default_the_policies_have_their_own_defaults():
    plain = read()
    assert pool_policy(plain) == PoolPolicy()
    assert tor_policy(plain) == TorPolicy()
    assert browser_policy(plain) == BrowserPolicy()


def test_a_worker_gets_the_policies_of_the_settings():
    given = read(
        proxy_selection_strategy="least_used",
        proxy_rotation="target",
        proxies_per_worker=5,
        proxy_tags="home, fast",
        proxy_blacklist_threshold=3,
        proxy_blacklist_minutes=2,
        proxy_probe_seconds=7,
        tor_binary="/opt/tor",
        tor_socks="127.0.0.1:9050",
        tor_bootstrap_seconds=9,
        chromium="/opt/chromium",
        max_targets_per_browser=4,
        browser_memory_mb=900,
        browser_pages=6,
        browser_block="images,fonts",
    )
    made = new_worker(given, {"nothing": nothing}, url="sqlite:///x.db")._settings
    assert made.pool == PoolPolicy(
        strategy=ProxyStrategy.LEAST_USED,
        rotation=Rotation.TARGET,
        per_worker=5,
        tags=("home", "fast"),
        threshold=3,
        blacklist_seconds=120,
        probe_seconds=7,
    )
    assert made.tor == TorPolicy(
        binary=Path("/opt/tor"), socks="127.0.0.1:9050", bootstrap_seconds=9
    )
    assert made.browser == BrowserPolicy(
        executable=Path("/opt/chromium"),
        max_targets=4,
        memory_mb=900,
        pages=6,
        block=frozenset({"images", "fonts"}),
    )


@pytest.mark.parametrize(
    ("setting", "kind"),
    [("proxy_selection_strategy", ProxyStrategy), ("proxy_rotation", Rotation)],
)
def test_the_settings_know_every_choice(setting, kind):
    (names, _) = get_args(settings_egress.EgressSettings.model_fields[setting].annotation)
    assert set(get_args(names)) == set(kind)
