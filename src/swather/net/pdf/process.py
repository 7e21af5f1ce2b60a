"""Reads one PDF on standard input and writes the rows of its table; a bad one ends only it.

Run with -m by reading.py; it imports little, so that it starts quickly.
"""

import ctypes
import json
import resource
import signal
import sys
from collections.abc import Iterator
from typing import Any, Final

from swather.net.pdf.table import Table
from swather.net.pdf.words import Glyph, lines_of

MAX_MEMORY_BYTES: Final = 1 << 30
MAX_GLYPHS: Final = 200_000
MAX_ROWS: Final = 100_000


def main() -> None:
    order = json.loads(sys.argv[1])
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or hard > MAX_MEMORY_BYTES:
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, hard))
    # A parent that ignores it would make us ignore it, too.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, order["seconds"])
    answer = read(sys.stdin.buffer.read(), order["columns"], order["max_pages"])
    sys.stdout.write(json.dumps(answer))


def read(content: bytes, columns: list[str], max_pages: int) -> dict[str, Any]:
    """`rows`, or `error` with the reason why there are none."""
    import pypdfium2  # noqa: PLC0415 - of the extra `pdf`

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        return {"error": "damaged", "why": str(error)}
    pages = len(document)
    if pages > max_pages:
        return {"error": "pages", "why": f"it has {pages:,} pages"}
    table = Table(columns)
    for number in range(pages):
        page = document[number]
        text = page.get_textpage()
        if text.count_chars() > MAX_GLYPHS:
            return {
                "error": "large",
                "why": f"page {number + 1} has more than {MAX_GLYPHS:,} letters",
            }
        table.add_page(lines_of(_glyphs(text)))
        text.close()
        page.close()
        if len(table.rows) > MAX_ROWS:
            return {"error": "large", "why": f"its table has more than {MAX_ROWS:,} rows"}
    if not table.has_head:
        return {"error": "head", "why": ""}
    return {"rows": table.rows}


def _glyphs(text: Any) -> Iterator[Glyph]:
    from pypdfium2 import raw  # noqa: PLC0415 - the same

    box = raw.FS_RECTF()
    for index in range(text.count_chars()):
        code = raw.FPDFText_GetUnicode(text, index)
        # Spaces are told by the gaps: some files have none, and some have too many.
        if code <= 0x20 or code in {0xA0, 0xFFFE, 0xFFFF} or 0xD800 <= code < 0xE000:
            continue
        if raw.FPDFText_GetLooseCharBox(text, index, ctypes.byref(box)):
            size = raw.FPDFText_GetFontSize(text, index) or (box.top - box.bottom)
            yield Glyph(chr(code), box.left, box.bottom, box.right, box.top, max(size, 0.1))


if __name__ == "__main__":
    main()
