"""How the targets of a file are laid out: which columns mean what, whether there is a header."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from swather.errors import InputError
from swather.runs.target_options import NO_TEXTS, OptionTexts, TargetOptions, options_of


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Columns are those of CSV, or members of JSON objects.

    column   the target; without one, the column that holds URLs
    key      what tells targets apart
    options  columns of priorities, lanes, partitions and due times
    texts    priority, lane, partition and due time of targets that have none in a column
    header   whether the first line of a CSV file names its columns; None: it is looked at
    rows     a whole row of a CSV file is a target
    """

    column: str | None = None
    key: str | None = None
    options: OptionTexts = NO_TEXTS
    texts: OptionTexts = NO_TEXTS
    header: bool | None = None
    rows: bool = False

    def __post_init__(self) -> None:
        if self.column and self.rows:
            raise InputError("--column takes one column and --rows all of them; pass only one")
        options_of(self.texts)

    @cached_property
    def given(self) -> TargetOptions:
        return options_of(self.texts)

    @property
    def names_columns(self) -> bool:
        return bool(self.columns)

    @property
    def is_of_csv(self) -> bool:
        return self.rows or self.header is not None

    @property
    def is_of_table(self) -> bool:
        """Whether plain text cannot be laid out so."""
        return self.names_columns or self.is_of_csv

    @property
    def columns(self) -> list[str]:
        """All that are named."""
        return [name for name in (self.column, self.key, *self.options.as_list()) if name]


PLAIN: Final = Layout()
