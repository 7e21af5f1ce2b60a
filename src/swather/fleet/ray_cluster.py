"""A Ray cluster: one that runs already, or one on this machine; and what its nodes are given."""

import logging
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swather import settings_sources
from swather.errors import InputError, MissingExtra
from swather.settings import ALIASES, PREFIX
from swather.visible import visible_line

if TYPE_CHECKING:
    from types import ModuleType

LOCAL: Final = "local"
# What lies in the folder of a project and is not for the nodes: secrets, which go to the workers
# themselves, and what only this machine can use.
LEFT_OUT: Final = (".env", "*.db", "*.db-*", ".swather")
_NOT_PASSED_ON: Final = ("SWATHER_PARENT_FD", "SWATHER_FAREWELL_FD", "SWATHER_TEST_")
_ANSWER_SECONDS: Final = 5.0
# Those of libpq and of S3.
_OTHERS: Final = ("PG", "AWS_")

_log = logging.getLogger(__name__)


@contextmanager
def joined(
    address: str | None, project: Path, packages: Sequence[str] = ()
) -> Iterator["ModuleType"]:
    """Ray, connected to the cluster at an address, or to one of this machine that ends with the
    block. Nothing else of any cluster ends with it.

    A cluster elsewhere is given the folder of the project and this package itself, and installs
    what else workers need. One of this machine uses what is here.
    """
    ray = _imported()
    if address is not None:
        _check_answers(address)
    shipped = None if address is None else _shipped(project, packages)
    try:
        ray.init(
            address=address or LOCAL,
            namespace="swather",
            runtime_env=shipped,
            log_to_driver=False,
            logging_level=logging.ERROR,
            **({} if address else {"include_dashboard": False}),
        )
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        where = "cannot be started on this machine" if address is None else f"at {address} refuses"
        reason = visible_line(" ".join(str(error).split()))
        raise InputError(f"a Ray cluster {where}: {reason}") from error
    _log_rather_than_print(ray)
    try:
        yield ray
    finally:
        ray.shutdown()


def _imported() -> "ModuleType":
    # Nobody hears of what is scraped here, not even that it is.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # What Ray will do by itself in a release to come, and warns of until then.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        return import_module("ray")
    except ImportError as error:
        raise MissingExtra("a fleet on Ray needs ray: pip install 'swather[ray]'") from error


def _check_answers(address: str) -> None:
    """Ray itself tries for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), _ANSWER_SECONDS).close()
    except OSError as error:
        raise InputError(
            f"no Ray cluster answers at {visible_line(address)} (the setting ray_address): {error}"
        ) from error


def _log_rather_than_print(ray: "ModuleType") -> None:
    """Ray has no setting for it: it prints what it hears of its nodes to stdout, which is the
    command's own.
    """
    worker = ray._private.worker  # noqa: SLF001 - there is no public way

    def log(data: Mapping[str, Any], *_: Any, **__: Any) -> None:
        for text in data.get("lines", ()):
            _log.info("Ray: %s", visible_line(str(text).partition("\n")[0]))

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = log


def _shipped(project: Path, packages: Sequence[str]) -> dict[str, Any]:
    return {
        "working_dir": str(project),
        "py_modules": [str(Path(settings_sources.__file__).parent)],
        "excludes": list(LEFT_OUT),
        **({"pip": list(packages)} if packages else {}),
    }


def passed_on(variables: Mapping[str, settings_sources.Variable]) -> dict[str, str]:
    """The variables that workers on other machines are given: those that settings are read from,
    and those of database and file storage. They go from process to process; what Ray itself is
    told, its dashboard shows.
    """
    known = {name for names in ALIASES.values() for name in names if name.isupper()}
    return {
        name: variable.value
        for name, variable in variables.items()
        if (name.startswith((PREFIX, *_OTHERS)) or name in known)
        and not name.startswith(_NOT_PASSED_ON)
    }


def relative_specs(specs: Sequence[str], project: Path) -> list[str]:
    """The scrapers as the nodes name them, which have a copy of the folder of the project."""
    return [_relative(spec, project) for spec in specs]


def _relative(spec: str, project: Path) -> str:
    """A spec may be `name=file.py:other`."""
    before, equals, rest = spec.rpartition("=")
    file, colon, name = rest.partition(":")
    if not file.endswith((".py", ".toml")):
        return spec
    path = (project / file).resolve()
    if not path.is_relative_to(project.resolve()):
        raise InputError(
            f"{file} is not in {project}, which is all that the nodes of a Ray cluster get; start "
            "the fleet in the folder that has it"
        )
    return f"{before}{equals}{path.relative_to(project.resolve())}{colon}{name}"
