"""What processes cost: processor time and memory, their children included."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

PARENT, SESSION, USER, SYSTEM = 1, 3, 11, 12
# Of children that have ended and were waited for.
USER_OF_ENDED, SYSTEM_OF_ENDED = 13, 14
TICKS = os.sysconf("SC_CLK_TCK")


def members(sessions: Iterable[int]) -> list[int]:
    """The processes in these sessions, whatever groups they have made for themselves."""
    wanted = set(sessions)
    return [pid for pid, fields in _statuses() if int(fields[SESSION]) in wanted]


def family(pid: int) -> list[int]:
    """A process, and all that it and its children have started, whatever sessions they made."""
    children: dict[int, list[int]] = {}
    for child, fields in _statuses():
        children.setdefault(int(fields[PARENT]), []).append(child)
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def cpu_seconds(sessions: Iterable[int]) -> float:
    """Of all processes in these sessions so far."""
    wanted = set(sessions)
    of_wanted = (fields for _, fields in _statuses() if int(fields[SESSION]) in wanted)
    return sum(int(fields[USER]) + int(fields[SYSTEM]) for fields in of_wanted) / TICKS


def family_cpu_seconds(pid: int) -> float:
    """Of a process and all that it and its children have started so far, also of those that have
    ended.
    """
    wanted = set(family(pid))
    spent = (USER, SYSTEM, USER_OF_ENDED, SYSTEM_OF_ENDED)
    of_wanted = (fields for one, fields in _statuses() if one in wanted)
    return sum(int(fields[each]) for fields in of_wanted for each in spent) / TICKS


def _statuses() -> Iterator[tuple[int, list[str]]]:
    """Of every process there is: its id, and what follows its name in /proc."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            yield int(path.parent.name), path.read_text().rpartition(")")[2].split()


def memory_mb(pid: int) -> float:
    """Resident memory of a process that is its own, not files that happen to be mapped."""
    found = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def private_mb(pid: int) -> float:
    """Memory of a process that it shares with no other; 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(map(int, re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.MULTILINE))) / 1024


def is_leader(pid: int, program: str) -> bool:
    """Whether it is the first process of a program such as Chromium, which starts itself again with
    a type for each other one.
    """
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return False
    return Path(words[0]).name == program and not any(word.startswith("--type=") for word in words)
