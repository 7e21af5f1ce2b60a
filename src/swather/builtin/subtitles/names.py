"""Names of the files, from a template: '{channel}/{title} [{id}].{language}.{format}'."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from string import Formatter
from typing import Final

from swather.scraping.filenames import safe_path

# What a template may name, and what it is.
FIELDS: Final[Mapping[str, str]] = {
    "id": "the video's id",
    "title": "its title",
    "channel": "who published it",
    "channel_id": "the same as an id",
    "site": "the site, such as youtube",
    "published": "the day, such as 2026-02-15",
    "language": "the language of the subtitles",
    "kind": "manual or automatic",
    "format": "vtt, srt, json3, ttml or txt",
}
DEFAULT: Final = "{title} [{id}].{language}.{format}"
# A name has at most 150 bytes, and what tells it apart from others is at its end.
_MAX_VALUE_BYTES: Final = 90
_FORMATS: Final = "{format}"
_OF_LANGUAGE: Final = re.compile(r"[ ._-]*\{(?:language|kind)\}")
_SEPARATORS: Final = re.compile(r"[/\\\x00-\x1f\x7f]+")


def check_template(template: str) -> None:
    """ValueError for one that names an unknown field, or whose files could not be told apart."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"'name': {template!r} is not a template: {error}") from error
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in FIELDS:
            near = get_close_matches(name, FIELDS, n=1)
            hint = f"did you mean {{{near[0]}}}?" if near else f"it may have {_listed()}"
            raise ValueError(f"'name': {template!r} has an unknown field {{{name}}}; {hint}")
        if spec or conversion:
            raise ValueError(f"'name': {template!r}: {{{name}}} takes no format; write {{{name}}}")
    if not template.endswith(_FORMATS):
        raise ValueError(f"'name': {template!r} must end with .{{format}}, which tells files apart")
    if not {"id", "title"} & {name for _, name, _, _ in parts}:
        raise ValueError(f"'name': {template!r} must have {{id}} or {{title}}, one per video")


def file_name(template: str, values: Mapping[str, str]) -> str:
    """The name that the template makes, as it will be in the folder. Folders come from the template
    alone, not from what a site says.
    """
    name = template.format_map({field: _part(values.get(field, "")) for field in FIELDS})
    folders, last = safe_path(name, sha256="")
    return "/".join((*folders, last))


def without_language(template: str) -> str:
    """The template for what a video has once, whatever the languages of its subtitles."""
    return _OF_LANGUAGE.sub("", template)


def _part(text: str) -> str:
    """A value as a part of a file name: folders are made by the template alone."""
    plain = _SEPARATORS.sub("_", text).strip()
    if not plain.strip("."):
        return "_"
    return plain.encode(errors="replace")[:_MAX_VALUE_BYTES].decode(errors="ignore").strip()


def _listed() -> str:
    return ", ".join(f"{{{name}}}" for name in FIELDS)
