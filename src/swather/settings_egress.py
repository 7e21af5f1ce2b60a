"""Settings of how requests leave: proxies, Tor, browsers."""

import re
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off"})
_HOST_AND_PORT: Final = re.compile(r"(?:\[[0-9a-f:.]+\]|[^\s:/@\[\]]+):([0-9]{1,5})", re.IGNORECASE)
# A year, as for other settings of time.
_LONGEST_MINUTES: Final = 525_600

BLOCKABLE: Final = ("images", "fonts", "media", "stylesheets")


class EgressSettings(BaseSettings):
    """How requests leave."""

    proxy_file: Path | None = Field(
        default=None,
        description="a file of proxies that is imported when a run that uses proxies starts",
    )
    proxy_selection_strategy: (
        Literal[
            "round_robin", "random", "least_used", "sticky_worker", "sticky_lane", "sticky_session"
        ]
        | None
    ) = Field(
        default=None,
        description="how a proxy is chosen: round_robin (the default), random (by weight), "
        "least_used, sticky_worker, sticky_lane or sticky_session",
    )
    proxy_rotation: Literal["request", "target", "off"] | None = Field(
        default=None,
        description="when another proxy is chosen: for each request (the default), for each "
        "target, or off: a worker keeps one until it fails",
    )
    proxies_per_worker: int | None = Field(
        default=None,
        ge=1,
        description="proxies that each worker leases for itself; shared with all if unset",
    )
    proxy_tags: str = Field(
        default="", description="use only proxies that have all of these tags: 'home,fast'"
    )
    proxy_blacklist_threshold: int = Field(
        default=10, ge=1, description="failures in a row after which a proxy is blacklisted"
    )
    proxy_blacklist_minutes: float = Field(
        default=60.0,
        gt=0,
        le=_LONGEST_MINUTES,
        description="minutes that a blacklisted proxy is not used",
    )
    proxy_probe_seconds: float = Field(
        default=30.0,
        gt=0,
        le=3_600,
        description="seconds to wait for the result of a probe before another worker probes",
    )
    tor_binary: Path | None = Field(
        default=None, description="the program `tor`; the one on the PATH if unset"
    )
    tor_socks: str | None = Field(
        default=None,
        description="host:port of a Tor daemon that already runs; workers start their own if unset",
    )
    tor_config: Path | None = Field(
        default=None,
        description="a torrc with further options for the Tor daemons of workers, such as bridges",
    )
    tor_bootstrap_seconds: float = Field(
        default=120.0, gt=0, le=3_600, description="seconds that Tor may take to connect"
    )
    chromium: Path | None = Field(
        default=None,
        description="Chromium's program; if unset, chromium-headless-shell or chromium, whichever "
        "is installed",
    )
    max_targets_per_browser: int = Field(
        default=100, ge=1, description="targets after which a worker's browser is restarted"
    )
    browser_memory_mb: int | None = Field(
        default=None,
        ge=100,
        description="memory above which a browser is restarted; chosen by the machine's if unset",
    )
    browser_pages: int | None = Field(
        default=None,
        ge=1,
        le=1_000,
        description="pages open at once in a browser; chosen by cores and memory if unset",
    )
    browser_block: str = Field(
        default="",
        description="what browsers do not load: 'images,fonts', also media and stylesheets",
    )

    browser_keep_failed: bool = Field(
        default=True,
        description="keep a screenshot and the HTML of the page that a target failed on",
    )

    @field_validator("proxy_selection_strategy", mode="before")
    @classmethod
    def _short_name(cls, value: Any) -> Any:
        return "sticky_worker" if value == "sticky" else value

    @field_validator("proxy_rotation", mode="before")
    @classmethod
    def _switch(cls, value: Any) -> Any:
        """PROXY_ROTATION_ENABLED is true or false."""
        word = str(value).strip().lower()
        return "request" if word in _TRUE else "off" if word in _FALSE else value

    @field_validator("proxy_tags", "browser_block", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """As one text, also if swather.toml has a list."""
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = ",".join(value)
        if not isinstance(value, str):
            return value
        return ",".join(each.strip() for each in value.split(",") if each.strip())

    @field_validator("browser_block")
    @classmethod
    def _can_be_blocked(cls, value: str) -> str:
        unknown = [each for each in value.split(",") if each and each not in BLOCKABLE]
        if unknown:
            raise ValueError(f"should name only {', '.join(BLOCKABLE)}")
        return value

    @field_validator("tor_socks")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        found = _HOST_AND_PORT.fullmatch(value)
        if found is None or not 0 < int(found[1]) < 65_536:
            raise ValueError("should look like '127.0.0.1:9050'")
        return value
