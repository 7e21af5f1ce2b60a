"""Publishes the files of a source: each gets a name, an item, and is remembered."""

import re
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from swather.builtin.media.direct import NAME as DIRECT
from swather.builtin.media.download import Fetched
from swather.model.payload import storable

_MAX_STEM_CHARACTERS: Final = 60
_MAX_TEXT_CHARACTERS: Final = 1_000
_UNFIT: Final = re.compile(r"[^\w-]+")


def file_name(folder: str, file: Fetched) -> str:
    """'cats/openverse/a-cat-3f9a1c2b.jpg': no other content has this name."""
    found = file.found
    last = unquote(urlsplit(found.url).path).rpartition("/")[2].rpartition(".")[0]
    for text in (found.title.removesuffix(file.type.extension), last, found.id):
        stem = _UNFIT.sub("-", text)[:_MAX_STEM_CHARACTERS].strip("-_")
        if stem:
            break
    else:
        stem = file.type.kind
    folders = found.source if found.source == DIRECT else f"{folder}/{found.source}"
    return f"{folders}/{stem}-{file.sha256[:8]}{file.type.extension}"


def file_item(query: str, name: str, file: Fetched) -> dict[str, Any]:
    found = file.found
    return {
        "type": "file",
        "query": query,
        "source": found.source,
        "kind": file.type.kind,
        "file": name,
        "url": _text(found.url),
        "page_url": _text(found.page_url),
        "title": _text(found.title),
        "author": _text(found.author),
        "licence": _text(found.licence),
        "licence_url": _text(found.licence_url),
        "id": _text(found.id),
        "width": file.width,
        "height": file.height,
        "media_type": file.type.media_type,
        "size_bytes": file.size_bytes,
        "sha256": file.sha256,
    }


def _text(text: str) -> str:
    """What a site says, as every database can keep it."""
    return storable(text)[:_MAX_TEXT_CHARACTERS]
