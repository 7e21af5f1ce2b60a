"""The web server of pictures: JPEGs of 50 KB under /, each of them different."""

import io
import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from bench.servers.ports import free_port, wait_until_open

PICTURE_BYTES = 50_000
WIDTH, HEIGHT = 640, 480
CONFIGURATION = """
daemon off;
pid nginx.pid;
error_log error.log;
worker_processes 1;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 1000000000;
    types {{ image/jpeg jpg; }}
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root pictures;
    }}
}}
"""


@contextmanager
def picture_site(count: int) -> Iterator[str]:
    """Lend the address of a site with the pictures 0.jpg, 1.jpg …"""
    with tempfile.TemporaryDirectory(prefix="swather-bench-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        _write_pictures(folder / "pictures", count)
        port = free_port()
        (folder / "nginx.conf").write_text(CONFIGURATION.format(port=port))
        with subprocess.Popen(
            ["nginx", "-p", name, "-c", f"{name}/nginx.conf", "-e", "stderr"],
            env={"PATH": f"{os.environ['PATH']}:/usr/sbin"},
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                wait_until_open(port, process)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()


def _write_pictures(folder: Path, count: int) -> None:
    """One picture with a comment of its own in each file: alike to decode, and all different."""
    folder.mkdir(mode=0o755)
    picture = _picture()
    for number in range(count):
        note = b"picture %d" % number
        comment = b"\xff\xfe" + (len(note) + 2).to_bytes(2) + note
        (folder / f"{number}.jpg").write_bytes(picture[:2] + comment + picture[2:])


def _picture() -> bytes:
    """Soft spots of colour, in the first quality that needs so many bytes."""
    spots = random.Random(7).randbytes(WIDTH // 6 * (HEIGHT // 6) * 3)
    image = Image.frombytes("RGB", (WIDTH // 6, HEIGHT // 6), spots)
    image = image.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    for quality in range(30, 96):
        made = io.BytesIO()
        image.save(made, "JPEG", quality=quality)
        if made.tell() >= PICTURE_BYTES:
            break
    return made.getvalue()
