"""How every contender starts Chromium: headless, without its sandbox as root."""

import os
from typing import Any

from bench.environment import PACKAGES

PROGRAMS = (PACKAGES["chromium-headless-shell"], PACKAGES["chromium"])


def launch_options(program: str) -> dict[str, Any]:
    """For Playwright."""
    return {
        "executable_path": program,
        "headless": True,
        "chromium_sandbox": os.geteuid() != 0,
    }
