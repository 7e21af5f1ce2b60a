"""Hooks that are addresses: a POST with JSON, signed as standardwebhooks.com describes."""

import base64
import binascii
import hashlib
import hmac
import time
from typing import Any, Final
from urllib.parse import urlsplit

from swather.errors import HookFailed
from swather.model.notice import Notice, Subscription
from swather.runs.notice_json import encoded
from swather.version import __version__

_BASE64_SECRET: Final = "whsec_"  # noqa: S105 - what a secret begins with
_SHOWN_BYTES: Final = 300
# A receiver answers within this; the rest of `hook_timeout` is for commands.
_LONGEST_SECONDS: Final = 30.0


class Webhook:
    """A receiver that answers with 2xx has taken the notice. Redirects are not followed."""

    def __init__(
        self, subscription: Subscription, url: str, secret: str | None, timeout_seconds: float
    ) -> None:
        self.subscription = subscription
        self.timeout_seconds = min(timeout_seconds, _LONGEST_SECONDS)
        self._url = url
        self._secret = secret

    def cut_off(self) -> None:
        """Its connection ends with the process."""

    def deliver(self, notice: Notice) -> None:
        from urllib.error import HTTPError, URLError  # noqa: PLC0415 - only where one is called
        from urllib.request import Request  # noqa: PLC0415

        body = encoded(notice)
        request = Request(  # noqa: S310 - the setting is checked: http or https
            self._url, body, self._headers(notice.uid, body), method="POST"
        )
        host = urlsplit(self._url).netloc.rpartition("@")[2]
        try:
            with _opener().open(request, timeout=self.timeout_seconds) as response:
                response.read(_SHOWN_BYTES)
        except HTTPError as error:
            with error:
                said = error.read(_SHOWN_BYTES).decode(errors="replace").strip()
            raise HookFailed(
                f"{host} answered with status {error.code}{f': {said}' if said else ''}"
            ) from error
        except URLError as error:
            raise HookFailed(f"{host} cannot be reached: {error.reason}") from error
        except (OSError, ValueError) as error:
            raise HookFailed(f"{host} cannot be reached: {error}") from error

    def _headers(self, uid: str, body: bytes) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"swather/{__version__}",
            "Idempotency-Key": uid,
            "Webhook-Id": uid,
            "Webhook-Timestamp": str(int(time.time())),
        }
        if self._secret is not None:
            headers["Webhook-Signature"] = signature(
                self._secret, uid, headers["Webhook-Timestamp"], body
            )
        return headers


def signature(secret: str, uid: str, timestamp: str, body: bytes) -> str:
    """'v1,' and the HMAC-SHA256 of id, time and body, in base64."""
    signed = hmac.new(_key_of(secret), f"{uid}.{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(signed.digest()).decode()}"


def _key_of(secret: str) -> bytes:
    if secret.startswith(_BASE64_SECRET):
        try:
            return base64.b64decode(secret.removeprefix(_BASE64_SECRET), validate=True)
        except binascii.Error as error:
            raise HookFailed(
                f"webhook_secret begins with {_BASE64_SECRET} and is not base64 after it"
            ) from error
    return secret.encode()


def _opener() -> Any:
    from urllib.request import HTTPRedirectHandler, build_opener  # noqa: PLC0415 - as above

    class NoRedirects(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    return build_opener(NoRedirects)
