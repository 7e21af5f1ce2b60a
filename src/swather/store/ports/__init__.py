"""The verbs of a store, one protocol per noun. Both databases implement all of them.

Verbs block and are atomic: each is one transaction, or (where it says so) several that can be
repeated safely. Threads that share a store take turns. What must not wait for its turn (the beat, a
dashboard) opens a store of its own.
"""

from swather.store.ports.actions import Actions
from swather.store.ports.history import FINE_SECONDS, HISTORY_DAYS, SAMPLE_SECONDS, History
from swather.store.ports.lanes import LEARNED_SECONDS, Breakers, Lanes
from swather.store.ports.memories import Memories
from swather.store.ports.notices import Notices
from swather.store.ports.partitions import Partitions
from swather.store.ports.proxies import Proxies
from swather.store.ports.queue import Fence, Finished, Hints, Queue
from swather.store.ports.results import ITEM_SCAN, MAX_ANCESTORS, Events, Results
from swather.store.ports.runs import Loads, Runs
from swather.store.ports.schedules import Schedules
from swather.store.ports.sources import Sources
from swather.store.ports.store import Store
from swather.store.ports.supervisors import Supervisors
from swather.store.ports.tasks import SCAN, Counted, Enqueued, Found, Tasks
from swather.store.ports.upkeep import Settings, Upkeep
from swather.store.ports.web import AllowedHosts, Pages, Robots, Sighting
from swather.store.ports.workers import Workers

__all__ = [
    "FINE_SECONDS",
    "HISTORY_DAYS",
    "ITEM_SCAN",
    "LEARNED_SECONDS",
    "MAX_ANCESTORS",
    "SAMPLE_SECONDS",
    "SCAN",
    "Actions",
    "AllowedHosts",
    "Breakers",
    "Counted",
    "Enqueued",
    "Events",
    "Fence",
    "Finished",
    "Found",
    "Hints",
    "History",
    "Lanes",
    "Loads",
    "Memories",
    "Notices",
    "Pages",
    "Partitions",
    "Proxies",
    "Queue",
    "Results",
    "Robots",
    "Runs",
    "Schedules",
    "Settings",
    "Sighting",
    "Sources",
    "Store",
    "Supervisors",
    "Tasks",
    "Upkeep",
    "Workers",
]
