"""`swather lanes pause`."""

from typing import Final

from swather.cli.lanes.changing import command_that

EXAMPLES: Final = """\
swather lanes pause example.com
swather lanes pause books --scraper"""

command = command_that(
    "pause",
    """Start nothing more on lanes.

    What runs already goes on to its end; further requests of it wait. Workers notice within a
    second.
    """,
)
