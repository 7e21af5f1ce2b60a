"""What people do to lanes and scrapers, through the API and on pages."""

from swather.api.parameters import Doing
from swather.model.action import ActionVerb
from swather.model.lane import PacedKind
from swather.runs.lane_changes import resume_lane

# A lane or a scraper, by its name.
Paced = tuple[str, PacedKind]


def pause_lane(do: Doing, paced: Paced) -> None:
    do.now(verb_of(paced, "pause"), paced[0], lambda store: store.lanes.pause(*paced))


def unpause_lane(do: Doing, paced: Paced) -> None:
    """Also ends a cool-down and closes breakers."""
    do.now(verb_of(paced, "unpause"), paced[0], lambda store: resume_lane(store, *paced))


def cool_lane(do: Doing, paced: Paced, seconds: float) -> None:
    name, kind = paced
    do.now(
        verb_of(paced, "cool"),
        name,
        lambda store: store.lanes.cool(name, seconds, kind=kind),
        {"seconds": seconds},
    )


def clear_lane(do: Doing, paced: Paced) -> None:
    do.now(verb_of(paced, "clear"), paced[0], lambda store: store.lanes.clear(*paced))


def verb_of(paced: Paced, verb: str) -> ActionVerb:
    return ActionVerb(f"{paced[1]} {verb}")
