"""Settings of the API and the dashboard: where they are served, and who may use them."""

import ipaddress
import re
from typing import Final

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

SHORTEST_TOKEN: Final = 16
_NAME_AND_PORT: Final = re.compile(
    r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*))(?::[0-9]{1,5})?"
)


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
    def _can_be_sent(cls, value: SecretStr | None) -> SecretStr | None:
        """In a header, where spaces around it are lost, and other alphabets are not for certain."""
        if value is None:
            return None
        token = value.get_secret_value().strip()
        if len(token) < SHORTEST_TOKEN:
            raise ValueError(f"should have at least {SHORTEST_TOKEN} characters")
        if not all("!" <= character <= "~" for character in token):
            raise ValueError("should have only ASCII characters, and no spaces")
        return SecretStr(token)

    @field_validator("api_names")
    @classmethod
    def _are_hosts(cls, value: str) -> str:
        """Without their ports: a server is the same on each."""
        hosts = (_host_of(name.strip()) for name in value.split(",") if name.strip())
        return ",".join(dict.fromkeys(hosts))


def _host_of(name: str) -> str:
    """As a browser sends it."""
    try:
        return str(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        pass
    found = _NAME_AND_PORT.fullmatch(name.lower())
    if found is None:
        raise ValueError(f"should name hosts such as swather.example.com, not {name!r:.80}")
    return found["address"] or found["name"]
