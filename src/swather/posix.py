"""The calls that exist only on POSIX systems; everything else in Swather is portable."""

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NoReturn

from swather.model.worker import Process

NETWORK_FILE_SYSTEMS: Final = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "ceph", "glusterfs", "lustre", "gpfs",
        "fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.gcsfuse", "webdav",
        "fuse.rclone", "afpfs", "beegfs", "davfs", "fuse.davfs2", "ncpfs", "ocfs2", "orangefs",
    }
)  # fmt: skip

# Linux names here whatever a process has open.
DESCRIPTORS: Final = Path("/proc/self/fd")
# The shortest that a system allows for a socket is 104; its name takes 18 of them.
MAX_SOCKET_FOLDER_BYTES: Final = 86


@cache
def boot_id() -> str:
    """A value that changes when the machine is restarted."""
    linux = Path("/proc/sys/kernel/random/boot_id")
    if linux.exists():
        return linux.read_text().strip()
    found = subprocess.run(
        ["sysctl", "-n", "kern.boottime"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


@cache
def pid_namespace() -> str:
    """Containers of one machine share its boot id but not its process ids."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def socket_folder(beside: Path) -> Path:
    """The folder for the sockets of this user's processes that share a file: next to it. Where a
    path is too long for a socket, and nothing short stands for it, in the temporary folder.
    """
    user = os.geteuid()
    near = beside.with_name(f"{beside.name}-hints-{user}")
    if DESCRIPTORS.is_dir() or len(os.fsencode(near)) <= MAX_SOCKET_FOLDER_BYTES:
        return near
    name = sha256(os.fsencode(beside)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"swather-{user}-{name}"


@contextmanager
def private_folder(path: Path) -> Iterator[int]:
    """A folder, opened; OSError unless it is this user's and closed to all others. A link in
    its place is not followed: others may have put it there.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise PermissionError(errno.EPERM, "other users have access", str(path))
        yield folder
    finally:
        os.close(folder)


def socket_address(path: Path, folder: int, name: str) -> str:
    """What to call a socket in a folder that is open."""
    return f"{DESCRIPTORS}/{folder}/{name}" if DESCRIPTORS.is_dir() else f"{path}/{name}"


def writable_by_others(path: Path) -> str | None:
    """Why this file may hold what another user wrote; None if only we or root could."""
    found = path.stat()
    if found.st_uid not in (os.geteuid(), 0):
        return f"belongs to another user (number {found.st_uid})"
    return "can be written by everyone" if found.st_mode & 0o002 else None


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, as fsync does for the content of a file."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def lock(descriptor: int) -> bool:
    """Hold an open file for this process alone, until it is closed; False when another has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Let others hold an open file."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def wait_for_lock(descriptor: int) -> None:
    """Hold an open file for this process alone, once nobody else does."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)


# As os.getpid, without a call: cheap enough to look at for each target.
process_id = os.getpid()


def _note_fork() -> None:
    global process_id  # noqa: PLW0603 - there is one per process
    process_id = os.getpid()


os.register_at_fork(after_in_child=_note_fork)


def start_time(pid: int) -> str | None:
    """When a process started, in whatever form the system reports it; None when there is no such
    process or only its exit status is left.
    """
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        fields = stat.rpartition(")")[2].split()
        return None if fields[0] in "ZX" else fields[19]
    found = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or None


def this_process() -> Process:
    pid = os.getpid()
    return Process(
        host=socket.gethostname(),
        boot_id=boot_id(),
        namespace=pid_namespace(),
        pid=pid,
        started=start_time(pid) or "",
    )


def is_dead(process: Process) -> bool:
    """True only when we can know: it ran under this boot, among these process ids, and is gone."""
    if (process.boot_id, process.namespace) != (boot_id(), pid_namespace()):
        return False
    return start_time(process.pid) != process.started


def network_file_system(path: Path) -> str | None:
    """The type of the network file system that holds `path`, or None on a local disk."""
    mounts = Path("/proc/self/mountinfo")
    if not mounts.exists():
        return _network_file_system_by_df(path)
    real = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.read_text().splitlines():
        left, _, right = line.partition(" - ")
        point = left.split()[4].encode().decode("unicode_escape")
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, right.split()[0]
    return kind if kind in NETWORK_FILE_SYSTEMS else None


def _network_file_system_by_df(path: Path) -> str | None:
    existing = next(p for p in (path, *path.absolute().parents) if p.exists())
    found = subprocess.run(
        ["stat", "-f", "-c", "%T", str(existing)]
        if sys.platform == "linux"
        else ["df", "-T", "nfs,smbfs,afpfs,webdav", str(existing)],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = found.stdout.strip().splitlines()
    return "network file system" if found.returncode == 0 and len(lines) > 1 else None


def kill_group(leader: int) -> None:
    """End a process that leads its own group, and all that it has started in it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def kill_own_group() -> NoReturn:
    """End this process and all that it has started in its group."""
    os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def guard_group(pipe: int, unneeded: int, patience_seconds: float) -> None:
    """Fork a guardian that kills this process's group some time after the other end of `pipe` is
    closed. Unlike a thread of ours it does so even if the interpreter is locked up forever, and
    unlike a signal from the system it also ends what this process has started.
    """
    if os.fork():
        os.close(pipe)
        return
    try:
        os.close(unneeded)
        while os.read(pipe, 64):
            pass
        time.sleep(patience_seconds)
        os.killpg(os.getpgrp(), signal.SIGKILL)
    finally:
        os._exit(0)


def start_detached(command: list[str], environment: Mapping[str, str], errors: int) -> int:
    """Start a process that does not end with this one's terminal; its id. It reads nothing, and
    writes only errors, to this descriptor.
    """
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, errors, 2),
    ]
    return os.posix_spawn(command[0], command, environment, file_actions=actions, setsid=True)


def exit_code_of(child: int) -> int:
    """Wait for the end of a process that this one has started."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def memory_bytes(pid: int) -> int:
    """How much memory a process has in use; 0 when it is gone."""
    if sys.platform == "linux":
        try:
            pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
        except OSError:
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    found = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return int(found.stdout.strip() or 0) << 10


def group_memory_bytes(leader: int) -> int:
    """How much memory the processes of a group have for themselves, all together."""
    if sys.platform == "linux":
        page = os.sysconf("SC_PAGE_SIZE")
        return page * sum(_own_pages(entry) for entry in _processes_in(leader))
    found = subprocess.run(
        ["ps", "-o", "rss=", "-g", str(leader)], capture_output=True, text=True, check=False
    )
    return sum(map(int, found.stdout.split())) << 10


def _processes_in(leader: int) -> Iterator[Path]:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[2]) == leader:
            yield entry


def _own_pages(process: Path) -> int:
    """Not what it shares with others: Chromium's program is in each of its processes."""
    try:
        _, resident, shared, *_ = (process / "statm").read_text().split()
    except OSError:
        return 0
    return int(resident) - int(shared)


def memory_of_machine() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
