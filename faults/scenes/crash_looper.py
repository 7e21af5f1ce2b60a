"""Fifty states and DC on a fleet of four workers, one of which crashes again and again until it is
left alone: the states that are planned for it are served by the others.
"""

from contextlib import ExitStack
from typing import Final

from faults.scenes.fifty_states import DRAIN_SECONDS, EXAMPLE, Act
from faults.scenes.fleet import Scene
from faults.scenes.place import Place
from swather.model.assignment import balanced
from swather.model.assignment_text import toml_of
from swather.runs.partition_plans import read_plan

WORKERS: Final = 4
LOOPER: Final = 1


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold."""
    states = read_plan(EXAMPLE).numbers
    plan = balanced(dict.fromkeys(states, 1), WORKERS)
    act = Act(place, plan, max(targets // len(states), 2), WORKERS)
    with ExitStack() as stack:
        site = stack.enter_context(act.site.served())
        code, run = act.load("direct", site.url)
        # Without the example's pauses between targets.
        (place.empty_folder("fleet") / "swather.toml").write_text(toml_of(plan))
        scene = Scene(place, run, code, workers=WORKERS)
        stack.callback(scene.down)
        scene.up()
        scene.crash_loop()
        act.killed.update(scene.crashed)
        orphans = act.orphans((LOOPER,))
        place.wait_for(run, lambda counts: not counts.unfinished, DRAIN_SECONDS)
        return [*scene.wrong, *act.wrong_end(orphans)]
