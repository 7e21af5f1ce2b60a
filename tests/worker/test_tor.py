"""Workers whose scrapers leave through Tor; without it, nothing leaves."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.model.run import RunState
from swather.net.egress_policy import TorPolicy
from swather.scraping.scraper import scraper
from tests.tor_network import EXITS, TorNetwork
from tests.tor_site import TorSite, tor_site
from tests.worker.given import Shop, wait_until
from tests.worker.sites import NotingSite

PATIENCE_SECONDS = 120.0


# A circuit of the network may fail; on a busy machine it does.
@scraper(tor=True, robots=False, backoff=1)
async def anywhere(ctx, url):
    return (await ctx.get(url)).text


@scraper(tor="nl", robots=False, backoff=1)
def dutch(ctx, url):
    return ctx.get(url).text


@scraper(tor=True, robots=False)
async def stubborn(ctx, url):
    return (await ctx.get(url)).text


@scraper(tor=True, robots=False, retries=0, timeout=4)
async def hasty(ctx, url):
    return (await ctx.get(url)).text


@scraper(tor=True, browser=True, robots=False, backoff=1, timeout=120)
async def rendered(ctx, url):
    return (await ctx.render(url)).text


@scraper
async def direct(ctx, url):
    await ctx.new_identity()


async def _changes(ctx, url):
    exits = [(await ctx.get(url)).text]
    while len(set(exits)) == 1 and len(exits) < 20:
        await ctx.new_identity()
        exits.append((await ctx.get(url)).text)
    return {"exits": exits}


def _changes_blocking(ctx, url):
    exits = [ctx.get(url).text]
    while len(set(exits)) == 1 and len(exits) < 20:
        ctx.new_identity()
        exits.append(ctx.get(url).text)
    return {"exits": exits}


in_a_task = scraper(name="in_a_task", tor=True, robots=False)(_changes)
in_a_thread = scraper(name="in_a_thread", tor=True, robots=False)(_changes_blocking)


@scraper(tor=True, robots=False, isolation="process")
def in_a_process(ctx, url):
    return _changes_blocking(ctx, url)


@pytest.fixture
def tor_site_(tor_net: TorNetwork) -> Iterator[TorSite]:
    with tor_site(tor_net) as opened:
        yield opened


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def policy_in(network: TorNetwork) -> TorPolicy:
    return TorPolicy(config=Path(network.config))


def troubles(shop: Shop) -> list[str]:
    return [str(worker.statistics.get("trouble", "")) for worker in shop.store.workers.find()]


@pytest.mark.slow
def test_without_tor_a_target_fails_and_nothing_is_requested(
    either_shop: Shop, site: NotingSite, tmp_path: Path
):
    policy = TorPolicy(binary=tmp_path / "tor")
    urls = [f"{site.url}/{number}" for number in range(3)]
    run, _ = either_shop.scrape(anywhere, urls, tor=policy, concurrency=1)
    for task in either_shop.tasks(run).values():
        assert (task.state, task.reason) == ("failed", "no_tor")
        assert f"the tor_binary {tmp_path}/tor does not exist" in task.error
    assert site.asked == []


@pytest.mark.slow
def test_a_running_daemon_that_is_not_there_is_waited_for(either_shop: Shop, site: NotingSite):
    run = either_shop.run(anywhere, [f"{site.url}/a"])
    either_shop.start(anywhere, run=run, tor=TorPolicy(socks="127.0.0.1:1"), beat_seconds=0.1)
    wait_until(lambda: any("tor_socks 127.0.0.1:1 cannot" in one for one in troubles(either_shop)))
    wait_until(lambda: either_shop.counts(run) == {"scheduled": 1})
    assert site.asked == []


def test_a_country_and_a_running_daemon_do_not_go_together(shop: Shop, site: NotingSite):
    run, _ = shop.scrape(dutch, [f"{site.url}/a"], tor=TorPolicy(socks="127.0.0.1:1"))
    task = shop.only(run)
    assert task.reason == "bad_input"
    assert "unset it, or use tor=True and set ExitNodes" in task.error
    assert site.asked == []


def test_a_new_identity_needs_tor_or_proxies(shop: Shop):
    run, _ = shop.scrape(direct, [1])
    task = shop.only(run)
    assert task.reason == "bad_input"
    assert "new_identity() needs tor or proxies, and the scraper 'direct' has neither" in task.error


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.usefixtures("chromium")
def test_a_browser_leaves_through_tor_too(shop: Shop, tor_net: TorNetwork, tor_site_: TorSite):
    run, _ = shop.scrape(rendered, [f"{tor_site_.url}/page"], tor=policy_in(tor_net))
    assert shop.counts(run) == {"completed": 1}
    assert set(tor_site_.exits("/page")) <= set(EXITS)
    assert {came_by for came_by, _ in tor_site_.log} <= set(EXITS)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_scrapers_with_and_without_a_country_share_a_worker(
    either_shop: Shop, tor_net: TorNetwork, tor_site_: TorSite, temporary: Path
):
    urls = [f"{tor_site_.url}/{number}" for number in range(4)]
    runs = {one.name: either_shop.run(one, urls) for one in (anywhere, dutch)}
    working = either_shop.start(anywhere, dutch, tor=policy_in(tor_net), forever=True)
    ended = [RunState.FINISHED] * 2
    wait_until(
        lambda: [either_shop.store.runs.get(run).state for run in runs.values()] == ended,
        PATIENCE_SECONDS,
    )
    assert set(either_shop.items(runs["anywhere"])) <= set(EXITS)
    assert {EXITS[name] for name in either_shop.items(runs["dutch"])} == {"nl"}
    assert len(list(temporary.glob("swather-*-tor/*"))) == 2
    working.stop()
    assert list(temporary.glob("swather-*-tor/*")) == []


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_new_identity_changes_the_exit_however_the_scraper_runs(
    shop: Shop, tor_net: TorNetwork, tor_site_: TorSite
):
    scrapers = (in_a_task, in_a_thread, in_a_process)
    runs = [shop.run(one, [f"{tor_site_.url}/{one.name}"]) for one in scrapers]
    shop.start(*scrapers, tor=policy_in(tor_net)).report(PATIENCE_SECONDS)
    for run in runs:
        (item,) = shop.items(run)
        assert len(set(item["exits"])) > 1, run


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_after_a_block_the_next_try_leaves_by_another_circuit(
    shop: Shop, tor_net: TorNetwork, tor_site_: TorSite
):
    paths = [f"/{number}" for number in range(12)]
    for number, path in enumerate(paths):
        tor_site_.answer_once(path, 429 if number % 2 else 503)
    run = shop.run(stubborn, [f"{tor_site_.url}{path}" for path in paths])
    shop.start(stubborn, run=run, tor=policy_in(tor_net), concurrency=1).report(PATIENCE_SECONDS)
    assert shop.counts(run) == {"completed": 12}
    tries = [tor_site_.exits(path) for path in paths]
    assert {len(exits) for exits in tries} == {2}
    # Four exits by chance: all of them the same ones again once in 16 million times.
    assert any(first != second for first, second in tries)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_while_the_network_stands_still_nothing_is_requested(
    either_shop: Shop, tor_net_alone: TorNetwork
):
    with tor_site(tor_net_alone) as site:
        _stop_twice(either_shop, tor_net_alone, site)


def _stop_twice(shop: Shop, network: TorNetwork, site: TorSite) -> None:
    with network.stopped():
        run = shop.run(anywhere, [f"{site.url}/a"])
        working = shop.start(
            anywhere, hasty, tor=policy_in(network), beat_seconds=0.1, forever=True
        )
        wait_until(lambda: any("Tor is connecting, boot" in one for one in troubles(shop)))
        assert site.log == []
    wait_until(lambda: shop.counts(run) == {"completed": 1}, PATIENCE_SECONDS)
    with network.stopped():
        late = shop.run(hasty, [f"{site.url}/b"])
        wait_until(lambda: shop.counts(late) == {"failed": 1}, PATIENCE_SECONDS)
        assert shop.only(late).reason == "timeout"
    working.stop()
    assert [came_by for came_by, _ in site.log if came_by not in EXITS] == []
    assert site.exits("/b") == []
