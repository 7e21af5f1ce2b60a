"""The shortest scenes of the tour, with real workers in a real terminal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.postgres import PostgresServer
from tests.tour import scenes
from tests.tour.screen import Screen
from tests.tour.stage import PATIENCE_SECONDS, Stage

# A scene plays several commands, and each may take the stage's whole patience.
pytestmark = pytest.mark.timeout(4 * PATIENCE_SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("scene", [scenes.a_hung_target, scenes.a_paused_run])
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_holds_a_run_back_is_named_where_people_look(
    tmp_path: Path, postgres_server: PostgresServer, kind: str, scene: Callable[[Stage], None]
):
    if kind == "sqlite":
        scene(
            Stage(tmp_path, f"sqlite:///{tmp_path / 'queue.db'}", lambda _: None, PATIENCE_SECONDS)
        )
        return
    with postgres_server.fresh_database() as url:
        stage = Stage(tmp_path, url, lambda _: None, PATIENCE_SECONDS)
        stage.swather("db", "init")
        scene(stage)


@pytest.mark.slow
def test_a_terminal_that_gets_narrower_keeps_no_stray_line(tmp_path: Path):
    stage = Stage(tmp_path, f"sqlite:///{tmp_path / 'queue.db'}", lambda _: None)
    scenes.a_narrower_terminal(stage)


def test_the_small_terminal_breaks_lines_anew():
    screen = Screen(10)
    screen.feed("above\n" + "x" * 10 + "\nend")
    screen.resize(5)
    assert screen.rows == ["above", "xxxxx", "xxxxx", "end"]
    screen.feed("\r\x1b[2K" + "\x1b[1A\x1b[2K" * 2 + "new")
    assert screen.rows == ["above", "new"]
