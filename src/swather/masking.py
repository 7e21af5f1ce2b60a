"""Text without the passwords in it, as it may be shown, logged and kept.

What is fetched and where the database is must be known with its password; everything else gets
this. A password is known by its place: before the `@` of a URL, or after a name such as `password`.
"""

import re
from typing import Any, Final
from urllib.parse import unquote

HIDDEN: Final = "***"

_SHOWN_CHARACTERS: Final = 300
_SCHEME: Final = re.compile(r"\s*([a-z][a-z0-9+.-]{0,20})://", re.IGNORECASE)
_END_OF_AUTHORITY: Final = re.compile(r"[/?#\\]")
_HOST: Final = re.compile(r"(?:[^:]+|\[.*\])(?::([0-9]{1,5}))?")
# A quote ends a URL within a text, unless its user and password follow it.
_URL_IN_TEXT: Final = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,20}://(?:[^\s\"<>/?#\\]*@)?[^\s\"'<>]*", re.IGNORECASE
)
# A password with colons has a bound, or each of many colons would be a beginning to look on from.
_WITHOUT_SCHEME: Final = re.compile(
    r"(?<![\w.:%@\\-])(?<!\w/)(?!mailto:)[\w.%+-]+:"
    r"(?:[^\s:@/\"'<>\\]+|[^\s@/\"'<>\\]{1,200})@(?=[\w\[])"
)
_NAMES: Final = (
    r"\w*passw(?:or)?d|\w*secret(?:_(?:access_)?key)?|pwd|api_?key|"
    r"(?:access|auth|\w*session)_token|\w*access_key(?:_id)?|scram_\w+_key"
)
_SECRET_NAME: Final = re.compile(_NAMES, re.IGNORECASE)
_NAMED: Final = re.compile(
    rf"""(\b(?:{_NAMES})(?:["']?\s*[:=]\s*))("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    rf"""|((?:\b(?:{_NAMES})|(?<=[?&])key)\s*=\s*)[^\s&"'\\,;)}}\]]+""",
    re.IGNORECASE,
)
_PASSWORD: Final = re.compile(r"(:(?!//)).*", re.DOTALL)
_IN_CONNINFO: Final = re.compile(r"(passw\w*\s*=).*", re.IGNORECASE | re.DOTALL)
_USER_IN_URL: Final = re.compile(rf"^((?:[\w+.-]+://)?)[^/@]*{re.escape(HIDDEN)}@")
_HEADER: Final = re.compile(
    r"""(\b(?:(?:proxy-)?authorization|(?:set-)?cookie)["']?\s*[:=]\s*["']?)[^\s"'\\][^\r\n"'\\]*""",
    re.IGNORECASE,
)


def masked(text: str) -> str:
    """The text with *** for every password that can be recognised as one. Quotes are kept,
    so that JSON is still JSON.
    """
    if "@" in text:
        text = _URL_IN_TEXT.sub(lambda found: masked_url(found[0]), text)
        text = _WITHOUT_SCHEME.sub(f"{HIDDEN}@", text)
    text = _NAMED.sub(_hidden_value, text)
    return _HEADER.sub(rf"\1{HIDDEN}", text)


def masked_url(url: str) -> str:
    """The URL without user and password; the user of a database, or of anything that is not a
    web site or proxy, is kept.
    """
    scheme = _SCHEME.match(url)
    if scheme is None:
        return url
    if not scheme[1].lower().startswith(("http", "socks")):
        return masked_database(url)
    rest = url[scheme.end() :]
    authority = _END_OF_AUTHORITY.split(rest, maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    if "@" in authority and _is_host(host):
        at = authority.rindex("@")
    elif "@" in rest and not _is_host(host):
        # A password with a slash in it.
        at = rest.rindex("@")
    else:
        return url
    return f"{scheme[0]}{HIDDEN}{rest[at:]}"


def shown_url(url: str) -> str:
    """A URL as it may be shown: without the password in it, of bearable length."""
    text = _USER_IN_URL.sub(r"\1", masked(masked_url(url)))
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def masked_database(url: str) -> str:
    """A database URL without its passwords, also one that is not well formed: what follows a
    password may be the rest of it.
    """
    if url.startswith("sqlite:"):
        return url
    # Cut at the last @ first: to seek it from each colon takes minutes where there are many.
    user, at, rest = url.rpartition("@")
    without = _PASSWORD.sub(rf"\1{HIDDEN}", user, count=1) + at + rest
    base, mark, query = without.partition("?")
    if not mark:
        return _IN_CONNINFO.sub(rf"\1{HIDDEN}", without)
    kept: list[str] = []
    for parameter in query.split("&"):
        name = parameter.partition("=")[0]
        if _SECRET_NAME.fullmatch(unquote(name).strip()):
            kept.append(f"{name}={HIDDEN}")
            break
        kept.append(parameter)
    return base + mark + "&".join(kept)


def without_password(url: str) -> str:
    """A database URL that can be used, once the password is given otherwise."""
    if url.startswith("sqlite:"):
        return url
    user, at, rest = url.rpartition("@")
    base, mark, query = (_PASSWORD.sub("", user, count=1) + at + rest).partition("?")
    kept = [each for each in query.split("&") if each and not _is_secret(each)]
    return base + (mark + "&".join(kept) if kept else "")


def _is_secret(parameter: str) -> bool:
    name = unquote(parameter.partition("=")[0]).strip()
    return _SECRET_NAME.fullmatch(name) is not None


def masked_data(value: Any) -> Any:
    """A JSON value, a target say, with the passwords hidden in its texts, each of which may be a
    URL as a whole, and in members that are named so.
    """
    if isinstance(value, str):
        return masked(masked_url(value))
    if isinstance(value, dict):
        return {name: _masked_member(name, member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [masked_data(member) for member in value]
    return value


def _is_host(authority: str) -> bool:
    found = _HOST.fullmatch(authority)
    return found is not None and 0 < int(found[1] or 1) < 65_536


def _masked_member(name: Any, value: Any) -> Any:
    is_secret = isinstance(name, str) and _SECRET_NAME.fullmatch(name)
    return HIDDEN if is_secret and isinstance(value, str | int) else masked_data(value)


def _hidden_value(found: re.Match[str]) -> str:
    if found[3] is not None:
        return found[3] + HIDDEN
    quote = found[2][0]
    return f"{found[1]}{quote}{HIDDEN}{quote}"
