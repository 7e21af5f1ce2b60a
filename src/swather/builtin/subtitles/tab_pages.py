"""YouTube's channels and playlists as yt-dlp reads them, page by page: a reader can begin at any.

yt-dlp walks a list from its first page on. Two methods of its extractor are extended, so that an
expansion that was interrupted after 20,000 videos resumes at its page and not at the first.
"""

from collections.abc import Iterator
from typing import Any

from yt_dlp.extractor.youtube import YoutubeTabIE

from swather.errors import Transient


class TabPages(YoutubeTabIE):  # type: ignore[misc]  # yt-dlp comes without types
    """`page` is the continuation that led to the page being read, '' for the first one of a list.
    Set before a list's entries are read, it is where they begin.

    Should a later yt-dlp fetch pages in another way, `page` stays '' and nothing else changes.
    """

    page: str = ""

    @classmethod
    def ie_key(cls) -> str:
        """yt-dlp takes this one in place of its own."""
        key: str = YoutubeTabIE.ie_key()
        return key

    def _entries(self, tab: Any, *args: Any, **kwargs: Any) -> Iterator[dict[str, Any]]:
        if self.page:
            endpoint = {"continuationCommand": {"token": self.page}}
            following = {"continuationItemRenderer": {"continuationEndpoint": endpoint}}
            tab = {"content": {"sectionListRenderer": {"contents": [following]}}}
        yield from super()._entries(tab, *args, **kwargs)

    def _extract_response(self, *args: Any, **kwargs: Any) -> Any:
        response = super()._extract_response(*args, **kwargs)
        query = kwargs.get("query")
        page = query.get("continuation") if isinstance(query, dict) else None
        if isinstance(page, str):
            if response is None:
                # yt-dlp warns and takes it for the end of the list.
                raise Transient("YouTube sent a page of a list without its content")
            self.page = page
        return response
