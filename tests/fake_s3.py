"""A stand-in for an S3 server: real HTTP, real signatures, objects in memory.

It is a fake: it knows the requests that Swather makes, forgets everything when its process ends,
and has one key and one bucket.
"""

import hashlib
import hmac
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

ACCESS_KEY, SECRET_KEY, BUCKET = "AKIDEXAMPLE", "secretOfTheFake", "bucket"
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<scope>[^,]+), "
    r"SignedHeaders=(?P<signed>[^,]+), Signature=(?P<signature>[0-9a-f]+)"
)


@dataclass
class Stored:
    """An object and when it was written."""

    content: bytes
    written_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def tag(self) -> str:
        return hashlib.md5(self.content, usedforsecurity=False).hexdigest()


class FakeS3:
    """Begins with the block; `stop` and `start` are an outage, with the same port and objects.

    denied       methods that its key has no permission for
    conditional  whether it creates an object only if there is none; some servers do not
    """

    def __init__(self, *, conditional: bool = True) -> None:
        self.objects: dict[str, Stored] = {}
        self.requests: Counter[str] = Counter()
        self.denied: set[str] = set()
        self.conditional = conditional
        self.lock = threading.Lock()
        self._port = 0
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": "us-east-1",
        }

    def start(self) -> None:
        handler = type("Handler", (_Handler,), {"s3": self})
        ThreadingHTTPServer.allow_reuse_address = True
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._server.daemon_threads = True
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def is_up(self) -> bool:
        return self._server is not None

    def named(self) -> dict[str, bytes]:
        """What people see: the objects without those that Swather keeps for itself."""
        return {
            key: stored.content
            for key, stored in sorted(self.objects.items())
            if not any(part.startswith(".") for part in key.split("/"))
        }

    def age(self, key: str, days: float) -> None:
        self.objects[key].written_at -= timedelta(days=days)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    s3: FakeS3

    def do_PUT(self) -> None:
        if (body := self._admitted()) is None:
            return None
        source = self.headers.get("x-amz-copy-source")
        with self.s3.lock:
            if source is not None:
                found = self.s3.objects.get(unquote(source).lstrip("/").partition("/")[2])
                if found is None:
                    return self._fail(404, "NoSuchKey")
                body = found.content
            condition = self.headers.get("if-none-match")
            if condition == "*" and self.s3.conditional and self._key in self.s3.objects:
                return self._fail(412, "PreconditionFailed")
            stored = self.s3.objects[self._key] = Stored(body)
        copied = f'<CopyObjectResult><ETag>"{stored.tag}"</ETag></CopyObjectResult>'
        return self._answer(200, copied if source else "", ETag=f'"{stored.tag}"')

    def do_GET(self) -> None:
        if self._admitted() is None:
            return None
        if not self._key:
            return self._list()
        found = self.s3.objects.get(self._key)
        if found is None:
            return self._fail(404, "NoSuchKey")
        written = found.written_at.strftime("%a, %d %b %Y %H:%M:%S GMT")
        headers = {"ETag": f'"{found.tag}"', "Last-Modified": written}
        return self._answer(200, found.content, **headers)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        if self._admitted() is None:
            return
        with self.s3.lock:
            self.s3.objects.pop(self._key, None)
        self._answer(204)

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).lstrip("/").partition("/")[2]

    def _list(self) -> None:
        query = dict(parse_qsl(urlsplit(self.path).query))
        prefix, limit = query.get("prefix", ""), int(query.get("max-keys", 1_000))
        after = query.get("continuation-token") or query.get("start-after", "")
        with self.s3.lock:
            keys = sorted(key for key in self.s3.objects if key.startswith(prefix) and key > after)
            shown = "".join(_entry(key, self.s3.objects[key]) for key in keys[:limit])
        more = len(keys) > limit
        token = f"<NextContinuationToken>{escape(keys[:limit][-1] if more else '')}"
        self._answer(
            200,
            f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>"
            f"{token}</NextContinuationToken>{shown}</ListBucketResult>",
        )

    def _admitted(self) -> bytes | None:
        """The body of a request that is signed by the key, is whole, and is for the bucket; for all
        others None, once they are answered.
        """
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.s3.requests[self.command] += 1
        if not self.s3.is_up:  # a connection from before the outage
            self.close_connection = True
            return None
        if wrong := self._wrong_with(body):
            self._fail(*wrong)
            return None
        return body

    def _wrong_with(self, body: bytes) -> tuple[int, str] | None:
        signed = _AUTHORIZATION.fullmatch(self.headers.get("authorization", ""))
        if signed is None or self.command in self.s3.denied:
            return 403, "AccessDenied"
        if signed["key"] != ACCESS_KEY:
            return 403, "InvalidAccessKeyId"
        if signed["signature"] != self._signature(signed["scope"], signed["signed"]):
            return 403, "SignatureDoesNotMatch"
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            return 400, "XAmzContentSHA256Mismatch"
        if unquote(urlsplit(self.path).path).lstrip("/").partition("/")[0] != BUCKET:
            return 404, "NoSuchBucket"
        return None

    def _signature(self, scope: str, signed: str) -> str:
        parts = urlsplit(self.path)
        pairs = sorted(parse_qsl(parts.query, keep_blank_values=True))
        query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)
        headers = "".join(f"{name}:{self.headers[name].strip()}\n" for name in signed.split(";"))
        hashed = self.headers["x-amz-content-sha256"]
        request = f"{self.command}\n{parts.path}\n{query}\n{headers}\n{signed}\n{hashed}"
        digest = hashlib.sha256(request.encode("latin-1")).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{self.headers['x-amz-date']}\n{scope}\n{digest}"
        key = b"AWS4" + SECRET_KEY.encode()
        for word in (*scope.split("/"), text):
            key = hmac.digest(key, word.encode(), "sha256")
        return key.hex()

    def _fail(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code><Message>No.</Message></Error>")

    def _answer(self, status: int, body: str | bytes = "", **headers: str) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status, HTTPStatus(status).phrase)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _entry(key: str, stored: Stored) -> str:
    return (
        f"<Contents><Key>{escape(key)}</Key><Size>{len(stored.content)}</Size>"
        f'<ETag>"{stored.tag}"</ETag>'
        f"<LastModified>{stored.written_at:%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
    )
