"""docs/security.md names tests that are there."""

import re

from tests.docs.blocks import ROOT

TABLE = re.compile(r"^\| [^|]+ \| [^|]+ \| (?P<tests>`[^|]+`) \|$", re.MULTILINE)


def test_every_defence_names_a_test_that_is_there():
    rows = TABLE.findall((ROOT / "docs" / "security.md").read_text())
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(rows) >= 20
    assert [name for name in named if not (ROOT / "tests" / name).is_file()] == []
