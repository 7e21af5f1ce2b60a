"""What the settings row of a database may say to the machines that use it.

Anyone who can write to the database can change these on every worker. So only what slows, paces or
names a worker is among them: nothing that says which files it writes, which code it runs or which
database it uses. A new setting is not read from the row until it is added here.
"""

from pathlib import Path, PurePosixPath
from typing import Any, Final

from swather.file_location import Location

IN_THE_ROW: Final = frozenset(
    {
        "workers", "concurrency", "batch_size", "lease_seconds", "grace_seconds", "poll_seconds",
        "strategy", "retries", "backoff", "timeout", "request_timeout", "connect_timeout",
        "read_timeout", "max_page_bytes", "max_download_bytes", "max_redirects", "user_agent",
        "http_client", "rate", "log_lines",
        "total_rate", "default_rate", "in_flight", "min_delay_seconds", "max_delay_seconds",
        "block_base_seconds",
        "block_cap_seconds", "block_forgive_seconds", "block_jitter", "auto_concurrency",
        "auto_max_seconds", "breaker_window", "breaker_share", "breaker_probe_seconds",
        "breaker_probe_cap_seconds", "robots_ttl_seconds", "max_crawl_delay_seconds",
        "store_pages", "event_level", "event_days", "page_age_days", "keep_runs_days",
        "memory_days",
        "files_folder",
        "proxy_selection_strategy", "proxy_rotation", "proxies_per_worker", "proxy_tags",
        "proxy_blacklist_threshold", "proxy_blacklist_minutes", "proxy_probe_seconds",
        "tor_bootstrap_seconds", "max_targets_per_browser", "browser_memory_mb", "browser_pages",
        "browser_block", "browser_keep_failed",
        "stagger_seconds", "restarts_per_hour", "log_targets",
        "min_workers", "tasks_per_worker", "worker_memory_mb", "scale_down_seconds",
        "ray_cpus_per_worker",
    }
)  # fmt: skip
# The folder for files if neither a setting nor the scraper names one.
FILES_FOLDER: Final = Path("files")
_FOLDER: Final = "files_folder"
_MAX_FOLDER_BYTES: Final = 500


def refusal(name: str, value: Any) -> str | None:
    """Why the row may not say this of a setting; None if it may."""
    if name not in IN_THE_ROW:
        return (
            f"{name} cannot be set in the database, where it would apply to every machine; "
            "set it in swather.toml"
        )
    if name == _FOLDER and not _stays_below(value):
        return (
            f"{name} in the database must be a relative path without '..' and "
            f"hidden folders, got {value!r}"
        )
    return None


def below(own: Location, folder: str) -> Location:
    """Where files go: `folder` comes from the row, `own` is what this machine says."""
    assert _stays_below(folder)
    return own / PurePosixPath(folder)


def _stays_below(folder: Any) -> bool:
    if not isinstance(folder, str) or len(folder.encode(errors="replace")) > _MAX_FOLDER_BYTES:
        return False
    if folder.startswith("/") or "\\" in folder or ":" in folder or not folder.isprintable():
        return False
    parts = PurePosixPath(folder).parts
    return bool(parts) and not any(part.startswith((".", "~")) for part in parts)
