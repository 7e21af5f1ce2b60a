"""The routes of the API, a file for each noun."""

from typing import Final

from fastapi import APIRouter

from swather.api.routes import (
    actions,
    database,
    errors,
    fleets,
    jobs,
    lanes,
    metrics,
    notices,
    partitions,
    proxies,
    results,
    runs,
    schedules,
    scrapers,
    settings,
    sources,
    status,
    tasks,
    uploads,
    workers,
)

ROUTERS: Final[tuple[APIRouter, ...]] = (
    jobs.router,
    runs.router,
    status.router,
    tasks.router,
    results.router,
    uploads.router,
    errors.router,
    workers.router,
    fleets.router,
    lanes.router,
    proxies.router,
    partitions.router,
    sources.router,
    schedules.router,
    notices.router,
    scrapers.router,
    settings.router,
    actions.router,
    database.router,
    metrics.router,
)
