import pytest

from swather.worker.beat import BUSY_BEAT_SECONDS, pause_after


@pytest.mark.parametrize(("took", "pause"), [(0.001, 2.0), (0.1, 2.0), (0.2, 4.0), (1.0, 20.0)])
def test_the_slower_a_beat_was_the_later_the_next_one_comes(took: float, pause: float):
    assert pause_after(took, BUSY_BEAT_SECONDS) == pytest.approx(pause)
