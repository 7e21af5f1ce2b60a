"""Settings over HTTP: those in force, and those that everyone on the database shares."""

from typing import Annotated, Any

from fastapi import Path, Query

from swather import settings_sources
from swather.api import answers_settings as answers
from swather.api import setting_changes
from swather.api.answers import shown
from swather.api.parameters import Do, new_router
from swather.api.served import TheStore
from swather.api.starting import registered_scraper
from swather.runs.settings_in_force import settings_in_force
from swather.settings_row import IN_THE_ROW

router = new_router("settings")

NameInPath = Annotated[
    str, Path(max_length=100, description="The setting's name.", examples=["concurrency"])
]


@router.get("", response_model=dict[str, answers.Setting])
def list_settings(
    store: TheStore,
    scraper: Annotated[
        str | None, Query(max_length=200, description="As they apply to this registered scraper.")
    ] = None,
) -> Any:
    """Settings by name, where the server runs: their values, and where each comes from."""
    of_scraper = None if scraper is None else registered_scraper(scraper)
    # The option is also filled from the environment and from files, which are the origin then.
    is_found = settings_sources.read().settings.db == store.url
    named = {} if is_found else {"db": store.url}
    rows = settings_in_force(named, store.settings.all(), of_scraper)
    return shown(
        {
            row.name: {
                "value": row.value,
                "origin": row.origin,
                "what": row.what,
                "in_row": row.name in IN_THE_ROW,
            }
            for row in rows
        }
    )


@router.put("/{name}", response_model=answers.SetSetting)
def set_setting(do: Do, name: NameInPath, given: answers.NewValue) -> Any:
    """Keep a setting in the database, for everyone who uses it. 422 for one that is unknown, that
    a machine must set itself, or that cannot have this value.
    """
    known = settings_sources.canonical(name)
    kept = settings_sources.checked(known, given.value)
    setting_changes.set_setting(do, known, kept)
    return {"name": known, "value": kept}


@router.delete("/{name}", response_model=answers.UnsetSetting)
def unset_setting(do: Do, name: NameInPath) -> Any:
    """Remove a setting from the database; files, decorator or default apply again."""
    known = settings_sources.canonical(name)
    return {"name": known, "was_set": setting_changes.unset_setting(do, known)}
