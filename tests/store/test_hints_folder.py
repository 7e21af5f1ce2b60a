"""Where the sockets of SQLite's hints are: nobody else can prepare that place or misuse it."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swather import posix
from swather.store.sqlite.hints import SQLiteHints

NAME = "queue.db"
# As a socket of ours is called; 0 is no process that listens.
OURS = "0" * 16


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / NAME


@pytest.fixture
def hints(database: Path) -> Iterator[SQLiteHints]:
    made = SQLiteHints(database)
    yield made
    made.close()


@pytest.fixture
def other(database: Path) -> Iterator[SQLiteHints]:
    made = SQLiteHints(database)
    yield made
    made.close()


def a_link(folder: Path) -> None:
    folder.symlink_to(folder.with_name("precious"))


def a_folder_open_to_others(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    fill(folder)
    folder.chmod(0o755)


def fill(folder: Path) -> None:
    (folder / "letter.txt").write_text("dear")
    (folder / OURS).write_text("a file that is called like a socket of ours")
    a_dead_socket(folder / ("f" * 16))


def a_dead_socket(path: Path) -> None:
    with (
        posix.private_folder(path.parent) as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener,
    ):
        listener.bind(posix.socket_address(path.parent, folder, path.name))


@pytest.mark.parametrize("prepare", [a_link, a_folder_open_to_others])
def test_a_folder_that_others_have_prepared_is_not_touched(
    hints: SQLiteHints,
    tmp_path: Path,
    prepare: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
):
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o700)
    fill(precious)
    prepare(hints.folder)
    before = sorted(precious.iterdir()), sorted(hints.folder.iterdir())
    for _ in range(2):
        assert not hints.wait(0)
    hints.send()
    hints.close()
    assert [f"remove {hints.folder}" in record.message for record in caplog.records] == [True]
    assert (sorted(precious.iterdir()), sorted(hints.folder.iterdir())) == before


def test_a_folder_of_another_user_is_not_touched(database: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    hints = SQLiteHints(database)
    hints.folder.mkdir(mode=0o700)
    (hints.folder / OURS).write_text("theirs")
    hints.wait(0)
    hints.send()
    assert [path.name for path in hints.folder.iterdir()] == [OURS]


def test_only_dead_sockets_of_ours_are_removed(hints: SQLiteHints, other: SQLiteHints):
    other.wait(0)
    fill(hints.folder)
    a_dead_socket(hints.folder / "somebody.sock")
    link = hints.folder / ("1" * 16)
    link.symlink_to("somebody.sock")
    hints.send()
    assert other.wait(10)
    left = {path.name for path in hints.folder.iterdir()}
    assert left > {"letter.txt", OURS, "somebody.sock", link.name}
    assert "f" * 16 not in left


def test_sockets_lie_beside_the_database_in_a_folder_of_one_user(
    hints: SQLiteHints, database: Path
):
    hints.wait(0)
    assert hints.folder.parent == database.parent
    assert hints.folder.stat().st_mode & 0o777 == 0o700


def test_nothing_is_left_when_nobody_waits(hints: SQLiteHints, other: SQLiteHints, tmp_path: Path):
    hints.wait(0)
    other.wait(0)
    hints.close()
    assert hints.folder.exists()
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_who_waits_again_after_the_folder_went_is_woken(hints: SQLiteHints, other: SQLiteHints):
    hints.wait(0)
    hints.close()
    hints.wait(0)
    other.send()
    assert hints.wait(10)


def test_the_path_of_a_database_may_be_long(tmp_path: Path):
    deep = tmp_path / ("a" * 100) / ("b" * 100)
    deep.mkdir(parents=True)
    waiting, sending = SQLiteHints(deep / NAME), SQLiteHints(deep / NAME)
    try:
        waiting.wait(0)
        sending.send()
        assert waiting.wait(10)
    finally:
        waiting.close()
        sending.close()


def test_without_short_names_for_long_paths_the_temporary_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As on macOS, whose temporary folder is the user's own."""
    monkeypatch.setattr(posix, "DESCRIPTORS", tmp_path / "no such folder")
    monkeypatch.setattr("tempfile.tempdir", "/tmp")  # noqa: S108 - short
    near, far = tmp_path / NAME, tmp_path / ("a" * 100) / NAME
    assert posix.socket_folder(far).parent == Path("/tmp")  # noqa: S108
    far.parent.mkdir()
    for path in (near, far):
        waiting, sending = SQLiteHints(path), SQLiteHints(path)
        waiting.wait(0)
        sending.send()
        assert waiting.wait(10)
        waiting.close()
        sending.close()
        assert not waiting.folder.exists()
