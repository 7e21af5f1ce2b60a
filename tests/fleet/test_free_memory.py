"""What is left for more workers: on the machine, and in the container."""

import sys
from pathlib import Path

import pytest

from swather.fleet import free_memory

MB = 1 << 20
V2 = ("memory.max", "memory.current", "inactive_file")
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(free_memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(free_memory, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(free_memory, "_GROUPS", tmp_path / "groups")
    (tmp_path / "meminfo").write_text("MemTotal: 8192 kB\nMemAvailable:  4194304 kB\n")
    (tmp_path / "own").write_text("0::/\n")
    return tmp_path


def a_group(folder: Path, files: tuple[str, str, str], limit: str, used: int, cache: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(
        (*files[:2], "memory.stat"), (limit, str(used), f"anon 5\n{files[2]} {cache}"), strict=True
    ):
        (folder / name).write_text(f"{text}\n")


def test_without_a_container_it_is_what_the_system_calls_available(system: Path):
    assert free_memory.free_memory_mb() == 4096
    a_group(system / "groups", V2, "max", 9, 9)
    assert free_memory.free_memory_mb() == 4096


@pytest.mark.parametrize(
    ("own", "folder", "files"),
    [
        ("0::/\n", "", V2),
        ("0::/a/b\n", "a", V2),
        ("0::/gone/on/the/host\n", "", V2),
        ("3:cpu:/\n4:memory,x:/a\n", "memory/a", V1),
    ],
)
def test_a_container_has_what_its_limit_leaves_and_the_kernel_would_drop(
    system: Path, own: str, folder: str, files: tuple[str, str, str]
):
    (system / "own").write_text(own)
    a_group(system / "groups" / folder, files, str(1000 * MB), 600 * MB, 50 * MB)
    assert free_memory.free_memory_mb() == 450


def test_more_than_the_limit_leaves_nothing(system: Path):
    a_group(system / "groups", V2, str(100 * MB), 200 * MB, 0)
    assert free_memory.free_memory_mb() == 0


def test_a_system_that_does_not_tell_decides_nothing(system: Path, monkeypatch):
    (system / "meminfo").write_text("MemTotal: 1 kB\n")
    assert free_memory.free_memory_mb() is None
    monkeypatch.setattr(sys, "platform", "darwin")
    assert free_memory.free_memory_mb() is None
