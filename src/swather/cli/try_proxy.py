"""Through which proxy `swather try` sends the requests of a scraper that uses proxies or Tor."""

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

from swather.cli.try_tor import tor_daemon
from swather.errors import InputError
from swather.fleet.worker_factory import tor_policy
from swather.net.egress import Egress, WayOut
from swather.runs.proxy_lists import own_proxies
from swather.runs.words import command
from swather.scraping.proxies import brings_list, selection_of
from swather.scraping.scraper import Scraper
from swather.scraping.targets import target_of
from swather.store import factory

if TYPE_CHECKING:
    from swather.settings import Settings

_INSTEAD: Final = "or name one: --proxy http://host:port"


@contextmanager
def proxy_for(
    scraper: Scraper, settings: "Settings", given: str | None, target: Any
) -> Iterator[str | None]:
    """The given one, else one of the scraper's own list or of the pool, or a Tor daemon; None if
    its requests leave directly.
    """
    with ExitStack() as block:
        chosen = given or _found(scraper, settings, target, block)
        if chosen is not None:
            print(f"through {Egress.through(chosen)}", file=sys.stderr)
        yield chosen


def _found(scraper: Scraper, settings: "Settings", target: Any, block: ExitStack) -> str | None:
    options = scraper.options
    match options.way_out:
        case WayOut.DIRECT:
            return None
        case WayOut.TOR:
            country = options.tor if isinstance(options.tor, str) else ""
            policy = tor_policy(settings)
            socks = policy.socks or block.enter_context(tor_daemon(policy, country))
            return f"socks5h://{socks}"
        case WayOut.POOL:
            if brings_list(options.proxies):
                _, lines = own_proxies(scraper)
                return random.choice(lines).url
            return _of_pool(scraper, settings, target_of(scraper, target).lane)


def _of_pool(scraper: Scraper, settings: "Settings", site: str) -> str:
    path = factory.sqlite_path(settings.db)
    importing = command("proxies", "import", "proxies.txt", url=settings.db)
    if path is not None and not path.exists():
        raise InputError(
            f"this scraper uses proxies, and there is no database {path} that has some; to import "
            f"a list: {importing}, {_INSTEAD}"
        )
    store = factory.open(settings.db)
    try:
        pool = store.proxies.pool(**selection_of(scraper.name, scraper.options.proxies)._asdict())
    finally:
        store.close()
    usable = [each for each in pool.proxies if each.retry_at is None and site not in each.sites]
    if not usable:
        number = len(pool.proxies)
        why = f"none of its {number:,} proxies can be used now" if number else "there is none"
        raise InputError(
            f"this scraper uses proxies, and {why}; import some: {importing}, {_INSTEAD}"
        )
    return random.choice(usable).url
