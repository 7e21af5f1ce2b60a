"""A server of everything: the API and the dashboard over one database."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

from swather.access_token import Tokens, is_loopback, tokens_for
from swather.api.acting import Acting
from swather.api.app import new_app
from swather.api.live import Live
from swather.api.recent import Recent
from swather.api.sampling import Sampling
from swather.api.served import Served
from swather.api.server import Server, address_of, bound
from swather.api.stores import Stores
from swather.errors import InputError
from swather.settings import Settings
from swather.store import factory
from swather.web.errors import draw_problem
from swather.web.pages import PAGES

_NOT_ALONE: Final = (
    "{host} can be reached from other machines, and the server speaks plain HTTP: set "
    "SWATHER_API_TOKEN (16 characters or more) and SWATHER_API_NAMES (the names it is reached by) "
    "first, and put a proxy with TLS in front of it; see docs/guides/serving.md"
)


_LOOK_SECONDS: Final = 0.02


class Dashboard:
    """Opens the database and listens; closes both in the end. `run` or `serving` serves."""

    def __init__(self, settings: Settings) -> None:
        host = settings.api_host
        if not is_loopback(host) and settings.api_token is None:
            raise InputError(_NOT_ALONE.format(host=host))
        self.tokens: Tokens = tokens_for(settings)
        self._store = factory.open(settings.db)
        try:
            self._listening = bound(host, settings.api_port)
        except BaseException:
            self._store.close()
            raise
        self._stores = Stores(self._store)
        self._acting = Acting(self._store)
        self._sampling = Sampling(self._store)
        live = Live()
        served = Served(
            stores=self._stores,
            settings=settings,
            tokens=self.tokens,
            live=live,
            recent=Recent(),
            acting=self._acting,
        )
        app = new_app(served, *PAGES, names=_names(settings), draw=draw_problem)
        self._server = Server(app, self._listening, live.close)

    @property
    def address(self) -> str:
        return address_of(self._listening)

    @property
    def link(self) -> str:
        """Opens the dashboard without asking for the token."""
        return f"{self.address}/login?token={quote(self.tokens.admin, safe='')}"

    def run(self) -> None:
        """Until a signal comes; for the main thread."""
        self._sampling.start()
        self._server.run()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Beside what the block does, on a thread."""
        self._sampling.start()
        thread = threading.Thread(target=self._serve, name="dashboard", daemon=True)
        thread.start()
        try:
            while thread.is_alive() and not self._server.has_started:
                sleep(_LOOK_SECONDS)
            yield
        finally:
            self._server.stop()
            thread.join()

    def _serve(self) -> None:
        self._server.run(handles_signals=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._sampling.close()
        self._acting.close()
        self._stores.close()
        self._listening.close()
        self._store.close()


def _names(settings: Settings) -> frozenset[str]:
    given = settings.api_names.split(",")
    return frozenset(filter(None, [*given, settings.api_host.lower()]))
