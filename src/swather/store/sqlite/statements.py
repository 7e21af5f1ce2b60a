"""The named statements of queries/."""

from typing import Final

from swather.store.queries import Queries

queries: Final = Queries("swather.store.sqlite")
