"""Answers about settings, and what sets one."""

from pydantic import Field, JsonValue

from swather.api.answers import Answer, Given


class Setting(Answer):
    """A setting in force where the server runs; a secret one is hidden."""

    value: JsonValue = Field(examples=[20])
    origin: str = Field(description="where its value comes from", examples=["settings row"])
    what: str = Field(examples=["targets that a worker executes at once"])
    in_row: bool = Field(
        description="whether the database may hold it, for everyone", examples=[True]
    )


class NewValue(Given):
    """The value that a setting shall have for everyone on this database."""

    value: JsonValue = Field(examples=[50])


class SetSetting(Answer):
    name: str = Field(examples=["concurrency"])
    value: JsonValue = Field(examples=[50])


class UnsetSetting(Answer):
    name: str = Field(examples=["concurrency"])
    was_set: bool = Field(examples=[True])
