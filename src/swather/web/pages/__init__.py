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

PAGES: Final[tuple[APIRouter, ...]] = (
    files.router,
    login.router,
    actions.router,
    audit.router,
    errors.router,
    log.router,
    overview.router,
    palette.router,
    results.router,
    run_actions.router,
    run_files.router,
    runs.router,
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
