"""The example of a registry: seven countries, each in its own mode."""

import shlex
import shutil
from pathlib import Path

import pytest

from swather.scraping import registry
from swather.scraping.params import typed_params
from swather.scraping.registered import registered
from swather.testing.countries import country_site
from tests.cli.conftest import Swather, started, swather

__all__ = ["started", "swather"]

EXAMPLE = Path(__file__).parents[3] / "examples" / "countries" / "swather.toml"
MODES = {
    "India": "distributed", "Malaysia": "distributed", "Netherlands": "distributed",
    "Taiwan": "distributed", "Argentina": None, "Russia": None, "Canada-Quebec": None,
}  # fmt: skip


@pytest.fixture(autouse=True)
def in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    (tmp_path / EXAMPLE.name).chmod(0o600)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", MODES)
def test_a_country_has_its_mode_and_its_site_file(name: str):
    known = registered()[name]
    assert known.execution_mode == MODES[name]
    loaded = registry.load(known.spec)
    assert loaded.name == name
    assert typed_params(loaded, known.params).site in name.lower()


@pytest.mark.slow
def test_start_runs_a_single_one_here_and_queues_a_distributed_one(started: Swather):
    with country_site("russia", products=20) as site:
        said = started("start", "Russia", *site.targets)
    assert said.code == 0, said.err
    assert len(Path("Russia.jsonl").read_text().splitlines()) == 20
    with country_site("india", products=20) as site:
        queued = started("start", "India", *site.targets, "--json").data
        assert (queued["status"], queued["enqueued"]) == ("queued", 1)
        worked = started(*shlex.split(queued["worker_command"])[1:])
        assert worked.code == 0, worked.err
    counted = started("status", queued["run_id"], "--json").data
    assert counted["counts"]["items"] == 20
