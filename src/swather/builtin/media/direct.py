"""The source `direct`: files whose URLs are known, so that nobody has to be asked for them."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from swather.builtin.media.sources.source import (
    ALL_LICENCES,
    IMAGE_AND_VIDEO,
    Found,
    Source,
    SourceWeb,
    Wanted,
)

NAME: Final = "direct"


class Direct(Source):
    """Of no site: it cannot be asked for a query."""

    name = NAME
    base_url = ""
    kinds = IMAGE_AND_VIDEO
    licences = ALL_LICENCES

    def __init__(self, urls: Sequence[str]) -> None:
        super().__init__()
        self._urls = urls

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        del web
        for url in self._urls:
            # What it is shows when it has arrived.
            yield Found(url=url, kind=min(wanted.kinds), source=NAME)
