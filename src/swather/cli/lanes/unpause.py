"""`swather lanes unpause`."""

from typing import Final

from swather.cli.lanes.changing import command_that

EXAMPLES: Final = """\
swather lanes unpause example.com
swather lanes unpause books --scraper"""

command = command_that(
    "unpause",
    """Let lanes go on.

    Ends a pause and a cool-down, and closes open circuit breakers. Limits stay as they are.
    """,
)
