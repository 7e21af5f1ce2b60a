"""How every contender starts Chromium: the system's, headless, without its sandbox as root."""

import os
import shutil
from typing import Any

LAUNCH: dict[str, Any] = {
    "executable_path": shutil.which("chromium"),
    "headless": True,
    "chromium_sandbox": os.geteuid() != 0,
}
