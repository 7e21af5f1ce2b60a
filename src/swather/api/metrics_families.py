"""The metrics of a server: which there are, and what each of them means.

Those of a single worker are in swather/worker/metrics.py; docs/guides/monitoring.md lists all. No
label is a run, a lane or a worker: these come and go, and Prometheus keeps a series for each.
"""

from typing import Final

from swather.worker.exposition import Family, Kind

_COUNTER, _GAUGE, _HISTOGRAM = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM

# Counters begin at 0 when the server starts.
FAMILIES: Final[dict[str, Family]] = {
    "swather_up": Family(_GAUGE, "1 if the database answers; without it, only this and counters"),
    "swather_build_info": Family(_GAUGE, "1, with the version of the server and its database",
                                 ("version", "database")),
    "swather_read_seconds": Family(_GAUGE, "How long the database took to answer this scrape"),
    "swather_runs": Family(_GAUGE, "Runs that are open, and those of them that are paused",
                           ("scraper", "state")),
    "swather_tasks": Family(_GAUGE, "Tasks of all runs by state: the queue's depth",
                            ("scraper", "state")),
    "swather_tasks_ended_total": Family(_COUNTER, "Tasks that ended", ("scraper", "state")),
    "swather_task_reasons_total": Family(_COUNTER, "Tasks that ended, by reason",
                                         ("scraper", "reason")),
    "swather_attempt_errors_total": Family(
        _COUNTER, "Attempts that failed, also those that are tried again",
        ("scraper", "error_class"),
    ),
    "swather_retries_total": Family(_COUNTER, "Attempts that are tried again", ("scraper",)),
    "swather_postponed_total": Family(_COUNTER, "How often scrapers asked for another time",
                                      ("scraper",)),
    "swather_stale_writes_total": Family(
        _COUNTER, "Results that came after their lease was lost, and were dropped", ("scraper",)
    ),
    "swather_items_total": Family(_COUNTER, "Items that were committed", ("scraper",)),
    "swather_files_total": Family(_COUNTER, "Files that were committed", ("scraper",)),
    "swather_requests_total": Family(_COUNTER, "Requests that workers made"),
    "swather_claim_seconds": Family(_HISTOGRAM, "How long claims of tasks took"),
    "swather_finish_seconds": Family(_HISTOGRAM, "How long commits of results took"),
    "swather_attempt_seconds": Family(_HISTOGRAM, "How long attempts took"),
    "swather_workers": Family(_GAUGE, "Workers: busy, idle, paused, or silent past their lease",
                              ("state",)),
    "swather_lost_workers_total": Family(
        _COUNTER, "Workers that died or fell silent, and whose tasks were given back"
    ),
    "swather_producers": Family(_GAUGE, "Processes that load targets"),
    "swather_workers_in_trouble": Family(
        _GAUGE, "Workers that can save nothing, or have no proxy to leave by"
    ),
    "swather_oldest_beat_seconds": Family(
        _GAUGE, "For how long the quietest worker has not been heard from"
    ),
    "swather_slots": Family(_GAUGE, "Slots of workers that are heard of", ("state",)),
    "swather_waiting_attempts": Family(_GAUGE, "Running attempts that wait", ("waits_for",)),
    "swather_waited_seconds_total": Family(
        _COUNTER, "For how long attempts have waited: for their lane, say", ("waits_for",)
    ),
    "swather_leases": Family(_GAUGE, "Tasks that live workers hold"),
    "swather_stuck_leases": Family(_GAUGE, "Tasks of workers that are silent past their lease"),
    "swather_supervisors": Family(_GAUGE, "Supervisors that are heard of"),
    "swather_fleet_workers_wanted": Family(_GAUGE, "Workers that supervisors are to run"),
    "swather_fleet_workers": Family(_GAUGE, "Workers of supervisors by state", ("state",)),
    "swather_lanes": Family(_GAUGE, "Lanes that are cooling, paused or in use", ("state",)),
    "swather_longest_cooling_seconds": Family(
        _GAUGE, "Until the last of the cooling lanes is open again"
    ),
    "swather_lanes_in_flight": Family(_GAUGE, "Requests in flight on lanes"),
    "swather_open_breakers": Family(_GAUGE, "Breakers that are open", ("scraper",)),
    "swather_proxies": Family(_GAUGE, "Proxies by state", ("state",)),
    "swather_schedules": Family(_GAUGE, "Schedules that are enabled"),
    "swather_schedules_late": Family(
        _GAUGE, "Schedules that were due more than a minute ago and have not fired"
    ),
    "swather_schedule_late_seconds": Family(_GAUGE, "For how long the latest schedule is due"),
}  # fmt: skip

# Counters of runs, by the name that their counts have.
OF_RUNS: Final = {
    "swather_retries_total": "retries",
    "swather_postponed_total": "postponed",
    "swather_stale_writes_total": "stale",
    "swather_items_total": "items",
    "swather_files_total": "files",
}
LATENCIES: Final = {
    "swather_claim_seconds": "claim",
    "swather_finish_seconds": "finish",
    "swather_attempt_seconds": "attempt",
}
