"""Settings of the S3 storage that `files_folder` may name."""

import re
from typing import Final

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

# A path is let through: other programs read the same variable, and may need it.
_ENDPOINT: Final = re.compile(r"https?://[^\s@?#]+", re.IGNORECASE)


class StorageSettings(BaseSettings):
    """How the bucket of `files_folder = "s3://bucket/prefix"` is reached."""

    s3_endpoint: str | None = Field(
        default=None,
        description="address of an S3-compatible server, 'https://s3.example.com'; AWS if unset",
    )
    s3_region: str | None = Field(
        default=None, min_length=1, description="region of the bucket; us-east-1 if unset"
    )
    s3_access_key: SecretStr | None = Field(
        default=None,
        description="the access key id; if unset, that of the machine's role on AWS",
    )
    s3_secret_key: SecretStr | None = Field(
        default=None, description="the secret key that belongs to it"
    )
    s3_session_token: SecretStr | None = Field(
        default=None, description="the token of temporary keys"
    )

    @field_validator("s3_endpoint")
    @classmethod
    def _is_an_endpoint(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if _ENDPOINT.fullmatch(value) is None:
            raise ValueError("should look like 'https://s3.example.com' or 'http://host:9000'")
        return value.rstrip("/")
