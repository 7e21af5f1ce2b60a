"""Tables in Markdown."""

from collections.abc import Iterator

Cell = list[str]


def table_of(rows: list[list[Cell]]) -> list[str]:
    """The blocks of a table: one, where each cell is a line at most.

    A table that lays out a page, rather than data, has whole paragraphs in its cells: then these,
    one after the other.
    """
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    if width < 2 or not all(map(_is_line, (cell for row in rows for cell in row))):
        return [block for row in rows for cell in row for block in cell]
    head, *others = (_line(row, width) for row in rows)
    return ["\n".join([head, "|" + " --- |" * width, *others])]


def _is_line(cell: Cell) -> bool:
    return len(cell) <= 1 and "\n" not in "".join(cell)


def _line(row: list[Cell], width: int) -> str:
    return "| " + " | ".join(_texts(row, width)) + " |"


def _texts(row: list[Cell], width: int) -> Iterator[str]:
    for number in range(width):
        text = row[number][0] if number < len(row) and row[number] else ""
        yield text.replace("|", "\\|")
