"""A fetcher that serves given pages from memory, and no others."""

from collections.abc import Mapping

from swather.errors import InputError
from swather.model.key import normalise_url
from swather.net.fetch_policy import ANYWHERE, FetchPolicy
from swather.net.page import Page
from swather.net.request import Request

Pages = Mapping[str, str | bytes | Page | BaseException]


class PageFetcher:
    """Answers requests from a mapping of URLs to what they give: HTML, bytes, a Page with a status
    and headers of its own, or an exception to raise.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = {normalise_url(url): page for url, page in pages.items()}
        self.requests: list[Request] = []

    async def fetch(self, request: Request, policy: FetchPolicy = ANYWHERE) -> Page:  # noqa: ARG002
        self.requests.append(request)
        url = request.full_url
        try:
            page = self._pages[normalise_url(url)]
        except KeyError:
            known = ", ".join(self._pages) or "none"
            raise InputError(f"there is no page for {url}; the test has {known}") from None
        if isinstance(page, BaseException):
            raise page
        return page if isinstance(page, Page) else _page(url, page)

    def forget(self, run_id: int) -> None:
        pass

    async def close(self) -> None:
        pass


def _page(url: str, content: str | bytes) -> Page:
    if isinstance(content, bytes):
        return Page(url=url, content=content)
    headers = [("content-type", "text/html; charset=utf-8")]
    return Page(url=url, raw_headers=headers, content=content.encode())
