"""The log of the proxies tells each change of the pool, whoever made it."""

from pathlib import Path

from swather.fleet.log_file import LogFile
from swather.fleet.proxy_log import ProxyLog
from swather.model.proxy import ProxyFault
from swather.store import Store
from swather.store.clock import Clock
from tests.store.pool import SITE, broke, load, proxies, report, worked


def test_each_change_of_the_pool_is_a_line(store: Store, clock: Clock, tmp_path: Path):
    path = tmp_path / "logs" / "proxies.log"
    handler = LogFile(path, max_bytes=1_000_000, keep=1, delay=True)
    log = ProxyLog(handler)
    log.look(store)
    assert not path.exists()

    def new_lines() -> list[str]:
        before = len(path.read_text().splitlines()) if path.exists() else 0
        log.look(store)
        lines = path.read_text().splitlines()[before:]
        return [line.split(" INFO ")[1] for line in lines]

    first, second = proxies(store, 2)
    assert new_lines() == [
        "http://10.0.0.1:3128 was added or enabled",
        "http://10.0.0.2:3128 was added or enabled",
        "2 proxies in the pool: 0 blacklisted, 0 on some sites",
    ]
    report(store, broke(first, times=3), broke(second, ProxyFault.TIMEOUT, times=3))
    assert new_lines() == [
        "http://10.0.0.1:3128 is blacklisted for 10m",
        f"http://10.0.0.2:3128 is blacklisted on {SITE} for 10m",
        "2 proxies in the pool: 1 blacklisted, 1 on some sites",
    ]
    clock.advance(601)
    report(store, worked(first, is_probe=True))
    assert new_lines()[0] == "http://10.0.0.1:3128 is used again"
    store.proxies.disable([first])
    assert new_lines()[0] == "http://10.0.0.1:3128 was removed or disabled"
    assert new_lines() == []
    handler.close()
    assert path.stat().st_mode & 0o077 == 0


def test_a_password_is_in_no_line(store: Store, tmp_path: Path):
    handler = LogFile(tmp_path / "proxies.log", max_bytes=1_000_000, keep=1)
    log = ProxyLog(handler)
    log.look(store)
    load(store, "http://me:secret@10.0.0.9:3128")
    log.look(store)
    handler.close()
    text = (tmp_path / "proxies.log").read_text()
    assert "10.0.0.9" in text
    assert "secret" not in text
