"""What importing the scraper's side costs: nothing it does not need yet."""

import subprocess
import sys

import pytest

MODULES = ["scraper", "context", "invoke", "classify", "files", "registry", "params", "targets"]
HEAVY = {
    "apsw", "httpx", "psycopg", "publicsuffixlist", "pydantic", "rich", "selectolax", "typer",
    "wreq",
}  # fmt: skip


@pytest.mark.slow
def test_nothing_heavy_is_imported_before_it_is_needed():
    imported = ", ".join(f"swather.scraping.{module}" for module in MODULES)
    code = (
        f"import sys, swather.net.fetcher, {imported}\n"
        f"print(*{{name.partition('.')[0] for name in sys.modules}} & {HEAVY!r})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
