"""Scrapers that change the current folder: what we write stays where the command was given."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(300)

HEAD = """
import os
from pathlib import Path
from swather import scraper
ELSEWHERE = Path(__file__).parent / "elsewhere"
"""
ON_LOADING = 'os.chdir("elsewhere")\n'
PLAIN = """
@scraper(name="moving", retries=0, OPTIONS)
def moving(ctx, target):
    os.chdir(ELSEWHERE)
    ctx.save(b"content", name=f"{target}.txt")
    return {"of": target, "in": Path.cwd().name}
"""
ASYNC = PLAIN.replace("def moving", "async def moving").replace("ctx.save", "await ctx.save")
SCRAPERS = {
    "thread": HEAD + PLAIN.replace(", OPTIONS", ""),
    "loop": HEAD + ASYNC.replace(", OPTIONS", ""),
    "process": HEAD + PLAIN.replace("OPTIONS", 'isolation="process"'),
    "thread, loaded elsewhere": HEAD + ON_LOADING + PLAIN.replace(", OPTIONS", ""),
    "process, loaded elsewhere": HEAD
    + ON_LOADING
    + PLAIN.replace("OPTIONS", 'isolation="process"'),
}
LEFT_HERE = [".swather", "elsewhere", "files", "moving.jsonl", "moving.py", "swather.db"]


@pytest.fixture(params=SCRAPERS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "moving.py").write_text(SCRAPERS[request.param])
    return tmp_path


def call(folder: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "SWATHER_DB"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        check=False,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def swather(folder: Path, *arguments: str) -> str:
    return call(folder, "-m", "swather.cli", *arguments)


def left_in(folder: Path) -> list[str]:
    """Without what SQLite may leave beside a database, and results files beside themselves."""
    names = {path.name for path in folder.iterdir()}
    return sorted(
        name
        for name in names
        if not name.startswith("swather.db-") and "position" not in name and name != "__pycache__"
    )


def items(folder: Path) -> list[dict]:
    lines = (folder / "moving.jsonl").read_text().splitlines()
    return sorted(map(json.loads, lines), key=lambda item: item["of"])


def check(folder: Path) -> None:
    assert items(folder) == [{"of": name, "in": "elsewhere"} for name in "abc"]
    assert left_in(folder / "elsewhere") == []
    assert {"a.txt", "b.txt", "c.txt"} <= {path.name for path in (folder / "files").iterdir()}


def test_a_run_writes_where_it_was_begun(folder: Path):
    (folder / "targets.txt").write_text("a\nb\nc\n")
    swather(folder, "run", "moving.py", "--targets", "targets.txt", "--concurrency", "1")
    (folder / "targets.txt").unlink()
    check(folder)
    assert left_in(folder) == LEFT_HERE


def test_enqueue_and_worker_use_the_database_and_the_settings_of_the_folder(folder: Path):
    (folder / "swather.toml").write_text('db = "sqlite:///of-toml.db"\nfiles_folder = "kept"\n')
    (folder / "targets.txt").write_text("a\nb\nc\n")
    swather(folder, "enqueue", "moving.py", "--targets", "targets.txt")
    swather(folder, "worker", "moving.py", "--db", "sqlite:///of-toml.db")
    assert left_in(folder / "elsewhere") == []
    assert (folder / "of-toml.db").exists()
    assert {"a.txt", "b.txt", "c.txt"} <= {path.name for path in (folder / "kept").iterdir()}


def test_a_run_in_this_process_writes_where_it_was_called(folder: Path):
    program = """
import os, swather
result = swather.run(
    "moving.py", ["a", "b", "c"], db="sqlite:///swather.db", output="moving.jsonl", progress=False
)
os.chdir("/")
assert sorted(item["of"] for item in result) == ["a", "b", "c"], list(result)
"""
    call(folder, "-c", program)
    check(folder)
    assert left_in(folder) == [name for name in LEFT_HERE if name != ".swather"]


def test_a_fixture_is_saved_where_it_was_asked_for(folder: Path):
    swather(folder, "try", "moving.py", "a", "--save-fixture", "fixture.json")
    assert (folder / "fixture.json").exists()
    assert left_in(folder / "elsewhere") == []
