"""What a worker asks the store about the hosts of a run, and what it remembers."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from swather.net.private_hosts import NOT_ALLOWED
from swather.scraping.folder_files import FolderFiles
from swather.scraping.scraper import scraper
from swather.worker.access.hosts import MAX_KNOWN, HostAccess
from swather.worker.jobs import Job

PUBLIC = "93.184.216.34"


@scraper
async def books(ctx, url):
    return None


@scraper(allow_private=True)
async def own_network(ctx, url):
    return None


class Asked:
    """The store's allowed hosts, and how often they were asked for."""

    def __init__(self, allowed):
        self._allowed = allowed
        self.times = 0

    def pin(self, *place):
        self.times += 1
        return self._allowed.pin(*place)


class Asking:
    def __init__(self, shop, of=books):
        self.store = shop.store
        self.job = Job(shop.store.runs.get(shop.run(of)), of, FolderFiles(shop.files))
        self.asked = Asked(shop.store.allowed_hosts)
        self._hosts = HostAccess(self.asked, ThreadPoolExecutor(1))

    def type_in(self, host, port=80):
        self.store.allowed_hosts.add(self.job.run.name, [(host, port)])

    def meets(self, host, address, port=80):
        """Why a request is refused, as the fetcher would find out."""
        private = address != PUBLIC
        if self._hosts.is_known(self.job, host, port, private=private):
            return None
        return asyncio.run(self._hosts.refusal(self.job, host, port, address, private=private))

    def many_meet(self, count, host, address, port=80):
        async def main():
            refusal = self._hosts.refusal
            asked = (refusal(self.job, host, port, address, private=True) for _ in range(count))
            return await asyncio.gather(*asked)

        return asyncio.run(main())


@pytest.fixture
def asking(shop):
    return Asking(shop)


def test_a_typed_host_may_be_reached_and_the_store_is_asked_once(asking):
    asking.type_in("127.0.0.1", 8000)
    for _ in range(3):
        assert asking.meets("127.0.0.1", "127.0.0.1", 8000) is None
    assert asking.asked.times == 1


def test_another_port_of_a_typed_host_may_not(asking):
    asking.type_in("127.0.0.1", 8000)
    assert asking.meets("127.0.0.1", "127.0.0.1", 22) == NOT_ALLOWED
    assert asking.meets("127.0.0.1", "127.0.0.1", 80) == NOT_ALLOWED


def test_the_usual_ports_of_a_typed_host_are_one(asking):
    asking.type_in("nas.local")
    assert asking.meets("nas.local", "10.0.0.7", 443) is None
    assert asking.meets("nas.local", "10.0.0.7", 80) is None


def test_a_public_name_is_noted_once_and_held_to_it(asking):
    asking.type_in("shop.example")
    assert asking.meets("shop.example", PUBLIC) is None
    assert asking.meets("shop.example", PUBLIC) is None
    assert asking.asked.times == 0
    run = asking.job.run.name
    assert asking._hosts.take_public() == {run: [("shop.example", 80, PUBLIC)]}
    assert asking._hosts.take_public() == {}
    assert PUBLIC in asking.meets("shop.example", "10.0.0.7")
    assert PUBLIC in asking.meets("shop.example", "10.0.0.7", 443)


def test_a_private_name_may_be_public_for_a_while(asking):
    asking.type_in("shop.example")
    for address in ["10.0.0.7", PUBLIC, "10.0.0.8"]:
        assert asking.meets("shop.example", address) is None


def test_a_name_that_was_public_before_it_was_typed_was_public_when_it_was_typed(asking):
    assert asking.meets("shop.example", PUBLIC) is None
    asking.type_in("shop.example")
    assert PUBLIC in asking.meets("shop.example", "10.0.0.7")


@pytest.mark.parametrize("name", ["localhost", "shop.localhost"])
def test_localhost_is_this_machine_whatever_was_found_first(asking, name):
    asking.type_in(name)
    assert asking.meets(name, PUBLIC) is None
    assert asking.meets(name, "127.0.0.1") is None
    assert asking.meets("localhost.example", "127.0.0.1") == NOT_ALLOWED


def test_a_local_name_that_a_proxy_looks_up_may_be_reached_if_it_was_typed(asking):
    assert asking.meets("nas.local", "nas.local") == NOT_ALLOWED
    asking.type_in("nas.local")
    assert asking.meets("nas.local", "nas.local") is None


def test_a_scraper_that_may_go_anywhere_asks_nobody(shop):
    asking = Asking(shop, own_network)
    assert asking.meets("shop.example", PUBLIC) is None
    assert asking.meets("shop.example", "10.0.0.7") is None
    assert asking.asked.times == 0


def test_what_is_remembered_has_an_end(asking):
    for number in range(MAX_KNOWN + 5):
        asking._hosts._remember((1, f"h{number}.example", 80, False), PUBLIC)
    assert len(asking._hosts._known) == len(asking._hosts._found) == 5


def test_targets_that_begin_together_ask_once(asking):
    asking.type_in("localhost", 8000)
    assert asking.many_meet(64, "localhost", "127.0.0.1", 8000) == [None] * 64
    assert asking.asked.times == 1
