"""What people do to the settings that all share, through the API and on pages."""

from typing import Any

from swather.api.parameters import Doing
from swather.model.action import ActionVerb
from swather.store import Store


def set_setting(do: Doing, name: str, value: Any) -> None:
    do.now(
        ActionVerb.SETTING_SET,
        name,
        lambda store: store.settings.set(name, value),
        {"value": value},
    )


def unset_setting(do: Doing, name: str) -> bool:
    """Whether it was set."""

    def unset(store: Store) -> bool:
        was_set = name in store.settings.all()
        store.settings.unset(name)
        return was_set

    return do.now(ActionVerb.SETTING_UNSET, name, unset)
