"""What tests of Tor use: its network, and a folder of their own for daemons."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tor_network import TorNetwork
from tests.tor_site import TorSite, tor_site


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where daemons have their folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def site(tor_net: TorNetwork) -> Iterator[TorSite]:
    with tor_site(tor_net) as opened:
        yield opened
