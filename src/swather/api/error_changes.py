"""What people do to groups of errors, through the API and on pages."""

from swather.api.parameters import Doing
from swather.model.action import ActionVerb


def mute_errors(do: Doing, run: str, group: str, *, muted: bool) -> None:
    """People do not want to see it, or want to again; it is counted all the same."""
    do.now(
        ActionVerb.ERRORS_MUTE if muted else ActionVerb.ERRORS_UNMUTE,
        run,
        lambda store: store.results.mute(run, group, muted),
        {"group": group},
    )
