"""`python -m bench.calibrate`: the simulation beside 1 to 16 real workers on this machine.

All of them share its cores with the database and the site. What a page costs a worker is taken from
the first row alone; the others are predicted. Wants a machine that does nothing else.
"""

import json
from typing import Any

from bench import tally
from bench.costs import load
from bench.figures import RESULTS
from bench.machine import describe
from bench.parts.drain import wait_for
from bench.processes import cpu_seconds
from bench.queues import QUEUES
from bench.servers.nginx import SLOW_SECONDS
from bench.setting import Setting, Size, say
from bench.simulate import Database, Fleet, simulate
from bench.workers import folder

WORKERS = (1, 2, 4, 8, 16)
SLOTS = (10, 40)
SECONDS = 6
FILE = RESULTS / "calibration.json"


def main() -> None:
    """Measure, predict, print, keep."""
    setting = Setting(Size.NORMAL, 1)
    cores = int(describe()["processors"])
    costs = load()
    rows = []
    with setting.stack:
        for slots in SLOTS:
            page_cpu = 0.0
            for workers in WORKERS:
                real, spent = _real(setting, workers, slots)
                page_cpu = page_cpu or spent
                fleet = Fleet(
                    workers=workers,
                    slots=slots,
                    page_seconds=SLOW_SECONDS,
                    page_cpu_seconds=page_cpu,
                    cores_per_worker=0,
                )
                database = Database(cores=cores, round_trip_seconds=0.0)
                predicted = simulate(fleet, database, costs).pages_per_second
                rows.append(
                    {
                        "slots": slots,
                        "workers": workers,
                        "real": real,
                        "simulated": predicted,
                        "page_cpu": spent,
                    }
                )
                say(_line(rows[-1]))
    FILE.write_text(json.dumps(rows, indent=1) + "\n")


def _real(setting: Setting, workers: int, slots: int) -> tuple[float, float]:
    """Pages a second, and what one costs the workers' processor."""
    queue = next(one for one in QUEUES if one.kind == "ours" and one.where == "PostgreSQL")
    pages = int(min(workers * slots / SLOW_SECONDS, 2_000) * SECONDS)
    with queue.fresh(setting) as url, folder() as directory:
        queue.ask("enqueue_pages", url=url, urls=f"{setting.site}/slow/", count=pages)
        with queue.workers(directory, workers, url=url, slots=slots) as started:
            # What it takes to start is no part of a page.
            wait_for(pages // 3, started, directory)
            before, done = cpu_seconds(started.pids), tally.read_counts(directory).jobs
            wait_for(pages, started, directory)
            spent = cpu_seconds(started.pids) - before
            return tally.read_counts(directory).rate, spent / (pages - done)


def _line(row: dict[str, Any]) -> str:
    error = row["simulated"] / row["real"] - 1
    return (
        f"{row['workers']:>3} workers of {row['slots']} slots: {row['real']:>7,.0f} pages/s, "
        f"simulated {row['simulated']:>7,.0f} ({error:+.0%}); "
        f"{row['page_cpu'] * 1e6:,.0f} µs a page"
    )


if __name__ == "__main__":
    main()
