"""Free ports, and waiting until somebody listens on one."""

import socket
import subprocess
import time


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_until_open(port: int, process: subprocess.Popen[bytes], seconds: float = 10.0) -> None:
    give_up_at = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > give_up_at:
                raise RuntimeError(f"{process.args!r} does not listen on {port}") from None
            time.sleep(0.02)
        else:
            return
