"""Answers about what runs have found."""

from pydantic import Field

from swather.api.answers import Answer, Page
from swather.api.answers_tasks import File, Item


class ItemPage(Page):
    """Items of a run. A search that has read very many without finding enough ends a part early."""

    items: list[Item]


class FilePage(Page):
    """Files of a run."""

    files: list[File]


class Uploaded(Answer):
    """What became of the targets of an upload."""

    run: str
    enqueued: int = Field(description="targets that the run did not have yet", examples=[9_990])
    duplicates: int = Field(description="targets that it had already", examples=[8])
    skipped: int = Field(description="lines without a usable target", examples=[2])
    skipped_lines: list[str] = Field(
        description="the first of them, in words",
        examples=[["upload line 7: column 'url' is empty"]],
    )
    notes: list[str] = Field(
        description="what was assumed about the columns of CSV",
        examples=[["upload: the targets are in column 'url'"]],
    )
