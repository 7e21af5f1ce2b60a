"""What was read a moment ago: many who ask for the same at once cost the database one read."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from swather.api.guard import SAFE_METHODS, App, Message, Receive, Scope, Send

FOR_SECONDS: Final = 1.0
T = TypeVar("T")


class Recent:
    """Values by name, shared by threads. Whoever asks while a value is read waits for it, and for a
    second after that is given the same. An error is told to those who wait, and not kept.
    """

    def __init__(self, *, for_seconds: float = FOR_SECONDS) -> None:
        self._for_seconds = for_seconds
        self._readings: dict[str, _Reading] = {}
        self._lock = Lock()

    def read(self, name: str, find: Callable[[], T]) -> T:
        with self._lock:
            self._drop_old()
            reading = self._readings.get(name)
            is_ours = reading is None
            if reading is None:
                reading = self._readings[name] = _Reading()
        if is_ours:
            self._fill(name, reading, find)
        value: T = reading.result()
        return value

    def forget(self) -> None:
        """Something was changed: what was read before that is not given to anyone who asks now."""
        with self._lock:
            self._readings.clear()

    def _fill(self, name: str, reading: "_Reading", find: Callable[[], Any]) -> None:
        try:
            value = find()
        except BaseException as error:  # noqa: BLE001 - raised again by its result
            with self._lock:
                if self._readings.get(name) is reading:
                    del self._readings[name]
            reading.set_exception(error)
            return
        reading.until = monotonic() + self._for_seconds
        reading.set_result(value)

    def _drop_old(self) -> None:
        now = monotonic()
        for name in [name for name, reading in self._readings.items() if reading.until <= now]:
            del self._readings[name]


class _Reading(Future[Any]):
    """A value that is being read, or was; given to others `until` then."""

    until = float("inf")


class ForgetAfterChanges:
    """Wraps the application: whoever has changed something sees it on the next page."""

    def __init__(self, app: App, recent: Recent) -> None:
        self._app = app
        self._recent = recent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def forget_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._recent.forget()
            await send(message)

        changes = scope["type"] == "http" and scope["method"] not in SAFE_METHODS
        await self._app(scope, receive, forget_and_send if changes else send)
