"""All commands of `swather`, with where each lives."""

from typing import ClassVar

from swather.cli.group import LazyCommand, LazyGroup


class Commands(LazyGroup):
    """The first word after `swather`."""

    table: ClassVar = {
        "run": LazyCommand("swather.cli.run", "Scrape targets, and lose nothing."),
        "try": LazyCommand("swather.cli.try_once", "Scrape one target and show the result."),
        "init": LazyCommand("swather.cli.init", "Start a project: a scraper, its test, settings."),
        "scrapers": LazyCommand(
            "swather.cli.scrapers", "List the registered scrapers, or show one."
        ),
        "start": LazyCommand("swather.cli.start", "Start a scraper, here or for workers anywhere."),
        "enqueue": LazyCommand(
            "swather.cli.enqueue",
            "Load targets into a run, and print the command that starts a worker on it.",
        ),
        "worker": LazyCommand(
            "swather.cli.worker", "Claim, scrape and report until nothing is left to do."
        ),
        "fleet": LazyCommand(
            "swather.cli.fleet", "Keep workers running: start, watch, scale, restart and stop them."
        ),
        "workers": LazyCommand(
            "swather.cli.workers", "List workers; pause, drain and stop single ones."
        ),
        "health": LazyCommand(
            "swather.cli.health", "Say whether a worker of this machine is alive."
        ),
        "status": LazyCommand("swather.cli.status", "Show the progress of runs and workers."),
        "why": LazyCommand("swather.cli.why", "Explain what holds a run or a task back."),
        "errors": LazyCommand("swather.cli.errors", "Show what went wrong, grouped."),
        "tasks": LazyCommand("swather.cli.tasks", "List tasks of a run."),
        "retry": LazyCommand("swather.cli.retry", "Retry tasks that have ended."),
        "replay": LazyCommand(
            "swather.cli.replay", "Run a changed scraper over stored pages, without a request."
        ),
        "cancel": LazyCommand("swather.cli.tasks", "Cancel a run, or some of its tasks."),
        "pause": LazyCommand("swather.cli.pausing", "Pause a run, a lane, a scraper or a worker."),
        "unpause": LazyCommand(
            "swather.cli.pausing", "Resume what was paused, or is cooling down."
        ),
        "lanes": LazyCommand("swather.cli.lanes", "Show and change how fast sites are scraped."),
        "partitions": LazyCommand(
            "swather.cli.partitions", "Show who serves which partitions, and check plans."
        ),
        "proxies": LazyCommand("swather.cli.proxies", "Import, watch, test and remove proxies."),
        "sources": LazyCommand("swather.cli.sources", "Show how the sources of scrapers answer."),
        "schedules": LazyCommand(
            "swather.cli.schedules", "Start runs by the clock: every night, every hour."
        ),
        "notices": LazyCommand(
            "swather.cli.notices", "Show notifications and whether they were delivered."
        ),
        "runs": LazyCommand("swather.cli.runs", "List, close, remove and prune runs."),
        "export": LazyCommand("swather.cli.export", "Write the items of a run to a file."),
        "changes": LazyCommand(
            "swather.cli.changes", "Show what is new, gone or changed since an earlier run."
        ),
        "logs": LazyCommand("swather.cli.logs", "Show what happened to the tasks of a run."),
        "serve": LazyCommand("swather.cli.serve", "Serve the API and the dashboard."),
        "settings": LazyCommand("swather.cli.settings", "Show and change settings."),
        "demo": LazyCommand("swather.cli.demo", "Watch a whole run in which a worker is killed."),
        "db": LazyCommand("swather.cli.db", "Create, inspect and maintain a database."),
        "doctor": LazyCommand("swather.cli.doctor", "Check this machine and the database."),
    }
