"""Makes a site of a file's tables: what the schema cannot check is checked here."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from swather.errors import InputError
from swather.net.request import is_http
from swather.scraping import target_lists
from swather.scraping.options import Options
from swather.scraping.site.lines import Place
from swather.scraping.site.paging import MAX_PAGES, NO_PAGING, Paging
from swather.scraping.site.problems import Problems, instead_of, shown
from swather.scraping.site.rows import Rule
from swather.scraping.site.rule_building import RuleBuilder
from swather.scraping.site.site import Site
from swather.scraping.site.template import Template
from swather.scraping.site.way_building import WayBuilder
from swather.scraping.site.ways import Css, InJsonLd, Way, XPath

T = TypeVar("T")
Table = Mapping[str, Any]

# Options that are texts with fields of a target in them, or no options of a scraper.
_OWN_OPTIONS: Final = ("lane", "partition", "priority")


class Builder:
    """Builds from a table that the schema accepts; mistakes go to `problems`."""

    def __init__(self, table: Table, problems: Problems) -> None:
        self._table = table
        self._problems = problems
        self._fields: dict[str, tuple[Way, ...]] = {}
        self._columns: tuple[str, ...] = tuple(table.get("pdf", {}).get("columns", ()))
        self._ways = WayBuilder(problems, self._columns)

    def site(self, name: str, text: str, file: str | None) -> Site:
        table = self._table
        self._fields = {
            field: self._ways.ways(given, ("fields", field))
            for field, given in table["fields"].items()
        }
        self._refuse_contradictions()
        self._refuse_equal_columns()
        own = table.get("options", {})
        priority = own.get("priority")
        return Site(
            name=name,
            text=text,
            file=file,
            description=table.get("description", ""),
            start=self._start(),
            target=self._url_template(),
            targets=self._target_list(),
            rows_at=self._rows_at(),
            follow=self._css("follow"),
            pdf_columns=self._columns,
            empty=self._css("empty"),
            layout=tuple(
                each.selector
                for number, selector in enumerate(table.get("layout", ()))
                if (each := self._ways.css(selector, ("layout", number))) is not None
            ),
            fields=self._fields,
            required=tuple(self._known(table.get("required", ()), ("required",))),
            key=self._key(),
            rules=self._rules(),
            paging=self._paging(),
            options=self._options(name),
            lane=self._template(own.get("lane"), ("options", "lane")),
            partition=self._template(own.get("partition"), ("options", "partition")),
            priority=priority
            if isinstance(priority, int)
            else self._template(priority, ("options", "priority")),
        )

    def _css(self, name: str) -> str | None:
        if name not in self._table:
            return None
        found = self._ways.css(self._table[name], (name,))
        return None if found is None else found.selector

    def _rows_at(self) -> tuple[Css | XPath | InJsonLd, ...]:
        given = self._table.get("items", [])
        is_list = isinstance(given, list)
        found = []
        for number, each in enumerate(given if is_list else [given]):
            place: Place = ("items", number) if is_list else ("items",)
            table = {"css": each} if isinstance(each, str) else each
            source = next(iter(table))
            at = place if isinstance(each, str) else (*place, source)
            finder = self._ways.finder(source, table[source], at)
            if isinstance(finder, InJsonLd) and (not finder.path.type or finder.path.steps):
                self._problems.add(
                    at, f"expected a type, such as 'LocalBusiness', got {shown(table[source])}"
                )
            if isinstance(finder, Css | XPath | InJsonLd):
                found.append(finder)
        return tuple(found)

    def _start(self) -> tuple[str, ...]:
        for number, url in enumerate(self._table.get("start", ())):
            if not is_http(url):
                self._problems.add(
                    ("start", number), f"expected a URL with http:// or https://, got {shown(url)}"
                )
        return tuple(self._table.get("start", ()))

    def _target_list(self) -> str | None:
        name: str | None = self._table.get("targets")
        if name is not None and name not in (known := target_lists.names()):
            self._problems.add(
                ("targets",), f"there is no list {shown(name)}; {instead_of(name, known)}"
            )
        if name is not None and "start" in self._table:
            self._problems.add(("targets",), "it contradicts 'start'; expected only one of the two")
        return name

    def _url_template(self) -> Template | None:
        found = self._template(self._table.get("target"), ("target",))
        if found is not None and not is_http(found.text):
            self._problems.add(
                ("target",), f"expected a URL with http:// or https://, got {shown(found.text)}"
            )
        elif found is not None and "{" in found.text.split("/")[2]:
            self._problems.add(
                ("target",), f"a target must not choose the host, got {shown(found.text)}"
            )
        elif found is not None and not found.fields:
            self._problems.add(
                ("target",), f"expected a field such as {{city}} in it, got {shown(found.text)}; "
                "`start` takes whole URLs"
            )  # fmt: skip
        return found

    def _template(self, text: Any, place: Place) -> Template | None:
        return None if text is None else self._ways.made(Template, str(text), place)

    def _key(self) -> tuple[tuple[str, ...], ...]:
        given = self._table.get("key", [])
        if all(isinstance(each, str) for each in given):
            return (tuple(self._known(given, ("key",))),) if given else ()
        return tuple(
            tuple(self._known([each] if isinstance(each, str) else each, ("key", number)))
            for number, each in enumerate(given)
        )

    def _known(self, names: Any, place: Place) -> list[str]:
        """Names of fields that there are."""
        for number, name in enumerate(names):
            self._check_field(name, (*place, number))
        return list(names)

    def _check_field(self, name: str, place: Place) -> None:
        if name not in self._fields:
            self._problems.add(
                place, f"there is no field {shown(name)}; {instead_of(name, self._fields)}"
            )

    def _rules(self) -> tuple[Rule, ...]:
        builder = RuleBuilder(self._fields, self._ways, self._problems)
        found: list[Rule] = []
        for which in ("reject", "accept"):
            tables = self._table.get(which, ())
            for number, table in enumerate(tables):
                self._check_field(table["field"], (which, number, "field"))
            found += builder.rules(tables, which)
        return tuple(found)

    def _paging(self) -> Paging:
        table = self._table.get("pagination")
        if table is None:
            return NO_PAGING
        place: Place = ("pagination",)
        if "cursor" in table and "cursor_parameter" not in table:
            self._problems.add((*place, "cursor"), "it needs cursor_parameter, too")
        for name, needs in (
            ("cursor_parameter", "cursor"), ("first", "parameter"), ("step", "parameter"),
        ):  # fmt: skip
            if name in table and needs not in table:
                self._problems.add((*place, name), f"it needs {needs!r}, too")
        load_more = table.get("load_more")
        if load_more is not None:
            button = self._ways.css(load_more, (*place, "load_more"))
            if button is not None and not button.is_for_browsers:
                self._problems.add(
                    (*place, "load_more"), f"{shown(load_more)} has ':lexbor-', which browsers do "
                    "not know; expected a plain CSS selector"
                )  # fmt: skip
            if not self._table.get("options", {}).get("browser"):
                self._problems.add(
                    (*place, "load_more"), "it needs a browser: [options] browser = true"
                )
        return Paging(
            next=self._ways.link(table.get("next"), (*place, "next")),
            parameter=table.get("parameter"),
            first=table.get("first", 1),
            step=table.get("step", 1),
            cursor=self._ways.ways(table["cursor"], (*place, "cursor"))
            if "cursor" in table
            else (),
            cursor_parameter=table.get("cursor_parameter"),
            load_more=load_more,
            max_pages=table.get("max_pages", MAX_PAGES),
            other_hosts=table.get("other_hosts", False),
        )

    def _options(self, name: str) -> Options:
        given = {
            key: value
            for key, value in self._table.get("options", {}).items()
            if key not in _OWN_OPTIONS
        }
        for key, value in list(given.items()):
            try:
                Options(**{key: value})
            except (InputError, TypeError) as error:
                self._problems.add(("options", key), _without_name(str(error), key))
                del given[key]
        try:
            return Options(name=name, **given)
        except InputError as error:
            self._problems.add(("options",), str(error))
            return Options(name=name)

    def _refuse_equal_columns(self) -> None:
        seen: dict[str, str] = {}
        for number, name in enumerate(self._columns):
            normal = " ".join(name.casefold().split())
            if normal in seen:
                self._problems.add(
                    ("pdf", "columns", number), f"{shown(name)} is the same name as "
                    f"{shown(seen[normal])}; expected different ones, whatever their letter case"
                )  # fmt: skip
            seen.setdefault(normal, name)

    def _refuse_contradictions(self) -> None:
        table = self._table
        if "items" in table and "follow" in table:
            self._problems.add(
                ("follow",), "it contradicts 'items': the fields are on the rows of a list, or on "
                "the pages that it links to"
            )  # fmt: skip
        if "items" in table and "pdf" in table:
            self._problems.add(
                ("pdf",), "it contradicts 'items': the rows are those of its table, or of a page"
            )
        if "pagination" in table and not {"items", "follow"} & table.keys():
            self._problems.add(
                ("pagination",), "it needs 'items' or 'follow': without them a page is one item"
            )


def _without_name(message: str, key: str) -> str:
    return message.removeprefix(f"{key}: ")
