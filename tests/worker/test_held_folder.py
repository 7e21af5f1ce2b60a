"""What child processes leave in their temporary folder."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from swather.held_folder import HeldFolder
from swather.scraping.scraper import scraper
from tests.worker.given import Shop


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"swather-{os.geteuid()}-children"


@scraper(isolation="process", retries=0, timeout=1)
def littering(ctx, target):
    left = Path(tempfile.mkdtemp()) / "half a file"
    left.write_text("x")
    if target == 1:
        os._exit(3)
    if target == 2:
        time.sleep(60)
    return str(left)


@pytest.mark.slow
def test_what_a_child_leaves_is_removed_with_it_however_it_ends(shop: Shop, temporary: Path):
    run, _ = shop.scrape(littering, 3, concurrency=3)
    (left,) = shop.items(run)
    assert left.startswith(str(temporary))
    assert shop.counts(run) == {"completed": 1, "failed": 2}
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_killed_worker_goes_with_the_next_child(temporary: Path):
    first = HeldFolder("children")
    abandoned = temporary / "abandoned"
    (abandoned / "inside").mkdir(parents=True)
    next_one = HeldFolder("children")
    assert sorted(temporary.iterdir()) == sorted([first.path, next_one.path])
    first.remove()
    next_one.remove()
    assert list(temporary.iterdir()) == []


def test_a_folder_that_others_can_write_to_is_not_used(temporary: Path):
    temporary.mkdir()
    temporary.chmod(0o777)
    folder = HeldFolder("children")
    assert temporary not in folder.path.parents
    folder.remove()
    assert not folder.path.exists()
