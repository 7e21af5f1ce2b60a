"""A dashboard that a command serves: opened for it, announced, shown in a browser."""

import os
import shlex
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from swather.cli import database, output
from swather.errors import MissingExtra, PortTaken
from swather.store import factory
from swather.visible import underneath

if TYPE_CHECKING:
    from swather.settings import Settings
    from swather.web.dashboard import Dashboard

_MISSING: Final = "the API and the dashboard need more packages: pip install 'swather[web]'"
_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")


def check_packages() -> None:
    """MissingExtra without those that a dashboard needs."""
    try:
        import swather.web.dashboard  # noqa: F401
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("swather"):
            raise
        raise MissingExtra(_MISSING) from error


def dashboard_for(settings: "Settings") -> "Dashboard":
    """One that listens; its database is created if there is none yet, as `run` would."""
    check_packages()
    from swather.web.dashboard import Dashboard

    path = factory.sqlite_path(settings.db)
    is_new = path is not None and not path.exists()
    dashboard = Dashboard(settings)
    if is_new:
        output.stderr().print(f"Created the database {database.shown(settings.db)}.")
    return dashboard


@contextmanager
def dashboard_beside(settings: "Settings") -> Iterator["Dashboard"]:
    """One that is served beside what the command is about, and announced on stderr. If its port is
    taken, any other will do.
    """
    try:
        dashboard = dashboard_for(settings)
    except PortTaken:
        dashboard = dashboard_for(settings.model_copy(update={"api_port": 0}))
    with dashboard, dashboard.serving():
        print(f"Dashboard  {dashboard.link}", file=underneath(sys.stderr), flush=True)
        yield dashboard


def facts_of(dashboard: "Dashboard") -> dict[str, Any]:
    return {"address": dashboard.address, "link": dashboard.link}


def announce(dashboard: "Dashboard") -> None:
    """With the token: past what hides secrets from everything else."""
    plain = underneath(sys.stdout)
    curl = f"curl -H {shlex.quote(f'Authorization: Bearer {dashboard.tokens.admin}')}"
    print(f"Dashboard  {dashboard.link}", file=plain)
    print(f"API        {curl} {dashboard.address}/api/v1/runs", file=plain, flush=True)


def open_browser(dashboard: "Dashboard") -> None:
    """Where there is a screen to show it on. A browser in the terminal would take that over."""
    has_screen = sys.platform == "darwin" or any(os.environ.get(name) for name in _DISPLAYS)
    if not has_screen or not webbrowser.open(dashboard.link):
        output.stderr().print("No browser can be opened from here; open the link yourself.")
