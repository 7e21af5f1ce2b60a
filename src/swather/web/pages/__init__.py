"""The pages of the dashboard, a file for each noun."""

from typing import Final

from fastapi import APIRouter

from swather.web import files, login
from swather.web.pages import (
    actions,
    audit,
    errors,
    lanes,
    log,
    media,
    overview,
    palette,
    partitions,
    proxies,
    results,
    run_actions,
    run_files,
    runs,
    schedules,
    settings,
    sources,
    start,
    task,
    task_actions,
    tasks,
    workers,
)

# Those that are asked for most come first: that is the order in which they are tried.
PAGES: Final[tuple[APIRouter, ...]] = (
    overview.router,
    runs.router,
    files.router,
    login.router,
    actions.router,
    audit.router,
    errors.router,
    log.router,
    palette.router,
    results.router,
    run_actions.router,
    run_files.router,
    task.router,
    task_actions.router,
    tasks.router,
    lanes.router,
    start.router,
    workers.router,
    media.router,
    partitions.router,
    proxies.router,
    schedules.router,
    settings.router,
    sources.router,
)
