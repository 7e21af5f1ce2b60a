"""How much memory is left for more workers on this machine."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_MEMINFO: Final = Path("/proc/meminfo")
_OWN_GROUPS: Final = Path("/proc/self/cgroup")
_GROUPS: Final = Path("/sys/fs/cgroup")


class _Files(NamedTuple):
    """What the two versions of control groups call the same things."""

    limit: str
    used: str
    cache: str


_V2: Final = _Files("memory.max", "memory.current", "inactive_file")
_V1: Final = _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def free_memory_mb() -> int | None:
    """What the system could give to new processes without swapping, within the limit of the
    container or service that this process runs in; None where the system does not tell.
    """
    if sys.platform != "linux":
        return None
    try:
        found = [_available(_MEMINFO.read_text()), *_left_in_groups()]
    except (OSError, ValueError):
        return None
    return max(min(found) >> 20, 0)


def _available(meminfo: str) -> int:
    for line in meminfo.splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    raise ValueError("no MemAvailable")


def _left_in_groups() -> Iterator[int]:
    for line in _OWN_GROUPS.read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            yield from _left_up_from(_GROUPS, path, _V2)
        elif "memory" in controllers.split(","):
            yield from _left_up_from(_GROUPS / "memory", path, _V1)


def _left_up_from(root: Path, path: str, files: _Files) -> Iterator[int]:
    """A group is within the limits of those above it. In a container the path may be the host's,
    which does not exist; then the root is the container's own.
    """
    folder = root / path.lstrip("/")
    for group in (folder, *folder.parents):
        if not group.is_relative_to(root):
            return
        limit = _read(group / files.limit)
        if limit.isdigit():
            used = int(_read(group / files.used) or 0)
            yield int(limit) - used + _cache(_read(group / "memory.stat"), files.cache)


def _cache(stat: str, name: str) -> int:
    """Pages of files that the kernel drops when it needs room; they count as used."""
    for line in stat.splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
