"""Sessions of people: a signed cookie that says which role they logged in with, and until when."""

import hmac
import secrets
import time
from hashlib import sha256
from typing import Final

from swather.access_token import Role, Tokens

COOKIE: Final = "swather_session"
LASTING_SECONDS: Final = 30 * 86_400


def new_session(tokens: Tokens, role: Role) -> str:
    """The value of the cookie. It is worth nothing once a token has changed."""
    claims = f"{role}.{int(time.time()) + LASTING_SECONDS}.{secrets.token_urlsafe(9)}"
    return f"{claims}.{_signature(tokens, claims)}"


def role_in(tokens: Tokens, cookie: str) -> Role | None:
    """The role that a cookie of ours proves; None for any other."""
    claims, _, signature = cookie.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _signature(tokens, claims).encode()):
        return None
    role, until, _ = claims.split(".", 2)
    return Role(role) if time.time() < int(until) else None


def _signature(tokens: Tokens, claims: str) -> str:
    return hmac.new(tokens.key, claims.encode(errors="surrogatepass"), sha256).hexdigest()
