"""Where the rows of a list page are."""

from swather.scraping.site.sight import Place, Sight
from swather.scraping.site.ways import Css, InJsonLd, XPath

RowFinder = Css | XPath | InJsonLd


def found_rows(finders: tuple[RowFinder, ...], sight: Sight) -> list[Place]:
    """By the first finder that finds any. Objects of JSON-LD have to be as many as the rows that
    the next one finds: a few of them may be about the directory, and not about what it lists.
    """
    for number, finder in enumerate(finders):
        rows = rows_by(finder, sight)
        if not rows:
            continue
        if isinstance(finder, InJsonLd):
            others = found_rows(finders[number + 1 :], sight)
            if len(others) > len(rows):
                sight.note(
                    f"only {len(rows):,} by {finder.in_words}, and {len(others):,} rows by the "
                    "next way: these are read"
                )
                return others
        return rows
    return []


def rows_by(finder: RowFinder, sight: Sight) -> list[Place]:
    if isinstance(finder, Css):
        return [Place(sight, node) for node in sight.root.css(finder.selector)]
    if isinstance(finder, XPath):
        return [Place(sight, node) for node in finder.nodes(sight.root)]
    return [Place(sight, data=data) for data in sight.json_ld.nodes(finder.path.type)]
