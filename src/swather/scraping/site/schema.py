"""The JSON Schema of site files: what `checking` checks, and what editors complete.

It uses few words of JSON Schema, so that the checks can say in plain words what is wrong: `type`,
`enum`, `properties`, `required`, `additionalProperties`, `items`, bounds, `anyOf` with one branch
for each type, and `oneOf` with the keys of which exactly one is given.
"""

import json
from typing import Any, Final

from swather.model.lease import Strategy
from swather.scraping.option_checks import ExecutionMode, SessionScope
from swather.scraping.site.kinds import KINDS

Schema = dict[str, Any]

SOURCES: Final = ("css", "xpath", "json_ld", "microdata", "column")
TESTS: Final = ("equals", "one_of", "matches", "at_least", "at_most", "missing")
PAGERS: Final = ("next", "parameter", "cursor", "load_more")
MAX_TEXT: Final = 2_000
MAX_LIST: Final = 1_000
# Python's $ also matches before a last line feed.
_END: Final = r"$(?!\n)"
# 'nl', or 'ca-qc' where a part of a country writes differently.
_COUNTRY: Final = rf"^[A-Za-z]{{2}}(-[A-Za-z]{{2,3}})?{_END}"
NAME_PATTERN: Final = rf"^[A-Za-z_][A-Za-z0-9_\-]{{0,63}}{_END}"


def schema_text() -> str:
    """As JSON, for a file."""
    return json.dumps(SCHEMA, indent=2) + "\n"


def _text(description: str, **more: Any) -> Schema:
    found = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT, "pattern": r"\S", **more}
    return {"description": description, **found}


def _flag(description: str) -> Schema:
    return {"description": description, "type": "boolean"}


def _whole(description: str, minimum: int, **more: Any) -> Schema:
    return {"description": description, "type": "integer", "minimum": minimum, **more}


def _list(description: str, items: Schema, minimum: int = 1) -> Schema:
    return {
        "description": description,
        "type": "array",
        "items": items,
        "minItems": minimum,
        "maxItems": MAX_LIST,
    }


def _table(description: str, properties: dict[str, Schema], **more: Any) -> Schema:
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **more,
    }


def _one_of(keys: tuple[str, ...]) -> dict[str, Any]:
    return {"oneOf": [{"required": [key]} for key in keys]}


def _either(description: str, *branches: Schema) -> Schema:
    return {"description": description, "anyOf": list(branches)}


_SCALAR: Final[list[str]] = ["string", "number", "boolean"]
_SOURCE: Final[dict[str, Schema]] = {
    "css": _text("A CSS selector."),
    "xpath": _text("An XPath expression; needs the extra `xpath`."),
    "json_ld": _text(
        "A path in the page's JSON-LD, such as 'offers.price'; a type may come first: "
        "'Product.offers.price'."
    ),
    "microdata": _text("The itemprop of an element; a type may come first: 'Product.name'."),
    "column": _text("A column of the table that `pdf` names."),
}
_WAY: Final = _table(
    "One way to find the value of a field.",
    {
        **_SOURCE,
        "attribute": _text("Take this attribute of the element, instead of its text."),
        "regex": _text(
            "Take what this regular expression finds in the text: its first group, if it has one."
        ),
        "as": {
            "description": "What the value is; a way whose value is not one of these gives none.",
            "type": "string",
            "enum": list(KINDS),
        },
        "format": _text("How a date is written, as in strptime: '%d.%m.%Y'."),
        "decimal": {
            "description": "What stands before the decimals of a number.",
            "type": "string",
            "enum": [".", ","],
        },
        "currency": _text(
            "The currency of prices without one: 'EUR'.", pattern=rf"^[A-Z]{{3}}{_END}"
        ),
        "country": _text(
            "The country of prices and phone numbers: 'nl', 'ca-qc'.", pattern=_COUNTRY
        ),
        "all": _flag("Take all values that are found, as a list."),
        "join": {
            "description": "Take all values that are found, as one text with this between them.",
            "type": "string",
            "maxLength": 20,
        },
        "default": {"description": "The value if nothing is found.", "type": _SCALAR},
    },
    **_one_of(SOURCES),
)
_WAY_OR_CSS: Final = _either("A CSS selector, or a way.", _text("A CSS selector."), _WAY)
_FIELD: Final = _either(
    "A CSS selector, a way, or a list of them that are tried in order.",
    _text("A CSS selector."),
    _WAY,
    _list("Tried in order; the first that gives a value counts.", _WAY_OR_CSS),
)
_PLACE: Final = _table(
    "Elements of the page.",
    {name: _SOURCE[name] for name in ("css", "xpath", "json_ld")},
    **_one_of(("css", "xpath", "json_ld")),
)
_PLACE_OR_CSS: Final = _either("A CSS selector, or a place.", _text("A CSS selector."), _PLACE)
_RULE: Final[dict[str, Schema]] = {
    "field": _text("The field that is looked at."),
    "reason": _text("Why rows are rejected; `swather status` counts them by it.", maxLength=60),
    "equals": {"description": "It has this value.", "type": _SCALAR},
    "one_of": _list("It has one of these values.", {"type": _SCALAR}),
    "matches": _text("This regular expression finds something in it."),
    "at_least": {"description": "It is a number of at least this.", "type": "number"},
    "at_most": {"description": "It is a number of at most this.", "type": "number"},
    "missing": _flag("It has no value (true), or one (false)."),
}
_PAGINATION: Final = _table(
    "How to get from one page of a list to the next.",
    {
        "next": _either(
            "The link to the next page: a CSS selector, or a way.",
            _text("A CSS selector of a link."),
            _WAY,
        ),
        "parameter": _text("The parameter of the URL that holds the page's number."),
        "first": _whole("The number of the first page; default 1.", 0),
        "step": _whole("What is added to get the next page's number; default 1.", 1),
        "cursor": _either(
            "Where the page says how to ask for the next one: a CSS selector, or a way.",
            _text("A CSS selector."),
            _WAY,
        ),
        "cursor_parameter": _text("The parameter of the URL that takes the cursor."),
        "load_more": _text("The CSS selector of the button that shows more rows, in a browser."),
        "max_pages": _whole("Pages of one list at most; default 1000.", 1, maximum=1_000_000),
        "other_hosts": _flag("Whether the next page may be on another host; default false."),
    },
    **_one_of(PAGERS),
)
_NAMES: Final = _list("Names of fields.", _text("A field."))
_SECONDS: Final = {"type": "number", "exclusiveMinimum": 0}
OPTIONS: Final = _table(
    "How the site is treated; what these mean is in the reference of scrapers.",
    {
        "rate": _text("Requests per host: '5/s', '30/min', 'auto', 'none'."),
        "total_rate": _text("Targets that may start, over all hosts: '10/s'."),
        "burst": _whole("Targets that may start at once before a rate applies.", 1),
        "lane": _text("What is paced as one, such as 'shops' or '{country}'; default: the host."),
        "partition": _text("What one worker at a time serves, such as '{state}'."),
        "priority": _either(
            "Priority of targets, 1 to 10, or the field of the target that has it: '{priority}'.",
            _whole("", 1, maximum=10),
            _text(
                "A number from 1 to 10, or the field of the target that has it: '{priority}'.",
                pattern=rf"\{{[^{{}}]+\}}|^(?:[1-9]|10){_END}",
            ),
        ),
        "in_flight": _whole("Targets that run at the same time on one lane.", 1),
        "retries": _whole("Executions after the first.", 0),
        "backoff": {"description": "delay = backoff ** attempts seconds.", "type": "number"},
        "timeout": {"description": "Seconds for one page.", **_SECONDS},
        "delay": _either(
            "Seconds between two targets of a slot, or [at least, at most].",
            {"type": "number", "minimum": 0},
            {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2,
             "maxItems": 2},
        ),
        "execution_mode": {"description": "What `swather start` does.", "type": "string",
                           "enum": [str(each) for each in ExecutionMode]},
        "strategy": {"description": "The order in which targets are taken.", "type": "string",
                     "enum": [str(each) for each in Strategy]},
        "tor": _either("Through Tor; a country such as 'de' for its exits.", _flag(""), _text("")),
        "browser": _flag("Render pages in a browser, for those that need JavaScript."),
        "proxies": _either(
            "Through proxies: true for all of the pool, or a file or a list of them.",
            _flag(""), _text(""), _list("", _text("")),
        ),
        "robots": _flag("Whether robots.txt is obeyed; default true."),
        "allow_private": _flag("Whether private and loopback addresses may be reached."),
        "session": {"description": "Who shares cookies.", "type": "string",
                    "enum": [str(each) for each in SessionScope]},
        "profile": _text("The browser that requests imitate, such as 'chrome140'."),
        "user_agent": _text("The User-Agent of requests."),
        "store_pages": _flag("Whether pages are kept for `swather replay`."),
        "version": _text("Changing it drops the cursors of unfinished targets."),
    },
)  # fmt: skip
SCHEMA: Final[Schema] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Swather site file",
    **_table(
        "A site described for Swather: where its pages are, and which fields are on them.",
        {
            "name": _text(
                "The scraper's name; default: the file's.",
                maxLength=100,
                pattern=rf"^[A-Za-z0-9_][A-Za-z0-9_.\-]*{_END}",
            ),
            "description": _text("What it scrapes, in a line."),
            "start": _list("Where a run without targets begins.", _text("A URL.")),
            "targets": _text(
                "A list of targets that a run without any scrapes: 'us_cities', every city of the "
                "United States and every category."
            ),
            "target": _text(
                "The URL of a target that is not a URL itself, with its fields: "
                "'https://example.com/{city}-{state}/{category}'."
            ),
            "items": _either(
                "The rows of a list page; without it, a page is one item. The first place of a "
                "list that is on the page counts.",
                _text("A CSS selector of one row."),
                _PLACE,
                _list("Tried in order.", _PLACE_OR_CSS),
            ),
            "follow": _text("The CSS selector of links to item pages; [fields] are on those."),
            "pdf": _table(
                "For pages that are PDF files: the table whose rows are read, over all pages.",
                {"columns": _list("The names in its head.", _text("A name."))},
                required=["columns"],
            ),
            "empty": _text("The CSS selector of what is shown when a list has no results."),
            "layout": _list("CSS selectors that match on every page, or its layout has changed.",
                            _text("A CSS selector.")),
            "fields": {
                "description": "What to take from a page or row, by name.",
                "type": "object",
                "minProperties": 1,
                "maxProperties": 200,
                "propertyNames": {"pattern": NAME_PATTERN},
                "additionalProperties": _FIELD,
            },
            "required": _NAMES,
            "key": _list(
                "Fields that make two rows the same one, which is kept once per run; or lists of "
                "them, of which the first counts that the row has.",
                _either("A field, or several.", _text("A field."), _NAMES),
            ),
            "pagination": _PAGINATION,
            "accept": _list(
                "What rows must be; others are rejected with the reason.",
                _table("", _RULE, required=["field", "reason"], **_one_of(TESTS)),
            ),
            "reject": _list(
                "What rows are rejected with a reason.",
                _table("", _RULE, required=["field", "reason"], **_one_of(TESTS)),
            ),
            "options": OPTIONS,
        },
        required=["fields"],
    ),
}  # fmt: skip
