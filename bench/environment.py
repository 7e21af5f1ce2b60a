"""What a run needs besides Swather: the peers in their own environment, some Debian packages."""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from bench.figures import FOLDER

OURS = Path(sys.executable)
PEERS = FOLDER / "peers" / "bin" / "python"
REQUIREMENTS = Path(__file__).parent / "peers" / "requirements.txt"
STAMP = FOLDER / "peers" / "installed"
# A file that each package brings, by its name.
PACKAGES = {
    "chromium": "/usr/bin/chromium",
    "chromium-headless-shell": "/usr/bin/chromium-headless-shell",
    "libnginx-mod-http-echo": "/usr/lib/nginx/modules/ngx_http_echo_module.so",
    "nginx-light": "/usr/sbin/nginx",
    "redis-server": "/usr/bin/redis-server",
    "wrk": "/usr/bin/wrk",
}


def prepare() -> None:
    """Install what is missing; does nothing when all is there."""
    _install_packages()
    _install_peers()


def _install_packages() -> None:
    missing = [name for name, file in PACKAGES.items() if not Path(file).exists()]
    if not missing:
        return
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise SystemExit(f"please install what is missing first: sudo {' '.join(install)}")
    print(f"installing {', '.join(missing)}", file=sys.stderr)
    # The services that these packages start at once are not wanted: a run starts its own.
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (["apt-get", "update"], install):
        subprocess.run(command, check=True, env=quiet, stdout=subprocess.DEVNULL)


def _install_peers() -> None:
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    folder = FOLDER / "peers"
    print(f"installing the peers into {folder} (about a minute)", file=sys.stderr)
    venv.create(folder, clear=True, with_pip=True)
    pip = [str(PEERS), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    # All of them are in the file. Asked for more, pip may want a newer one than its pin.
    subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(REQUIREMENTS)], check=True)
    STAMP.write_text(wanted)
