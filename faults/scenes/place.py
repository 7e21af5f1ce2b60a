"""Where the workers of a scene live: empty folders, with Swather and one scraper installed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import swather.store
from swather.model.run import Counts

SCRAPERS: Final = Path(__file__).with_name("scrapers.py")
SWATHER: Final = Path(sys.executable).with_name("swather")
ENTRY_POINTS: Final = """\
[swather.scrapers]
shelf = scene_scrapers:shelf
"""


class Place:
    """`url` leads to a prepared database. Whoever works here knows nothing else: the scraper is
    installed as a package, beside Swather.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.store = swather.store.open(url)
        self._packages = folder / "packages"
        installed = self._packages / "scene_scrapers-1.0.dist-info"
        installed.mkdir(parents=True)
        (installed / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: scene-scrapers\nVersion: 1.0\n"
        )
        (installed / "entry_points.txt").write_text(ENTRY_POINTS)
        (self._packages / "scene_scrapers.py").write_text(SCRAPERS.read_text())

    def urls(self, count: int) -> Path:
        path = self.folder / "urls.txt"
        with path.open("w") as lines:
            lines.writelines(f"https://shelf.example/book/{number}\n" for number in range(count))
        return path

    def enqueue(self, *options: str) -> dict[str, Any]:
        """The answer of the command."""
        answer: dict[str, Any] = self.call("producer", "enqueue", "shelf", *options)
        return answer

    def call(self, folder: str, *command: str) -> Any:
        """The answer of a command that is given in a folder of this name."""
        done = subprocess.run(
            [SWATHER, *command, "--db", self.url, "--json"],
            env=self._environment,
            cwd=self.empty_folder(folder),
            stdout=subprocess.PIPE,
            check=True,
        )
        return json.loads(done.stdout)

    def change_code(self) -> None:
        """Install another version of the scraper."""
        code = self._packages / "scene_scrapers.py"
        code.write_text(f"{code.read_text()}\n# changed\n")

    def worker(self, name: str, *options: str) -> "subprocess.Popen[bytes]":
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [SWATHER, "worker", "--db", self.url, *options],
                env=self._environment,
                cwd=self.empty_folder(name),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def empty_folder(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return folder

    def wait_for(self, run: str, is_there: Callable[[Counts], bool], seconds: float) -> Counts:
        deadline = time.monotonic() + seconds
        while not is_there(counts := self.store.runs.counts(run)):
            if time.monotonic() > deadline:
                raise RuntimeError(f"after {seconds:.0f} s: {counts}")
            time.sleep(0.05)
        return counts

    @property
    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SWATHER")}
        return {
            **kept,
            "PYTHONPATH": str(self._packages),
            "SCENE_LEDGER": str(self.folder / "executed"),
        }
