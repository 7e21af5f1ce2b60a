"""Settings of the API and the dashboard: where they are served, and who may use them."""

from typing import Final

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

SHORTEST_TOKEN: Final = 16


class WebSettings(BaseSettings):
    """Those of `swather serve`."""

    api_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="address that `swather serve` listens on; others than this machine need "
        "api_token",
    )
    api_port: int = Field(
        default=8765, ge=0, le=65_535, description="port that `swather serve` listens on; 0: any"
    )
    api_token: SecretStr | None = Field(
        default=None,
        description="the token that API clients must send; if unset, one of this user is "
        "made and kept in a file",
    )
    api_read_token: SecretStr | None = Field(
        default=None, description="the same for clients that may only read"
    )
    api_names: str = Field(
        default="",
        description="host names under which the server is reached, separated by commas, beside "
        "its address: 'swather.example.com'",
    )

    @field_validator("api_token", "api_read_token")
    @classmethod
    def _is_long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < SHORTEST_TOKEN:
            raise ValueError(f"should have at least {SHORTEST_TOKEN} characters")
        return value
