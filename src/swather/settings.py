"""Settings: what each one is. Where their values come from is in settings_sources.py, and those of
proxies, Tor and browsers are in settings_egress.py, those of fleets in settings_fleet.py, those of
notices in settings_notices.py, those of S3 in settings_storage.py, those of the API in
settings_web.py.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from swather.file_location import BucketFolder, read_location
from swather.settings_egress import EgressSettings
from swather.settings_fleet import FleetSettings
from swather.settings_notices import NoticeSettings
from swather.settings_storage import StorageSettings
from swather.settings_web import WebSettings
from swather.written_rate import BOUNDS, EXAMPLES, is_in_bounds, seconds_between

PREFIX: Final = "SWATHER_"

# Other names of a setting: in the environment, and in the settings row.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "workers": ("WORKER_COUNT", "max_workers"),
    "retries": ("max_retries",),
    "backoff": ("backoff_factor",),
    "request_timeout": ("REQUEST_TIMEOUT",),
    "min_delay_seconds": ("MIN_DELAY_SECONDS",),
    "max_delay_seconds": ("MAX_DELAY_SECONDS",),
    "files_folder": ("output_dir",),
    "proxy_file": ("PROXY_FILE",),
    "proxy_rotation": ("PROXY_ROTATION_ENABLED",),
    "proxy_selection_strategy": ("PROXY_SELECTION_STRATEGY",),
    "proxy_blacklist_threshold": ("PROXY_BLACKLIST_THRESHOLD",),
    "proxy_blacklist_minutes": ("PROXY_BLACKLIST_DURATION_MINUTES",),
    "max_targets_per_browser": ("MAX_TARGETS_PER_BROWSER",),
    "s3_endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
    "s3_region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    "s3_access_key": ("AWS_ACCESS_KEY_ID",),
    "s3_secret_key": ("AWS_SECRET_ACCESS_KEY",),
    "s3_session_token": ("AWS_SESSION_TOKEN",),
}
# Shown as *** wherever settings are shown; a webhook's address often holds its key.
SECRETS: Final = ("webhook", "webhook_secret", "api_token", "api_read_token")
# Those the database itself acts upon, so that they count only where it can see them.
OF_THE_DATABASE: Final = frozenset(
    {"event_level", "event_days", "page_age_days", "keep_runs_days", "memory_days"}
)
# Those that override the decorator's option of the same name, and may be set for one scraper.
OF_SCRAPERS: Final = (
    "retries", "backoff", "timeout", "rate", "total_rate", "in_flight", "strategy",
    "store_pages", "user_agent", "files_folder",
)  # fmt: skip
# The same of its option `delay`.
DELAYS: Final = ("min_delay_seconds", "max_delay_seconds")
# What a thread can wait for has an end; this is a year.
_LONGEST_SECONDS: Final = 31_536_000


_Location = Annotated[
    BucketFolder | Path,
    BeforeValidator(lambda given: read_location(given) if isinstance(given, str) else given),
    PlainSerializer(str),
]


class GeneralSettings(BaseSettings):
    """Those of runs, workers, requests, pace and storage."""

    db: str = Field(
        default="sqlite:///swather.db",
        description="the database: sqlite:///path/to/file.db or postgresql://user@host/database",
    )
    workers: int = Field(default=1, ge=1, le=1_000, description="worker processes per run")
    concurrency: int = Field(
        default=10, ge=1, le=100_000, description="concurrent targets per worker"
    )
    batch_size: int | None = Field(
        default=None,
        ge=1,
        description="tasks claimed at a time; as many as can start soon if unset",
    )
    lease_seconds: float = Field(
        default=60.0,
        gt=0,
        le=_LONGEST_SECONDS,
        description="seconds after which others take over from a silent worker; it beats three "
        "times as often, at least every 2 s",
    )
    grace_seconds: float = Field(
        default=30.0,
        ge=0,
        le=_LONGEST_SECONDS,
        description="seconds for running targets to finish when a worker is stopped",
    )
    poll_seconds: float = Field(
        default=1.0,
        gt=0,
        le=_LONGEST_SECONDS,
        description="seconds between polls for work when nothing wakes the worker",
    )
    strategy: Literal["fifo", "lifo", "priority", "weighted_random"] | None = Field(
        default=None, description="the order in which tasks are taken"
    )
    partitions: str | dict[str, Any] | None = Field(
        default=None,
        description="which worker number serves which partitions: a table, a file, or 'balanced'",
    )
    retries: int | None = Field(default=None, ge=0, description="attempts after the first")
    backoff: float | None = Field(
        default=None, ge=1, description="seconds before a retry: backoff ** attempts"
    )
    timeout: float | None = Field(
        default=None, gt=0, description="seconds after which an attempt is stopped"
    )
    request_timeout: float | None = Field(
        default=None,
        gt=0,
        description="seconds that one fetch may take, redirects and body included; 30 by default",
    )
    connect_timeout: float = Field(
        default=10.0, gt=0, description="seconds to resolve a host and connect to it"
    )
    read_timeout: float = Field(
        default=30.0, gt=0, description="seconds that a site may be silent during a fetch"
    )
    max_page_bytes: int = Field(
        default=32 << 20, ge=1, description="largest page, in bytes after decompression"
    )
    max_download_bytes: int = Field(
        default=1 << 30, ge=1, description="largest file of `ctx.download`, in bytes"
    )
    max_redirects: int = Field(
        default=10, ge=0, description="maximum number of redirects to follow"
    )
    user_agent: str | None = Field(
        default=None,
        min_length=1,
        description="the User-Agent header; swather/VERSION if unset",
    )
    log_lines: int = Field(
        default=100,
        ge=0,
        le=1_000,
        description="lines of `ctx.log` that are kept for each attempt, for `swather logs`",
    )
    http_client: Literal["wreq", "aiohttp"] = Field(
        default="wreq", description="the HTTP client; aiohttp needs the extra of that name"
    )
    rate: str | None = Field(
        default=None, description="requests per lane, '5/s', '30/min', 'auto' or 'none'"
    )
    default_rate: str = Field(
        default="5/s",
        description="requests per public host if no rate is set; 'none' for no limit",
    )
    total_rate: str | None = Field(
        default=None, description="rate at which a scraper starts targets, over all lanes: '10/s'"
    )
    in_flight: int | None = Field(
        default=None, ge=1, description="maximum number of running targets per lane"
    )
    min_delay_seconds: float | None = Field(
        default=None,
        ge=0,
        description="shortest pause of a slot between two targets, in seconds; workers follow a "
        "change while they run",
    )
    max_delay_seconds: float | None = Field(
        default=None,
        ge=0,
        description="longest pause of a slot between two targets, in seconds; likewise",
    )
    block_base_seconds: float = Field(
        default=60.0,
        ge=0,
        description="seconds a lane cools down after 429 or 503, doubled each time",
    )
    block_cap_seconds: float = Field(
        default=86_400.0,
        ge=0,
        description="longest cool-down of a lane in seconds, unless its site asks for more",
    )
    block_forgive_seconds: float = Field(
        default=1_800.0,
        ge=0,
        description="seconds without a block after which a lane's strikes are forgotten",
    )
    block_jitter: float = Field(
        default=0.1, ge=0, le=1, description="share by which a cool-down is lengthened at random"
    )
    auto_concurrency: float = Field(
        default=1.0, gt=0, description="requests at a time that rate='auto' aims for on a lane"
    )
    auto_max_seconds: float = Field(
        default=60.0, gt=0, description="longest interval that rate='auto' learns"
    )
    breaker_window: int = Field(
        default=20,
        ge=0,
        description="recent attempts that a circuit breaker counts; 0 turns it off",
    )
    breaker_share: float = Field(
        default=0.9, gt=0, le=1, description="share of failed attempts at which a breaker opens"
    )
    breaker_probe_seconds: float = Field(
        default=30.0, gt=0, description="seconds between two probes while a breaker is open"
    )
    breaker_probe_cap_seconds: float = Field(
        default=1_800.0,
        gt=0,
        description="longest time between two probes; it doubles after each",
    )
    robots_ttl_seconds: float = Field(
        default=86_400.0, gt=0, description="seconds that a site's robots.txt is cached"
    )
    max_crawl_delay_seconds: float = Field(
        default=60.0, ge=0, description="longest Crawl-delay in a robots.txt that is obeyed"
    )
    store_pages: bool | None = Field(
        default=None, description="whether fetched pages are kept, for `swather replay`"
    )
    files_folder: _Location | None = Field(
        default=None,
        description="folder for files that scrapers save, or 's3://bucket/prefix'; the scraper's "
        "own, or `files`, if unset",
    )
    logs_folder: Path = Field(
        default=Path(".swather/logs"), description="folder for worker logs of `swather run`"
    )
    event_level: Literal["none", "failures", "all"] = Field(
        default="failures", description="what the event log keeps; only in the database"
    )
    event_days: float = Field(
        default=30.0, gt=0, description="days that events are kept; only in the database"
    )
    page_age_days: float = Field(
        default=30.0, gt=0, description="days that stored pages are kept; only in the database"
    )
    keep_runs_days: float | None = Field(
        default=None,
        gt=0,
        description="days that ended runs are kept, forever if unset; only in the database",
    )
    memory_days: float | None = Field(
        default=None,
        gt=0,
        description="days that scrapers remember, forever if unset; only in the database",
    )
    scrapers_folder: Path | None = Field(
        default=None, description="folder of scrapers that are known by the names of their files"
    )
    params: dict[str, dict[str, Any]] = Field(
        default={}, description="parameters of scrapers by name: [params.books] in swather.toml"
    )

    @field_validator("params", mode="before")
    @classmethod
    def _may_be_json(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    @field_validator("partitions", mode="before")
    @classmethod
    def _is_a_plan(cls, value: Any) -> Any:
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = json.loads(value)
        if value == "" or not isinstance(value, str | dict | None):
            raise ValueError("should be a table of lists by worker number, a file, or 'balanced'")
        return value

    @field_validator("rate", "total_rate", "default_rate")
    @classmethod
    def _is_a_rate(cls, value: str | None, field: ValidationInfo) -> str | None:
        words = {"rate": ("auto", "none"), "default_rate": ("none",)}.get(
            field.field_name or "", ()
        )
        if value is None or value.strip() in words:
            return value if value is None else value.strip()
        seconds = seconds_between(value)
        if seconds is None:
            raise ValueError(f"should look like {EXAMPLES}")
        if not is_in_bounds(seconds):
            raise ValueError(f"should be {BOUNDS}")
        return value


class Settings(
    WebSettings, NoticeSettings, StorageSettings, FleetSettings, EgressSettings, GeneralSettings
):
    """All settings. None where the scraper's decorator decides."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        title="settings",
    )
