"""The root command, and what every command shares: how it starts and how it ends."""

import errno
import os
import sys
from typing import Annotated, Final

import typer
from typer.main import get_group

from swather import __version__
from swather.cli.commands import Commands
from swather.cli.failure import INTERRUPTED, report
from swather.cli.group import SETTINGS
from swather.errors import InputError, SwatherError

# What is no mistake of ours: a disk, or what stands for one, that takes no more.
_UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


app = typer.Typer(cls=Commands, context_settings=SETTINGS, rich_markup_mode=None)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"swather {__version__}")
        raise typer.Exit


@app.callback()
def swather(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Run one scraping function over ten or ten million targets; lose nothing.

    Data goes to stdout, progress and messages go to stderr. Exit codes: 0 done, 1 finished with
    failures, 2 usage or configuration, 3 database, 130 interrupted.
    """


def run(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    try:
        result = get_group(app).main(arguments, prog_name="swather", standalone_mode=False)
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        # What is left in the buffer would fail once more when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return report(InputError(f"the output cannot be written: {error}"), as_json=as_json)
    except (typer.TyperException, SwatherError) as error:
        return report(error, as_json=as_json)
    except OverflowError as error:
        return report(InputError(f"a number is too large: {error}"), as_json=as_json)
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return result if isinstance(result, int) else 0
