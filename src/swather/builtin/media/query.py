"""What a target asks for: a query, or the URLs of files, and options of its own."""

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

import msgspec

from swather.builtin.media.params import Params
from swather.errors import BadTarget
from swather.model import key as model_key
from swather.net.request import is_http
from swather.scraping.params import fields_of, type_name

MAX_CHARACTERS: Final = 500
_FOLDER_CHARACTERS: Final = 80
_OWN: Final = ("query", "url", "urls")
_ANY: Final = Params()
_SEPARATORS: Final = re.compile(r"[/\\\s]+")


@dataclass(frozen=True)
class Query:
    """`urls` are those of files; if there are any, no source is asked."""

    text: str
    urls: tuple[str, ...]
    params: Params

    @property
    def folder(self) -> str:
        """The folder of its files, one name without separators."""
        name = _SEPARATORS.sub(" ", self.text).strip(" .")[:_FOLDER_CHARACTERS].strip(" .")
        return name or "query"


def query_of(target: Any, params: Params) -> Query:
    """BadTarget if nothing can be looked for with it."""
    if isinstance(target, str):
        target = _read(target)
    if isinstance(target, str):
        return _of_text(target, params)
    if not isinstance(target, dict):
        raise BadTarget(
            "a target is a query, the URL of a file, or an object such as "
            f'{{"query": "cats", "per_source": 5}}, got {target!r:.80}'
        )
    params = _with_own(target, params)
    given = [name for name in _OWN if target.get(name)]
    if len(given) != 1:
        raise BadTarget(f"a target has one of query, url and urls, got {target!r:.200}")
    value = target[given[0]]
    if given[0] == "query":
        if not isinstance(value, str):
            raise BadTarget(f"a query must be text, got {value!r:.80}")
        return Query(_checked(value), (), params)
    urls = value if isinstance(value, list) else [value]
    if not all(isinstance(url, str) and is_http(url.strip()) for url in urls):
        raise BadTarget(f"URLs of files must begin with http:// or https://, got {value!r:.200}")
    return Query(str(urls[0]), tuple(url.strip() for url in urls), params)


def key_of(target: Any) -> str:
    """The same for two spellings of a query or URL; BadTarget if nothing can be looked for."""
    query = query_of(target, _ANY)
    if isinstance(target, dict) or len(query.urls) > 1 or query.params is not _ANY:
        value = _read(target) if isinstance(target, str) else target
        return model_key.key_of(value)
    return model_key.normalise_url(query.urls[0]) if query.urls else query.text


def _read(text: str) -> Any:
    """A command line has only texts: one that begins like an object is read as JSON."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise BadTarget(f"the target {text!r:.80} is not JSON: {error}") from None


def _of_text(text: str, params: Params) -> Query:
    if is_http(text.strip()):
        return Query(text.strip(), (text.strip(),), params)
    return Query(_checked(text), (), params)


def _checked(text: str) -> str:
    query = " ".join(text.split())
    if not query:
        raise BadTarget("the query is empty: say what to look for, such as 'red bicycle'")
    if len(query) > MAX_CHARACTERS:
        raise BadTarget(f"a query has at most {MAX_CHARACTERS} characters, got {len(query):,}")
    return query


def _with_own(target: dict[str, Any], params: Params) -> Params:
    """The parameters with those that the target has itself."""
    fields = fields_of(Params)
    own: dict[str, Any] = {}
    for name, value in target.items():
        if name in _OWN:
            continue
        if name not in fields:
            near = get_close_matches(str(name), [*fields, *_OWN], n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it may have {', '.join(fields)}"
            raise BadTarget(f"a target has no {name!r}; {hint}")
        try:
            own[name] = fields[name].convert(value)
        except (ValueError, TypeError):
            expected = type_name(fields[name].type)
            raise BadTarget(f"{name!r}: expected {expected}, got {value!r:.80}") from None
    try:
        return replace(params, **own) if own else params
    except ValueError as error:
        raise BadTarget(str(error)) from error
