"""The web server: 10 KB pages at once under /page/, after 200 ms under /slow/."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.servers.ports import free_port, wait_until_open

PAGE_BYTES = 10_240
SLOW_SECONDS = 0.2
ECHO = "load_module /usr/lib/nginx/modules/ngx_http_echo_module.so;"
CONFIGURATION = """
{modules}
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
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    {http}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root site;
        {server}
    }}
}}
"""
HTTP = "keepalive_timeout 600s; open_file_cache max=16; default_type text/html;"
SERVER = f"""
        location /page/ {{ rewrite ^ /page.html break; }}
        location /slow/ {{ echo_sleep {SLOW_SECONDS}; echo_exec /page.html; }}
"""


@contextmanager
def nginx() -> Iterator[str]:
    """Lend the address of the site."""
    with served(modules=ECHO, http=HTTP, server=SERVER) as (url, folder):
        (folder / "page.html").write_text(_page())
        yield url


@contextmanager
def served(*, modules: str = "", http: str = "", server: str = "") -> Iterator[tuple[str, Path]]:
    """Lend the address of a site, with these directives, and the folder of its files."""
    with tempfile.TemporaryDirectory(prefix="swather-bench-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "site").mkdir(mode=0o755)
        port = free_port()
        text = CONFIGURATION.format(port=port, modules=modules, http=http, server=server)
        (folder / "nginx.conf").write_text(text)
        with subprocess.Popen(
            ["nginx", "-p", name, "-c", f"{name}/nginx.conf", "-e", "stderr"],
            env={"PATH": f"{os.environ['PATH']}:/usr/sbin"},
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                wait_until_open(port, process)
                yield f"http://127.0.0.1:{port}", folder / "site"
            finally:
                process.terminate()


def _page() -> str:
    """HTML of exactly PAGE_BYTES bytes, with what pages have: a title, links, prices."""
    head = "<!doctype html><html><head><title>A page of the shop</title></head><body>"
    tail = "</body></html>\n"
    entry = '<article><h3><a href="/page/{n}">Thing {n}</a></h3><p>£{n}.99</p></article>\n'
    entries = "".join(entry.format(n=n) for n in range(1_000))
    room = PAGE_BYTES - len((head + tail).encode())
    cut = entries.encode()[:room].rpartition(b"\n")[0]
    return head + cut.decode() + " " * (room - len(cut)) + tail
