"""The places that a fleet's workers can run in, by name."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from swather import settings_sources
from swather.errors import InputError
from swather.fleet.local_placement import LocalPlacement, log_name
from swather.fleet.placement import Place, Placement
from swather.fleet.processes import worker_environment
from swather.fleet.pulled_log import PulledLog
from swather.settings import Settings
from swather.store import factory

# The arguments of the Python that runs a worker, by its number.
Arguments = Callable[[int], Sequence[str]]


def check(place: Place, settings: Settings) -> None:
    """InputError for what cannot work there."""
    is_file = factory.sqlite_path(settings.db) is not None
    if place is Place.RAY and settings.ray_address is not None and is_file:
        raise InputError(
            f"the nodes of the Ray cluster at {settings.ray_address} cannot open a SQLite file of "
            "this machine; use PostgreSQL: --db postgresql://user@host/database"
        )


def specs_on_ray(specs: Sequence[str], settings: Settings) -> list[str]:
    """The scrapers as a worker in the cluster names them."""
    if settings.ray_address is None:
        return list(specs)
    from swather.fleet.ray_cluster import relative_specs  # noqa: PLC0415 - not for all fleets

    return relative_specs(specs, Path.cwd())


def _environment(settings: Settings) -> dict[str, str]:
    """A plan of partitions by what waits is made for so many workers."""
    return {**worker_environment(settings), "SWATHER_WORKERS": str(settings.workers)}


@contextmanager
def local(arguments: Arguments, settings: Settings, folder: Path) -> Iterator[Placement]:
    """The workers write their own logs into the folder."""
    yield LocalPlacement(
        lambda number: [sys.executable, *arguments(number)],
        environment=_environment(settings),
        log_folder=folder,
    )


@contextmanager
def on_ray(
    arguments: Arguments, settings: Settings, folder: Path, *, fleet: str
) -> Iterator[Placement]:
    """The setting `ray_address` says where the cluster is; without it, one is started here and ends
    with the block. Nodes elsewhere are given a copy of the current folder.
    """
    from swather.fleet.ray_cluster import joined, passed_on  # noqa: PLC0415 - not for all fleets
    from swather.fleet.ray_placement import RayPlacement  # noqa: PLC0415

    def new_log(number: int) -> PulledLog:
        return PulledLog(
            folder / log_name(number),
            max_bytes=int(settings.log_file_mb * 1e6),
            keep=settings.log_files,
        )

    variables = {**passed_on(settings_sources.variables()), **_environment(settings)}
    packages = [each.strip() for each in settings.ray_packages.split(",") if each.strip()]
    with joined(settings.ray_address, Path.cwd(), packages) as ray:
        yield RayPlacement(
            ray,
            arguments,
            fleet=fleet,
            environment=variables,
            new_log=new_log,
            cpus=settings.ray_cpus_per_worker,
            memory_mb=settings.worker_memory_mb,
        )
