import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

REGISTRY_ADDRESS = re.compile(
    r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|(?:deb|security)\.debian\.org"
    r"|--(?:(?:extra-)?index-url|find-links)|[:=]\s*file://"
)
PIN = re.compile(
    r"[a-z0-9-]+(?:\[[a-z,]+\])?==[\w.]+(?: ; [^/]+)? \\|    --hash=sha256:\w{64}(?: \\)?"
)
CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def repository_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: git cannot say which files belong to the repository")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


@pytest.mark.slow
def test_no_file_names_a_package_registry():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in repository_files()
        for match in REGISTRY_ADDRESS.finditer(path.read_text(errors="ignore"))
    ]
    assert found == []


def test_no_file_has_the_marks_of_a_merge():
    found = [
        str(path.relative_to(ROOT))
        for path in repository_files()
        if CONFLICT.search(path.read_text(errors="ignore"))
    ]
    assert found == []


def test_decisions_are_numbered_one_after_another():
    numbers = [path.name[:4] for path in sorted((ROOT / "docs/decisions").glob("*.md"))]
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]


def test_requirements_hold_nothing_but_hashed_pins():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    strange = [
        line for line in lines if not line.lstrip().startswith("#") and not PIN.fullmatch(line)
    ]
    assert lines
    assert strange == []


def test_every_module_is_named_after_what_lives_there():
    sources = (ROOT / "src").rglob("*")
    assert [path for path in sources if set(path.stem.split("_")) & SAYS_NOTHING] == []
