"""Which sources a query goes to, and what they are asked for."""

from collections.abc import Mapping, Sequence

from swather.builtin.media.direct import NAME as DIRECT
from swather.builtin.media.query import Query
from swather.builtin.media.sources import registry
from swather.builtin.media.sources.source import IMAGE_AND_VIDEO, Wanted


def sources_of(query: Query, wanted: Wanted, environment: Mapping[str, str]) -> Sequence[str]:
    """Those that are named; otherwise those of the usual ones that have what is wanted."""
    if query.urls:
        return [DIRECT]
    if query.params.named_sources:
        return query.params.named_sources
    usual = [registry.source_named(name) for name in registry.asked_by_default(environment)]
    return [
        source.name
        for source in usual
        if source.kinds & wanted.kinds and wanted.licence in source.licences
    ]


def wanted_by(query: Query) -> Wanted:
    params = query.params
    return Wanted(
        query=query.text,
        limit=len(query.urls) or params.per_source,
        kinds=IMAGE_AND_VIDEO if query.urls else params.kinds,
        min_width=params.min_width,
        min_height=params.min_height,
        types=params.wanted_types,
        licence=params.licence,
    )
