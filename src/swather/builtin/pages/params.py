"""What can be asked of `pages`."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal


@dataclass(frozen=True, kw_only=True)
class Params:
    """Which links to follow, and what to keep of a page."""

    same_host: Annotated[
        bool, "Follow only links to the page's own host, with or without 'www.'."
    ] = True
    include: Annotated[
        tuple[str, ...], "Follow only links whose URL matches this regular expression."
    ] = ()
    exclude: Annotated[
        tuple[str, ...], "Do not follow links whose URL matches this regular expression."
    ] = ()
    max_depth: Annotated[
        int | None, "Follow at most N links from a start URL; 0 follows none. No limit unless set."
    ] = None
    sitemap: Annotated[bool, "Also scrape the pages listed in the site's sitemaps, at depth 0."] = (
        False
    )
    max_sitemaps: Annotated[
        int, "Read at most N of the sitemaps that robots.txt or an index lists."
    ] = 1_000
    save: Annotated[
        Literal["markdown", "html", "none"], "The format in which a page's text is kept."
    ] = "markdown"

    def __post_init__(self) -> None:
        for name in ("max_depth", "max_sitemaps"):
            count = getattr(self, name)
            if count is not None and count < 0:
                raise ValueError(f"{name!r}: expected 0 or more, got {count}")
        for name in ("include", "exclude"):
            for pattern in getattr(self, name):
                try:
                    re.compile(pattern)
                except re.error as error:
                    raise ValueError(
                        f"{name!r}: {pattern!r} is not a regular expression: {error}"
                    ) from error
