"""Tables in Markdown."""

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
    # Only the head has every column; readers of Markdown fill up the other rows.
    first, *others = rows
    head = first + [[]] * (width - len(first))
    return ["\n".join([_line(head), "|" + " --- |" * width, *map(_line, others)])]


def _is_line(cell: Cell) -> bool:
    return len(cell) <= 1 and "\n" not in "".join(cell)


def _line(row: list[Cell]) -> str:
    return "| " + " | ".join("".join(cell).replace("|", "\\|") for cell in row) + " |"
