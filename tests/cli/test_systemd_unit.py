"""The systemd unit starts, reloads and stops a fleet with commands that there are."""

import configparser
import shlex
from pathlib import Path

import pytest

from swather.settings import Settings
from tests.cli.conftest import Swather, done

UNIT = Path(__file__).parents[2] / "deploy" / "systemd" / "swather-fleet@.service"


@pytest.fixture
def service() -> configparser.SectionProxy:
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment]
    unit.read(UNIT)
    return unit["Service"]


@pytest.mark.parametrize("key", ["ExecStart", "ExecReload"])
def test_its_commands_take_the_options_that_it_gives(
    swather: Swather, service: configparser.SectionProxy, key: str
):
    program, group, command, *words = shlex.split(service[key])
    assert Path(program).name == "swather"
    said = done(swather, group, command, "--help").out
    for option in (word for word in words if word.startswith("-")):
        assert option in said.split() or f"{option}," in said


def test_it_waits_for_as_long_as_workers_may_take(service: configparser.SectionProxy):
    assert int(service["TimeoutStopSec"]) > Settings().grace_seconds + 10
    # Its workers are the supervisor's to stop.
    assert service["KillMode"] == "process"


def test_the_server_has_a_unit_that_keeps_its_token_out_of_the_journal(swather: Swather):
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.read(UNIT.with_name("swather-serve.service"))
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert (Path(program).name, words) == ("swather", ["serve"])
    assert unit["Service"]["StandardOutput"] == "null"
    assert "Serve the API" in done(swather, *words, "--help").out
