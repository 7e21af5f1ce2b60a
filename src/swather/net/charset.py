"""The charset of a page: what it declares, else what it looks like."""

import codecs
import re
from functools import lru_cache
from typing import Final

_IN_HEADER: Final = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:\-]+)", re.IGNORECASE)
# Only in a <meta> that stands for a header: a description may mention charsets.
_IN_META: Final = re.compile(
    rb"<meta(?=[^<>]+charset\s*=\s*[\"']?\s*([\w.:\-]+))"
    rb"(?:(?=[^<>]+http-equiv)|(?![^<>]+content\s*=))",
    re.IGNORECASE,
)
_IN_XML: Final = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:\-]+)", re.IGNORECASE)
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_LOOKED_AT_BYTES: Final = 4096
_BYTE_ORDER_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# What browsers take a name for: nearly always the Windows superset.
_MEANT: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "big5": "big5hkscs", "utf-16": "utf-16-le",
}  # fmt: skip
_OTHERS: Final = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gb18030",
                  "windows-949": "cp949", "x-mac-cyrillic": "mac-cyrillic", "windows-874": "cp874",
                  "iso-8859-8-i": "iso8859-8", "x-cp1251": "cp1251", "x-cp1252": "cp1252",
                  "ks_c_5601-1987": "cp949", "unicode-1-1-utf-8": "utf-8"}  # fmt: skip
# Python has codecs that no page may choose, such as 'unicode_escape'.
_OF_THE_WEB: Final = re.compile(
    r"utf-8|utf-16-[bl]e|iso8859-\d+|cp(125\d|866|874|932|949)|koi8-[ru]|mac-(roman|cyrillic)"
    r"|gb18030|big5hkscs|euc_jp|iso2022_jp|hz"
)


def decoded(content: bytes, content_type: str) -> str:
    """The content as text, by its byte order mark, the header, its own <meta> or XML declaration;
    else as UTF-8 if it is, as Windows-1252 if not. What does not fit the charset becomes '�'.
    """
    encoding = named(content, content_type)
    if encoding is not None:
        return content.decode(encoding, errors="replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def reread(value: str) -> str:
    """A header's value, which was decoded as Latin-1, decoded as UTF-8 if its bytes are that."""
    try:
        return value if value.isascii() else value.encode("latin-1").decode()
    except UnicodeError:
        return value


def named(content: bytes, content_type: str) -> str | None:
    """Python's name for the declared charset, if there is one."""
    for mark, marked in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return marked
    if (found := _IN_HEADER.search(content_type)) and (encoding := _codec_of(found[1])):
        return encoding
    head = content[:_LOOKED_AT_BYTES]
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    for declared in (_IN_META.search(head), _IN_XML.match(head)):
        if declared and (encoding := _codec_of(declared[1].decode("latin-1"))):
            # It could be read as ASCII, so it is not UTF-16.
            return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


@lru_cache(maxsize=256)
def _codec_of(name: str) -> str | None:
    """Python's name for a charset that browsers know; None for any other."""
    name = name.lower()
    if name in _OTHERS:
        return _OTHERS[name]
    try:
        known = codecs.lookup(name).name
    except (LookupError, UnicodeError, ValueError):
        return None
    known = _MEANT.get(known, known)
    return known if _OF_THE_WEB.fullmatch(known) else None
