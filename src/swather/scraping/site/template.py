"""Texts with fields of a target in them: 'https://example.com/{city}-{state}/{category}'."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from swather.errors import BadTarget

_FIELD: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,63}")


class Template:
    """ValueError says what is wrong with the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.fields = tuple(dict.fromkeys(_FIELD.findall(text)))
        for name in self.fields:
            if _NAME.fullmatch(name) is None:
                raise ValueError(f"expected the name of a field between {{ and }}, got {name!r}")
        if re.search(r"[{}]", _FIELD.sub("", text)):
            raise ValueError("expected a '}' for each '{'")

    def filled(self, target: Any, *, escape: bool = False) -> str:
        """With the values of a target; BadTarget says which one is missing. With `escape`, none can
        add a path, a query or a host to a URL.
        """

        def value(found: re.Match[str]) -> str:
            text = _value(target, found[1], self.text)
            return quote(text, safe="") if escape else text

        return _FIELD.sub(value, self.text)


def _value(target: Any, name: str, text: str) -> str:
    value = target.get(name) if isinstance(target, Mapping) else None
    if value is None or isinstance(value, dict | list) or str(value).strip() in {"", ".", ".."}:
        got = f"the target has {value!r}" if isinstance(target, Mapping) else f"got {target!r}"
        raise BadTarget(f"a target needs a value of {name!r} for {text!r}; {got}")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()
