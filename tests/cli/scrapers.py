"""Scrapers as users write them, put into the folder of a test."""

from pathlib import Path

NUMBERS = """
from swather import Permanent, scraper


@scraper(retries=1, backoff=1, in_flight=None)
async def numbers(ctx, target):
    '''Doubles a number.'''
    number = int(target)
    if number % 10 == 7:
        raise Permanent("seven", reason="seven")
    yield {"number": number, "double": 2 * number}
"""

# Fails until the file `cured` is there.
ILL = """
from pathlib import Path

from swather import Permanent, scraper


@scraper
async def ill(ctx, target):
    if not Path("cured").exists():
        raise Permanent("still ill")
    return {"target": target}
"""

# Begins a target by a line in the file `begun`, and ends it when the file `let-go` is there.
WAITING = """
import asyncio
from pathlib import Path

from swather import scraper


@scraper(in_flight=None)
async def waiting(ctx, target):
    with Path("begun").open("a") as file:
        file.write(f"{target}\\n")
    while not Path("let-go").exists():
        await asyncio.sleep(0.01)
    return {"target": target}
"""


def write(text: str, name: str = "scrapers.py", folder: Path = Path()) -> str:
    (folder / name).write_text(text)
    return name
