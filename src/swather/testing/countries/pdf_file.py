"""Writes a PDF of text at given places: as little of the format as a price list needs."""

from collections.abc import Sequence
from typing import Final, NamedTuple

WIDTH: Final = 595
HEIGHT: Final = 842
_ROOT: Final = b"<< /Type /Catalog /Pages 2 0 R >>"
_FONT: Final = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>"
# Each letter of Courier is this wide, in the height of the font.
LETTER: Final = 0.6


class Text(NamedTuple):
    """A line of text; `x` and `y` count from the lower left corner of the page."""

    x: float
    y: float
    text: str
    size: float = 9


def pdf(pages: Sequence[Sequence[Text]]) -> bytes:
    """A file with these pages."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    objects = [_ROOT, b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)), _FONT]
    for number, page in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (WIDTH, HEIGHT, 5 + 2 * number)
        )
        drawn = b"\n".join(map(_drawn, page))
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
    return _file(objects)


def _drawn(text: Text) -> bytes:
    escaped = text.text.encode("cp1252", "replace")
    for special in (b"\\", b"(", b")"):
        escaped = escaped.replace(special, b"\\" + special)
    return b"BT /F1 %g Tf %g %g Td (%s) Tj ET" % (text.size, text.x, text.y, escaped)


def _file(objects: Sequence[bytes]) -> bytes:
    written = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    written += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)
    return bytes(written)
