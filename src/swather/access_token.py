"""The tokens that clients of this user's servers prove themselves with.

Made when they are first needed, never shipped. Settings may name others, for a fleet or in a
container.
"""

import hmac
import ipaddress
import json
import os
import secrets
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from swather import permissions
from swather.errors import InputError
from swather.settings import Settings

_BYTES: Final = 24
_MODE: Final = 0o600


class Role(StrEnum):
    """What a client may do: everything, or only read."""

    ADMIN = "admin"
    READER = "reader"


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """The two tokens. `key` signs what they vouch for: it changes when either does."""

    admin: str
    reader: str

    def role_of(self, token: str) -> Role | None:
        """Compared in constant time."""
        given = token.encode(errors="surrogatepass")
        if hmac.compare_digest(given, self.admin.encode()):
            return Role.ADMIN
        if hmac.compare_digest(given, self.reader.encode()):
            return Role.READER
        return None

    @property
    def key(self) -> bytes:
        return sha256(f"{self.admin}\0{self.reader}".encode()).digest()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_file() -> Path:
    """Where those of this user are kept."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "swather" / "tokens.json"


def tokens_for(settings: Settings) -> Tokens:
    """Those that the settings name; for what they leave open, those of this user."""
    admin, reader = settings.api_token, settings.api_read_token
    if admin is not None and reader is not None:
        own = Tokens(admin=admin.get_secret_value(), reader=reader.get_secret_value())
    else:
        kept = _kept()
        own = Tokens(
            admin=kept.admin if admin is None else admin.get_secret_value(),
            reader=kept.reader if reader is None else reader.get_secret_value(),
        )
    if own.admin == own.reader:
        raise InputError("api_token and api_read_token must differ")
    return own


def _kept() -> Tokens:
    path = token_file()
    try:
        return _read(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(f"the tokens in {path} cannot be read: {error}") from error
    new = Tokens(admin=secrets.token_urlsafe(_BYTES), reader=secrets.token_urlsafe(_BYTES))
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        permissions.make_folder(path.parent)
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "wb") as file:  # noqa: PTH123
            file.write(msgspec.json.encode(new))
        try:
            # Another process may make them at the same moment: the first ones stay.
            path.hardlink_to(aside)
        except FileExistsError:
            return _read(path)
        finally:
            aside.unlink()
    except OSError as error:
        raise InputError(
            f"no token can be kept in {path}: {error}; set SWATHER_API_TOKEN and "
            "SWATHER_API_READ_TOKEN instead"
        ) from error
    return new


def _read(path: Path) -> Tokens:
    with path.open("rb") as file:
        others = os.fstat(file.fileno())
        if others.st_mode & 0o077 or others.st_uid != os.geteuid():
            raise InputError(
                f"{path} must belong to you and be readable by you alone: chmod 600 {path}; or "
                "remove it, and new tokens are made"
            )
        text = file.read(10_000)
    try:
        found = msgspec.json.decode(text, type=Tokens)
    except (msgspec.DecodeError, json.JSONDecodeError) as error:
        raise InputError(
            f"{path} holds no tokens ({error}); remove it, and new ones are made"
        ) from error
    if not (found.admin and found.reader):
        raise InputError(f"{path} holds an empty token; remove it, and new ones are made")
    return found
