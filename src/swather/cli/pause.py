"""`swather pause`: hold back a run, a lane, a scraper or a worker."""

from typing import Final

from swather.cli.held_back import command_that

EXAMPLES: Final = """\
swather pause 20260215_120000-books
swather pause --lane example.com
swather pause --worker host_4711_2 --dry-run"""

command = command_that(
    "pause",
    """Hold back a run, a lane, a scraper or a worker.

    Nothing new is started there until it is unpaused; what runs already goes on to its end. Workers
    notice within a second.
    """,
)
