"""How a run stands, in one word and one line: the same on the overview and on its own page."""

from typing import Final

import msgspec

from swather.model.run import Counts, Run, RunState
from swather.runs.pace import Pace, pace_of_run
from swather.runs.reason import Reason
from swather.runs.reasons import reasons_of
from swather.runs.situation import Situation, Surroundings
from swather.store import Store

# What sets the pace of a run that moves, and is somebody's decision.
_PACED: Final = ("lane ", "scraper ")


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """An open run at one moment. `word` is one of the states that have a colour."""

    run: Run
    counts: Counts
    word: str
    pace: Pace
    workers: int
    running: int
    reasons: list[Reason]

    @property
    def holds(self) -> str:
        """What holds it back or sets its pace, in a few words; '' if nothing does."""
        if self.reasons and self.reasons[0].stops:
            return self.reasons[0].in_brief.partition("\n")[0]
        if self.pace.limited_by:
            return self.pace.limited_by
        return next((reason.in_brief for reason in self.reasons if reason.code == "loading"), "")


def standing_of(store: Store, run: Run, counts: Counts, around: Surroundings) -> Standing:
    situation = Situation(store, run, counts, around=around)
    reasons, pace = reasons_of(situation), pace_of_run(situation, None)
    return Standing(
        run=run,
        counts=counts,
        word=word_for(
            run, pace.limited_by, reasons, is_moving=bool(situation.running or pace.rate_per_second)
        ),
        pace=pace,
        workers=len(situation.workers),
        running=situation.running,
        reasons=reasons,
    )


def word_for(run: Run, limited_by: str, reasons: list[Reason], *, is_moving: bool) -> str:
    """`is_moving`: targets execute, or have ended lately."""
    if run.state is not RunState.OPEN:
        return str(run.state)
    if run.paused:
        return "paused"
    codes = {reason.code for reason in reasons if reason.stops}
    if codes & {"no_worker", "workers_starting"}:
        return "waiting"
    if is_moving:
        return "paced" if limited_by.startswith(_PACED) else "running"
    if any(reason.code == "loading" for reason in reasons):
        return "loading"
    return "held" if codes else "waiting"
