"""Redis with the settings it comes with: memory, snapshots now and then, no append-only file."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from bench.servers.ports import free_port, wait_until_open


@contextmanager
def redis() -> Iterator[str]:
    """Lend the URL of a server with nothing in it."""
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="swather-bench-") as folder,
        subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder],
            stdout=subprocess.DEVNULL,
        ) as process,
    ):
        try:
            wait_until_open(port, process)
            yield f"redis://127.0.0.1:{port}"
        finally:
            process.terminate()
