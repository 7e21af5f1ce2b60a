"""`swather unpause`: let go on what was paused."""

from typing import Final

from swather.cli.held_back import command_that

EXAMPLES: Final = """\
swather unpause 20260215_120000-books
swather unpause --lane example.com
swather unpause --worker host_4711_2 --dry-run"""

command = command_that(
    "unpause",
    """Let go on what was paused, or is cooling down.

    Also ends a cool-down, after a site has refused us, and closes a lane's or a scraper's open
    circuit breakers.
    """,
)
