"""A folder in an S3 bucket: what is done with its objects, and what is said when that fails.

Every write is one request of its own, so that an object is there as a whole or not at all, whoever
is killed. Large ones are not uploaded in parts for the same reason: parts of an upload that nobody
completes stay in the bucket, unseen and paid for.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from swather.errors import MissingExtra
from swather.file_location import BucketFolder
from swather.visible import visible_line

if TYPE_CHECKING:
    from obstore.store import S3Config, S3Store

MISSING: Final = "files in a bucket need the extra s3: pip install 'swather[s3]'"
# The most that one request can write, and one copy can read.
MAX_BYTES: Final = 5 << 30
_REQUEST_SECONDS: Final = 30.0
_COPY_SECONDS: Final = 600.0
# A larger upload may take longer; this slow a line is still waited for.
_LARGE_BYTES: Final = 8 << 20
_SLOWEST_BYTES_PER_SECOND: Final = 64 << 10
# What a blip costs is left to the client; a longer outage is waited for above.
_RETRY_SECONDS: Final = 5.0
_RETRIES: Final = 3
_CODE: Final = re.compile(r"<Code>([A-Za-z0-9]{1,60})</Code>")
_STATUS: Final = re.compile(r"status code: (\d{3})")
_METADATA: Final = "169.254.169.254"
_OF_THE_REGION: Final = "the bucket is in another region: set s3_region (AWS_REGION)"
_WORDS: Final = {
    "NoSuchBucket": "there is no such bucket: create it, or correct files_folder",
    "InvalidBucketName": "the server accepts no bucket of that name: correct files_folder",
    "InvalidAccessKeyId": "the server does not know the access key: check s3_access_key "
    "(AWS_ACCESS_KEY_ID)",
    "SignatureDoesNotMatch": "the secret key does not fit the access key: check s3_secret_key "
    "(AWS_SECRET_ACCESS_KEY)",
    "ExpiredToken": "the session token has expired: renew the keys",
    "InvalidToken": "the session token is not valid: renew the keys",
    "PermanentRedirect": _OF_THE_REGION,
    "AuthorizationHeaderMalformed": _OF_THE_REGION,
    "RequestTimeTooSkewed": "the clock of this machine differs from the server's: set it",
}
_NO_PERMISSION: Final = (
    "the access key has no permission for this: it needs s3:GetObject, s3:PutObject and "
    "s3:DeleteObject on the objects, and s3:ListBucket on the bucket"
)
_NO_KEYS: Final = (
    "no keys are known: set s3_access_key and s3_secret_key (AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY), or give the machine a role"
)


class BucketUnavailable(OSError):
    """The server cannot be reached, or does not do what it is asked. That may end by itself."""


class BucketRefused(BucketUnavailable):
    """The server refuses us: somebody must change the settings, the bucket or its permissions."""


@dataclass(frozen=True, kw_only=True)
class BucketAccess:
    """How buckets are reached; AWS with the machine's role if nothing is given."""

    endpoint: str | None = None
    region: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)


class Found(NamedTuple):
    """An object: its key below the folder, its size, its tag (the same for the same content, as
    far as the server knows), when it was written.
    """

    key: str
    size_bytes: int
    tag: str
    written_at: datetime

    @property
    def name(self) -> str:
        """The last part of its key."""
        return self.key.rpartition("/")[2]

    @property
    def age_seconds(self) -> float:
        return (datetime.now(UTC) - self.written_at).total_seconds()


class Bucket:
    """Every method blocks, may be called on any thread, and raises BucketUnavailable."""

    def __init__(self, folder: BucketFolder, access: BucketAccess) -> None:
        if find_spec("obstore") is None:
            raise MissingExtra(MISSING)
        self.folder = folder
        self._access = access

    def put(self, key: str, content: bytes | mmap) -> None:
        """Write an object, in place of one that is there. The server compares what it received
        with the hash that we signed.
        """
        import obstore  # noqa: PLC0415 - only if files go to a bucket

        with self._telling():
            obstore.put(self._store_for(len(content)), key, content, use_multipart=False)

    def create(self, key: str, content: bytes) -> bool:
        """Write an object if there is none; False if there is."""
        import obstore  # noqa: PLC0415
        from obstore.exceptions import AlreadyExistsError  # noqa: PLC0415

        with self._telling():
            try:
                obstore.put(self._store, key, content, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return False
        return True

    def creates_once(self, key: str) -> bool:
        """Whether the server refuses to create what is there, tried with an object at this key.
        Some write it all the same, and some do not know the wish.
        """
        self.put(key, b"first")
        try:
            return not self.create(key, b"second")
        except BucketRefused:
            return False
        finally:
            self.delete(key)

    def find(self, key: str) -> Found | None:
        import obstore  # noqa: PLC0415

        with self._telling():
            try:
                return _found(obstore.head(self._store, key))
            except FileNotFoundError:
                return None

    def read(self, key: str) -> bytes | None:
        """A small object; None if there is none."""
        import obstore  # noqa: PLC0415

        with self._telling():
            try:
                return bytes(obstore.get(self._store, key).bytes())
            except FileNotFoundError:
                return None

    def sha256_of(self, key: str) -> str:
        """Read an object, however large it is; FileNotFoundError if there is none."""
        digest = sha256()
        for chunk in self.chunks(key):
            digest.update(chunk)
        return digest.hexdigest()

    def chunks(self, key: str) -> Iterator[bytes]:
        """An object in pieces, however large it is; FileNotFoundError if there is none."""
        import obstore  # noqa: PLC0415

        with self._telling():
            for chunk in obstore.get(self._patient_store, key):
                yield bytes(chunk)

    def copy(self, source: str, target: str) -> None:
        """Within the server; FileNotFoundError if there is no such object."""
        import obstore  # noqa: PLC0415

        with self._telling():
            obstore.copy(self._patient_store, source, target)

    def delete(self, key: str) -> None:
        import obstore  # noqa: PLC0415

        with self._telling():
            obstore.delete(self._store, key)

    def list(self, prefix: str, after: str | None = None) -> Iterator[Found]:
        """All objects whose keys begin with `prefix/`, in the order of their keys."""
        import obstore  # noqa: PLC0415

        with self._telling():
            for chunk in obstore.list(self._store, prefix, offset=after, chunk_size=1_000):
                yield from map(_found, chunk)

    @cached_property
    def _store(self) -> "S3Store":
        return self._client(_REQUEST_SECONDS)

    @cached_property
    def _patient_store(self) -> "S3Store":
        """For what takes as long as an object is large, which is not known."""
        return self._client(_COPY_SECONDS)

    def _store_for(self, size_bytes: int) -> "S3Store":
        """For an upload of so many bytes."""
        if size_bytes <= _LARGE_BYTES:
            return self._store
        return self._client(_REQUEST_SECONDS + size_bytes / _SLOWEST_BYTES_PER_SECOND)

    def _client(self, request_seconds: float) -> "S3Store":
        from obstore.store import S3Store  # noqa: PLC0415

        access = self._access
        given = {
            "endpoint": access.endpoint,
            # Or that of AWS_ENDPOINT_URL_S3 would count, which the client reads by itself.
            "aws_endpoint_url_s3": access.endpoint,
            "region": access.region,
            "access_key_id": access.access_key,
            "secret_access_key": access.secret_key,
            "session_token": access.session_token,
        }
        config: S3Config = {
            **{name: value for name, value in given.items() if value},  # type: ignore[typeddict-item]
            # Not every server deletes several objects with one request.
            "disable_bulk_delete": True,
        }
        return S3Store(
            self.folder.bucket,
            prefix=self.folder.prefix or None,
            config=config,
            client_options={
                "allow_http": (access.endpoint or "").startswith("http://"),
                "timeout": timedelta(seconds=request_seconds),
            },
            retry_config={
                "max_retries": _RETRIES,
                "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
                "backoff": {"max_backoff": timedelta(seconds=1)},
            },
        )

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What the client raises, in our words."""
        from obstore.exceptions import BaseError  # noqa: PLC0415

        try:
            yield
        except FileNotFoundError as error:
            # Of a bucket as of an object: only the text tells them apart.
            if "NoSuchBucket" not in str(error):
                raise
            raise self._told(str(error)) from None
        except BaseError as error:
            # The client's own text holds the whole answer, and what it was asked.
            raise self._told(str(error)) from None

    def _told(self, text: str) -> BucketUnavailable:
        text = text.partition("Debug source")[0]
        code, status = _CODE.search(text), _STATUS.search(text)
        number = int(status[1]) if status else 0
        if _METADATA in text:
            return self._refused(_NO_KEYS)
        if code is not None and code[1] in _WORDS:
            return self._refused(_WORDS[code[1]])
        if number in {401, 403}:
            return self._refused(_NO_PERMISSION)
        if 300 <= number < 400:
            return self._refused(_OF_THE_REGION)
        shown = f"{number} {code[1]}" if code else str(number)
        if 400 <= number < 500 or number == 501:
            return self._refused(f"the server answers {shown}")
        where = self._access.endpoint or "AWS"
        why = f"it answers {shown}" if number else "no connection"
        return BucketUnavailable(f"{self.folder} cannot be reached at {where}: {why}")

    def _refused(self, words: str) -> BucketRefused:
        return BucketRefused(visible_line(f"{self.folder} cannot be used: {words}"))


def _found(meta: Any) -> Found:
    return Found(
        meta["path"], meta["size"], (meta["e_tag"] or "").strip('"'), meta["last_modified"]
    )
