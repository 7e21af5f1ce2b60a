"""What can be asked of `pages`."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal


@dataclass(frozen=True, kw_only=True)
class Params:
    """Which links are followed, and what is kept of a page."""

    same_host: Annotated[
        bool, "Follow links to the page's own host only; 'www.' before it makes no difference."
    ] = True
    include: Annotated[
        tuple[str, ...], "Follow only links whose URL this regular expression finds."
    ] = ()
    exclude: Annotated[
        tuple[str, ...], "Follow no links whose URL this regular expression finds."
    ] = ()
    max_depth: Annotated[
        int | None, "Follow at most N links from a start URL; 0 follows none. No limit unless set."
    ] = None
    sitemap: Annotated[bool, "Also take the pages that the site's sitemaps list, at depth 0."] = (
        False
    )
    max_sitemaps: Annotated[
        int, "Read at most N of the sitemaps that robots.txt names, and of those of an index."
    ] = 1_000
    save: Annotated[Literal["markdown", "html", "none"], "What is kept of a page's text."] = (
        "markdown"
    )

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
                        f"{name!r}: {pattern!r} is no regular expression: {error}"
                    ) from error
