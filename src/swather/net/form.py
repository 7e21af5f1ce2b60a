"""A form on a page, with what a browser would send for it."""

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from swather.net.page import Page, join

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_NOT_SENT: Final = frozenset({"submit", "button", "image", "reset", "file"})
_IF_CHECKED: Final = frozenset({"checkbox", "radio"})
_CONTROLS: Final = "input[name], select[name], textarea[name]"
_OPTIONS: Final = "option:not([disabled], [disabled] option)"
_BUTTONS: Final = "button, input[type=submit], input[type=image]"


class Form(msgspec.Struct, frozen=True):
    """`fields` has the initial values, those of hidden fields and the first button included."""

    action: str
    method: str
    fields: dict[str, str | list[str]]


def form_of(page: Page, selector: str) -> Form | None:
    """The first form that a CSS selector finds, or None."""
    node = page.css_first(selector)
    if node is None:
        return None
    action = (node.attributes.get("action") or "").strip()
    to = join(page.base, action) if action else page.url
    method = (node.attributes.get("method") or "get").upper()
    fields: dict[str, list[str]] = {}
    for control in node.css(_CONTROLS):
        _add(fields, control)
    _press_first_button(node, fields)
    plain = {name: values[0] if len(values) == 1 else values for name, values in fields.items()}
    if method != "POST":
        return Form(urlsplit(to)._replace(query="").geturl(), "GET", plain)
    return Form(to, "POST", plain)


def _add(fields: dict[str, list[str]], control: "LexborNode") -> None:
    given = control.attributes
    kind = (given.get("type") or "text").lower() if control.tag == "input" else control.tag
    if "disabled" in given or kind in _NOT_SENT or (kind in _IF_CHECKED and "checked" not in given):
        return
    if kind == "select":
        values = _chosen(control)
    elif kind == "textarea":
        values = [control.text()]
    else:
        values = [_value(control, "on" if kind in _IF_CHECKED else "")]
    if values:
        fields.setdefault(given["name"] or "", []).extend(values)


def _chosen(select: "LexborNode") -> list[str]:
    options = select.css(_OPTIONS)
    if "multiple" in select.attributes or select.css("option[selected]"):
        chosen = [option for option in options if "selected" in option.attributes]
    else:
        chosen = options[:1]
    return [_value(option, option.text(strip=True)) for option in chosen]


def _value(node: "LexborNode", otherwise: str) -> str:
    """Its value, even if empty; `otherwise` when it has none."""
    given = node.attributes
    return (given["value"] or "") if "value" in given else otherwise


def _press_first_button(form: "LexborNode", fields: dict[str, list[str]]) -> None:
    """What the Enter key does."""
    for button in form.css(_BUTTONS):
        given = button.attributes
        if (given.get("type") or "submit").lower() in {"button", "reset"} or "disabled" in given:
            continue
        if (name := given.get("name")) and given.get("type") != "image":
            fields.setdefault(name, []).append(given.get("value") or "")
        return
