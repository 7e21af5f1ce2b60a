"""A ZIP archive that is written while it is sent: no file of it is ever held whole."""

import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

_WRITABLE: Final = 0o600 << 16


class _Sent:
    """What was written since it was last taken; a file that cannot be sought in."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def zipped(files: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """The archive of these files, by name, in pieces. Pictures and videos are not packed again. A
    name that comes twice gets a number.
    """
    sent = _Sent()
    now = datetime.now(UTC).timetuple()[:6]
    names: dict[str, int] = {}
    with zipfile.ZipFile(sent, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:  # type: ignore[call-overload]
        for name, chunks in files:
            entry = zipfile.ZipInfo(_unused(name, names), now)
            entry.external_attr = _WRITABLE
            with archive.open(entry, "w", force_zip64=True) as file:
                for chunk in chunks:
                    file.write(chunk)
                    yield sent.take()
    yield sent.take()


def _unused(name: str, names: dict[str, int]) -> str:
    """Relative, and no other file's."""
    safe = "/".join(part for part in name.split("/") if part not in ("", ".", "..")) or "file"
    number = names[safe] = names.get(safe, 0) + 1
    stem, dot, ending = safe.rpartition(".")
    if number == 1:
        return safe
    return f"{stem}-{number}{dot}{ending}" if dot and stem else f"{safe}-{number}"
