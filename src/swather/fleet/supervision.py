"""The supervisor's process: its row in the database, its orders, its logs, what it shows."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from time import monotonic
from typing import Any, Final

import msgspec

from swather.errors import BadSetting, NotFound, StoreError
from swather.fleet.fleet_logs import FleetLogs, supervisor_log
from swather.fleet.fleet_scaler import FleetScaler
from swather.fleet.fleet_view import FleetView
from swather.fleet.fleet_watch import FleetTotals, FleetWatch
from swather.fleet.placement import Placement
from swather.fleet.supervisor import Happened, Policy
from swather.fleet.supervisor_thread import SupervisorThread
from swather.model.supervisor import NewSupervisor, Orders
from swather.settings import ALIASES
from swather.settings_sources import checked
from swather.store import Store

BEAT_SECONDS: Final = 1.0
LOOK_SECONDS: Final = 0.2
# Between two looks of the autoscaler.
SCALE_SECONDS: Final = 5.0
_MAX_WHY_CHARACTERS: Final = 200
_WORKERS: Final = "workers"


class Supervision:
    """Keeps workers running until they are done or it is told to stop; for the main thread. Its
    row, `new`, is registered.

    `wanted` is what the row says. A change of the setting `workers` in the database is written
    there, so that whichever came last holds: that, or what a person or an autoscaler has set.
    With a `scaler` and bounds in the row, the number is chosen between these.
    """

    def __init__(
        self,
        store: Store,
        supervisor_id: int,
        new: NewSupervisor,
        placement: Placement,
        policy: Policy,
        logs: FleetLogs,
        watch: FleetWatch,
        view: FleetView,
        scaler: FleetScaler | None = None,
    ) -> None:
        self._store = store
        self._id = supervisor_id
        self._name = new.name
        self._logs = logs
        self._watch = watch
        self._view = view
        self._scaler = scaler
        self._scale_at = 0.0
        self._workers = SupervisorThread(
            placement, policy, new.wanted, self._note, look_seconds=LOOK_SECONDS
        )
        self._beat_at = 0.0
        self._said: dict[str, Any] | None = None
        self._control_version = store.settings.control_version()
        self._in_row = _wanted_in(store)
        self._has_crashed = False
        self._answered = 0
        self._is_replaced = False
        self._last_error = ""
        # Once it is over.
        self.totals: FleetTotals | None = None

    @property
    def is_interrupted(self) -> bool:
        return self._workers.signals > 0 or self._is_replaced

    @property
    def codes(self) -> frozenset[int]:
        """Once it is over: see SupervisorThread."""
        return self._workers.codes

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has stopped it; else its workers have all ended."""
        return self._workers.stops > 0

    def until_it_ends(self) -> None:
        with ExitStack() as block:
            block.callback(self._retire)
            block.callback(self._workers.close)
            block.enter_context(self._view)
            block.enter_context(self._workers.passing_signals())
            self._workers.start()
            while not self._workers.wait(LOOK_SECONDS):
                self._safely(self._look)
            self._safely(self._show)

    def _safely(self, work: Callable[[], None]) -> None:
        """Nothing that goes wrong around them ends the workers."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - it is logged with its traceback
            if (told := repr(error)) != self._last_error:
                self._last_error = told
                supervisor_log.exception("this is a fault; the workers keep running")

    def _look(self) -> None:
        self._answer_signals()
        if monotonic() >= self._beat_at:
            self._beat_at = monotonic() + BEAT_SECONDS
            try:
                self._beat()
            except StoreError as error:
                # Workers deal with that themselves; they keep running as they are.
                self._store.outage.failed(error)
                return
            except NotFound:
                # Another one has taken its place; the next beat says so.
                return
            self._store.outage.answered()
            self._show()

    def _beat(self) -> None:
        if self._has_crashed:
            self._has_crashed = False
            self._store.workers.sweep()
        orders = self._store.supervisors.beat(self._id, self._news())
        if not orders.alive:
            if not self._is_replaced:
                self._is_replaced = True
                self._say(logging.ERROR, f"another supervisor named {self._name} has taken over")
                self._workers.stop(1)
            return
        if orders.control_version != self._control_version:
            self._control_version = orders.control_version
            orders = self._follow_setting(orders)
        orders = self._scaled(orders)
        self._workers.order(orders.wanted, orders.restarts)
        if orders.stops > self._workers.stops:
            self._say(logging.INFO, "asked to stop" + (" now" if orders.stops > 1 else ""))
            self._workers.stop(orders.stops)
        self._logs.proxies.look(self._store)

    def _follow_setting(self, orders: Orders) -> Orders:
        """What somebody sets in the database holds from then on."""
        before, self._in_row = self._in_row, _wanted_in(self._store)
        if self._in_row in (None, before):
            return orders
        wanted, minimum = self._in_row, orders.minimum
        if minimum is None:
            self._store.supervisors.set_wanted(self._id, wanted)
        else:
            self._store.supervisors.set_bounds(self._id, min(minimum, wanted), wanted)
        return self._store.supervisors.beat(self._id)

    def _scaled(self, orders: Orders) -> Orders:
        """With what the autoscaler wants now, if there is one and it is time to ask it."""
        if self._scaler is None or monotonic() < self._scale_at:
            return orders
        if orders.minimum is None or orders.maximum is None or self._workers.stops:
            return orders
        self._scale_at = monotonic() + SCALE_SECONDS
        running = sum(1 for worker in self._workers.standing if worker.where)
        found = self._scaler.look(orders.minimum, orders.maximum, running=running)
        if found.number == orders.wanted:
            return orders
        self._store.supervisors.set_wanted(self._id, found.number)
        self._say(logging.INFO, f"autoscaler: {found.reason}")
        return msgspec.structs.replace(orders, wanted=found.number)

    def _news(self) -> dict[str, Any] | None:
        """What has changed since it was last said."""
        said = {
            "workers": [
                {
                    "number": worker.number,
                    "state": str(worker.state),
                    "where": worker.where,
                    "crashes": worker.crashes,
                    "why": worker.why[:_MAX_WHY_CHARACTERS],
                }
                for worker in self._workers.standing
            ],
            "restarting": self._workers.is_rolling,
            "stopping": self._workers.stops > 0,
        }
        if said == self._said:
            return None
        self._said = said
        return said

    def _show(self) -> None:
        standing = self._workers.standing
        self._watch.note(standing)
        if not self._view.is_due:
            return
        try:
            self._view.show(self._watch.snapshot(standing))
        except (StoreError, NotFound) as error:
            # The database is away, or a run was removed just now.
            supervisor_log.debug("nothing could be shown: %s", error)

    def _answer_signals(self) -> None:
        came = self._workers.signals
        if came > self._answered:
            self._answered = came
            self._say(
                logging.INFO,
                "Finishing running targets; press Ctrl-C again to stop now"
                if came == 1
                else "Stopping now",
            )

    def _note(self, happened: Happened) -> None:
        """On the supervisor's thread."""
        if happened.level >= logging.WARNING:
            self._has_crashed = True
        self._say(*happened)

    def _say(self, level: int, text: str) -> None:
        supervisor_log.log(level, "%s", text)
        self._view.say(text)

    def _retire(self) -> None:
        try:
            self.totals = self._watch.totals()
            lines = list(self.totals.lines())
            self._logs.note(lines)
            said = {"workers": [], "totals": lines}
            self._store.supervisors.retire(self._id, said)
        except (StoreError, NotFound) as error:
            supervisor_log.error("this supervisor could not sign off: %s", error)


def _wanted_in(store: Store) -> int | None:
    """The setting `workers` in the database, under any of its names."""
    row = store.settings.all()
    names = (_WORKERS, *(name for name in ALIASES[_WORKERS] if name.islower()))
    value = next((row[name] for name in names if name in row), None)
    try:
        return None if value is None else int(checked(_WORKERS, value))
    except BadSetting as error:
        supervisor_log.warning("the settings row of the database is ignored: %s", error)
        return None
