"""What the first rows of a CSV file tell: whether there is a header, and which column is meant."""

from collections.abc import Sequence
from typing import Any

from swather.errors import InputError
from swather.model.whole_number import whole_number
from swather.runs.layout import Layout
from swather.runs.mistyped_url import looks_like_url, suggestion
from swather.runs.target_options import TargetOptions, options_in
from swather.runs.words import count


class TableHead:
    """Makes targets of rows. `has_header`: the first row is none; `notes`: what was assumed."""

    def __init__(self, source: str, rows: Sequence[list[str]], layout: Layout) -> None:
        self._source = source
        self._layout = layout
        self.notes: list[str] = []
        first = [cell.strip() for cell in rows[0]]
        self.has_header = self._has_header(first)
        self._names = first if self.has_header else [str(n) for n in range(1, len(first) + 1)]
        self._indexes = {name: self._index_of(name) for name in layout.columns}
        self._holds_urls = False
        self._column = self._chosen(rows[1:] if self.has_header else rows)
        if self.has_header and len(first) == 1 and not layout.column and layout.header is None:
            self._doubt_header(first[0])

    def target(self, cells: list[str]) -> tuple[Any, str | None, TargetOptions]:
        while len(cells) > len(self._names) and not cells[-1].strip():
            cells = cells[:-1]
        if len(cells) != len(self._names):
            found = count(len(cells), "cell")
            raise InputError(f"has {found}, expected {len(self._names)}")
        key = self._layout.key
        return (
            self._value(cells),
            None if key is None else self._cell(cells, self._indexes[key]),
            options_in(
                self._layout.options, lambda name: cells[self._indexes[name]], self._layout.given
            ),
        )

    def _value(self, cells: list[str]) -> Any:
        if self._column is None:
            return dict(zip(self._names, cells, strict=True))
        cell = self._cell(cells, self._column)
        if self._holds_urls and not looks_like_url(cell):
            raise InputError(suggestion(cell))
        return cell

    def _cell(self, cells: list[str], index: int) -> str:
        cell = cells[index].strip()
        if not cell:
            raise InputError(f"column {self._names[index]!r} is empty")
        return cell

    def _has_header(self, first: list[str]) -> bool:
        """By the command, else by its look: names are neither URLs nor numbers."""
        layout = self._layout
        if layout.header is not None:
            return layout.header
        if any(name in first and not name.isdecimal() for name in layout.columns):
            return True
        if any(map(looks_like_url, first)):
            seen = "a URL"
        elif all(cell.replace(".", "").isdecimal() for cell in first if cell):
            seen = "only numbers"
        else:
            return True
        self.notes.append(
            f"{self._source} has no header: its first line holds {seen}, so it is read as a "
            "target (--header if it names the columns)"
        )
        return False

    def _doubt_header(self, name: str) -> None:
        if not self._holds_urls:
            self.notes.append(
                f"{self._source}: the first line, {name!r:.80}, is taken as the header "
                "(--no-header if it is a target)"
            )

    def _index_of(self, name: str) -> int:
        if name in self._names:
            return self._names.index(name)
        number = whole_number(name)
        if number is not None and 1 <= number <= len(self._names):
            return number - 1
        if self.has_header:
            raise InputError(
                f"{self._source} has no column {name!r}; its columns are {self._listed()}"
            )
        raise InputError(
            f"{self._source} has no header, so it has no column {name!r}; name columns by their "
            f"numbers, 1 to {len(self._names)}, or pass --header"
        )

    def _listed(self) -> str:
        return ", ".join(self._names)

    def _chosen(self, rows: Sequence[list[str]]) -> int | None:
        """The column of targets; None: whole rows."""
        layout = self._layout
        if layout.column is not None:
            return self._indexes[layout.column]
        with_urls = [index for index in range(len(self._names)) if _holds_urls(rows, index)]
        if not layout.rows and len(self._names) == 1:
            self._holds_urls = bool(with_urls)
            return 0
        if not layout.rows and len(with_urls) == 1:
            self._holds_urls = True
            self.notes.append(
                f"{self._source}: taking targets from column {self._names[with_urls[0]]!r}, the "
                "only one with URLs (--column NAME takes another, --rows whole rows)"
            )
            return with_urls[0]
        if rows and not layout.rows:
            raise self._undecided([self._names[index] for index in with_urls])
        self._refuse_twins()
        return None

    def _undecided(self, with_urls: list[str]) -> InputError:
        if with_urls:
            why = f"has {len(with_urls)} columns with URLs: {', '.join(with_urls)}"
        else:
            why = f"has no column with URLs; its columns are {self._listed()}"
        example = (with_urls or self._names)[0]
        return InputError(
            f"{self._source} {why}. Choose one with --column {example!r}, or pass --rows to make "
            "each row a target: an object of all its cells"
        )

    def _refuse_twins(self) -> None:
        for name in self._names:
            if self._names.count(name) > 1:
                raise InputError(
                    f"{self._source} has two columns named {name!r}; choose one with --column"
                )


def _holds_urls(rows: Sequence[list[str]], index: int) -> bool:
    """Whether at least half of the cells of a column are URLs."""
    cells = [row[index] for row in rows if index < len(row) and row[index].strip()]
    return bool(cells) and sum(map(looks_like_url, cells)) * 2 >= len(cells)
