"""Actions: what people have done through the API and the dashboard."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec


class ActionState(StrEnum):
    """FAILED: `error` says why; the process that did it may have died."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what to whom, and how far it has come: `done` of `total`, which is None if nobody
    knows it. Texts are masked.
    """

    id: int
    at: datetime
    actor: str
    verb: str
    subject: str
    detail: dict[str, Any]
    state: ActionState
    done: int
    total: int | None
    error: str
    ended_at: datetime | None


class ActionVerb(StrEnum):
    """What people do, through the API and on pages alike: the noun, then what is done to it."""

    RUN_START = "run start"
    RUN_ADD = "run add"
    RUN_UPLOAD = "run upload"
    RUN_PAUSE = "run pause"
    RUN_UNPAUSE = "run unpause"
    RUN_CLOSE = "run close"
    RUN_CANCEL = "run cancel"
    RUN_REMOVE = "run remove"
    TASK_RETRY = "task retry"
    TASK_CANCEL = "task cancel"
    TASKS_RETRY = "tasks retry"
    TASKS_CANCEL = "tasks cancel"
    ERRORS_MUTE = "errors mute"
    ERRORS_UNMUTE = "errors unmute"
    PARTITIONS_PLAN = "partitions plan"
    LANE_SET = "lane set"
    LANE_PAUSE = "lane pause"
    LANE_UNPAUSE = "lane unpause"
    LANE_COOL = "lane cool"
    LANE_CLEAR = "lane clear"
    SCRAPER_SET = "scraper set"
    SCRAPER_PAUSE = "scraper pause"
    SCRAPER_UNPAUSE = "scraper unpause"
    SCRAPER_COOL = "scraper cool"
    SCRAPER_CLEAR = "scraper clear"
    WORKER_PAUSE = "worker pause"
    WORKER_UNPAUSE = "worker unpause"
    WORKER_DRAIN = "worker drain"
    WORKER_STOP = "worker stop"
    WORKERS_START = "workers start"
    WORKERS_STOP = "workers stop"
    WORKERS_RESTART = "workers restart"
    FLEET_SCALE = "fleet scale"
    FLEET_BOUNDS = "fleet bounds"
    FLEET_RESTART = "fleet restart"
    FLEET_STOP = "fleet stop"
    PROXY_ENABLE = "proxy enable"
    PROXY_DISABLE = "proxy disable"
    PROXIES_IMPORT = "proxies import"
    PROXIES_ENABLE = "proxies enable"
    PROXIES_DISABLE = "proxies disable"
    PROXIES_REMOVE = "proxies remove"
    SOURCE_RESET = "source reset"
    SCHEDULE_ADD = "schedule add"
    SCHEDULE_ENABLE = "schedule enable"
    SCHEDULE_DISABLE = "schedule disable"
    SCHEDULE_FIRE = "schedule fire"
    SCHEDULE_REMOVE = "schedule remove"
    SETTING_SET = "setting set"
    SETTING_UNSET = "setting unset"
    NOTICES_RETRY = "notices retry"
    DATABASE_CHECK = "db check"
    DATABASE_WAL = "db wal"
