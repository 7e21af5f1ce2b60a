"""The examples of README and of the pages are typed as mypy wants it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT, blocks_of
from tests.docs.test_examples import FILES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

# Most examples have no annotations, and tests import the scraper beside them.
LENIENT = ("--allow-untyped-defs", "--allow-untyped-calls", "--ignore-missing-imports")


def written(pages: list[Path], folder: Path) -> list[str]:
    """The files that the pages tell a reader to make, each in a folder of its page."""
    found = []
    for page in pages:
        for block in blocks_of(page):
            if block.language == "python" and (named := FILES["python"].match(block.text)):
                file = folder / page.stem.replace("-", "_") / named[1]
                file.parent.mkdir(exist_ok=True)
                file.write_text(block.text)
                found.append(str(file.relative_to(folder)))
    return sorted(set(found))


@pytest.mark.parametrize(
    ("pages", "options"),
    [([ROOT / "README.md"], ()), (PAGES, LENIENT)],
    ids=["README", "pages"],
)
def test_the_examples_pass_mypy_strict(pages: list[Path], options: tuple[str, ...], tmp_path: Path):
    files = written(pages, tmp_path)
    assert files
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *options, "--namespace-packages",
         "--explicit-package-bases", "--cache-dir", str(ROOT / ".mypy_cache"), *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout + said.stderr
