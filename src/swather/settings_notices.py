"""Settings of notices: who is told when a run ends, and when something is wrong."""

from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings


class NoticeSettings(BaseSettings):
    """Hooks. Commands and addresses never come from a database."""

    on_end: str | None = Field(
        default=None, min_length=1, description="command that is run when a run has ended"
    )
    on_trouble: str | None = Field(
        default=None,
        min_length=1,
        description="command that is run when a breaker opens, a run makes no progress or a "
        "schedule fails",
    )
    webhook: str | None = Field(
        default=None,
        min_length=1,
        description="address that is sent a POST with JSON for all of these",
    )
    webhook_secret: str | None = Field(
        default=None, min_length=1, description="key with which these requests are signed"
    )
    hook_timeout: float = Field(
        default=60.0,
        gt=0,
        le=86_400,
        description="seconds that the command of a hook, or its receiver, may take",
    )
    no_progress_seconds: float = Field(
        default=1_800.0,
        gt=0,
        le=31_536_000,
        description="seconds without an ended target after which a run makes no progress",
    )

    @field_validator("webhook")
    @classmethod
    def _is_a_web_address(cls, value: str | None) -> str | None:
        parts = None if value is None else urlsplit(value)
        if parts is not None and not (parts.scheme in ("http", "https") and parts.hostname):
            raise ValueError("should look like https://example.com/hook")
        return value
