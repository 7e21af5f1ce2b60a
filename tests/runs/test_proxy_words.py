"""What the pool means for a run, in words, with numbers that are true."""

import re

import pytest

from swather.model.proxy import BlacklistRule, ProxyFault, ProxyReport
from swather.model.proxy_list import ProxyLine
from swather.model.task_filter import TaskFilter
from swather.runs.progress import Watcher
from swather.runs.why import why
from swather.store import Store
from tests.store.given import a_run, a_worker

RULE = BlacklistRule(1, 720)
SITE = "example.com"
POOL = {"_swather": {"egress": {"way_out": "pool", "tags": [], "country": "", "source": ""}}}


def load(store: Store, number: int) -> list[int]:
    lines = [ProxyLine(url=f"http://me:secret@198.51.100.{each}:1") for each in range(number)]
    store.proxies.load(lines, source="test", replace=True)
    return [proxy.id for proxy in store.proxies.pool().proxies]


def blacklist(store: Store, ids: list[int], fault: ProxyFault, rule: BlacklistRule = RULE) -> None:
    store.proxies.report([ProxyReport(each, SITE, faults={fault: 1}) for each in ids], rule)


def a_proxied_run(store: Store, **egress: object) -> str:
    noted = {**POOL["_swather"]["egress"], **egress}
    return a_run(store, 1, lane=SITE, params={"_swather": {"egress": noted}})


def reasons(store: Store, run: str) -> dict[str, str]:
    return {
        reason.code: reason.sentence
        for reason in why(store, run)
        if reason.code.startswith(("prox", "no_prox"))
    }


def test_a_run_that_leaves_directly_says_nothing_of_proxies(store: Store):
    blacklist(store, load(store, 2), ProxyFault.PROXY)
    assert reasons(store, a_run(store, 1, lane=SITE)) == {}


def test_a_pool_that_is_all_usable_is_no_news(store: Store):
    load(store, 2)
    assert reasons(store, a_proxied_run(store)) == {}


def test_without_a_proxy_it_says_how_to_import_some(store: Store):
    ids = load(store, 2)
    store.proxies.disable(ids)
    told = reasons(store, a_proxied_run(store))
    assert "none is enabled for it. `swather proxies enable` enables" in told["no_proxies"]
    assert "To import some: swather proxies import" in told["no_proxies"]


def test_bans_on_a_site_are_counted(store: Store):
    ids = load(store, 50)
    blacklist(store, ids[:30], ProxyFault.BANNED)
    blacklist(store, ids[30:38], ProxyFault.BANNED, BlacklistRule(1, 600))
    run = a_proxied_run(store)
    told = reasons(store, run)["proxies_fewer"]
    assert re.match(
        r"12 of 50 proxies can be used on example\.com: 38 are blacklisted, the first returns at "
        r"\d\d:\d\d:\d\d \(in (10m|9m 5\ds)\)\. To see them: swather proxies ls",
        told,
    )
    (reason,) = (each for each in why(store, run) if each.code == "proxies_fewer")
    assert not reason.stops
    assert (reason.values["usable"], reason.values["blacklisted"]) == (12, 38)


def test_a_dead_proxy_is_counted_for_all_sites(store: Store):
    blacklist(store, load(store, 3)[:1], ProxyFault.PROXY)
    told = reasons(store, a_proxied_run(store))["proxies_fewer"]
    assert told.startswith("2 of 3 proxies can be used: 1 is blacklisted, it returns at ")


@pytest.mark.parametrize("fault", [ProxyFault.PROXY, ProxyFault.BANNED])
def test_if_all_are_out_targets_wait_for_one(store: Store, fault: ProxyFault):
    blacklist(store, load(store, 3), fault)
    run = a_proxied_run(store)
    told = reasons(store, run)
    on = "" if fault is ProxyFault.PROXY else " on example.com"
    assert told["proxies_out"].startswith(f"No proxy can be used{on}, so targets wait for one: 3 ")
    assert "swather proxies enable --all" in told["proxies_out"]
    assert next(each for each in why(store, run) if each.code == "proxies_out").stops


def test_those_that_others_have_leased_are_not_usable(store: Store):
    load(store, 3)
    worker = a_worker(store)
    store.proxies.checkout(worker, 2)
    run = a_proxied_run(store)
    assert reasons(store, run) == {}  # a worker without a run of its own works on this one, too
    store.workers.beat(worker, [], statistics={"run": "another"})
    told = reasons(store, run)["proxies_fewer"]
    assert told.startswith("1 of 3 proxies can be used: 2 are leased by other workers.")


def test_only_the_proxies_that_the_scraper_asks_for_count(store: Store):
    load(store, 3)
    assert "no_proxies" in reasons(store, a_proxied_run(store, tags=["home"]))
    assert reasons(store, a_proxied_run(store, source="test")) == {}
    assert "no_proxies" in reasons(store, a_proxied_run(store, tags="?", source=7))


def test_a_run_without_a_proxy_says_so_once_and_promises_no_end(store: Store):
    blacklist(store, load(store, 3), ProxyFault.PROXY)
    run = a_proxied_run(store)
    for _ in range(2):
        trouble = "all 3 proxies are out; the first returns in 12m"
        said = {"slots": 1, "trouble": trouble, "lacks_proxies": True}
        store.workers.beat(a_worker(store), [], said)
    told = "\n".join(reason.sentence for reason in why(store, run))
    assert told.count("12m") == 1
    assert Watcher(store, run).snapshot().eta_seconds is None
    task = store.tasks.find(TaskFilter(run=run))[0].id
    assert "No proxy can be used" in "\n".join(each.text for each in why(store, str(task)))
