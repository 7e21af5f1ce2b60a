"""Where workers serve their metrics, from the settings."""

import pytest
from pydantic import SecretStr

from swather.errors import InputError
from swather.fleet.processes import worker_options
from swather.fleet.worker_factory import metrics_address
from swather.settings import Settings

TOKEN = SecretStr("r" * 16)
TOKENS = {"api_token": SecretStr("a" * 16), "api_read_token": TOKEN}


def test_it_is_off_by_default():
    assert metrics_address(Settings(), 3) is None
    assert worker_options(Settings())["--metrics-port"] is None


@pytest.mark.parametrize(("number", "port"), [(None, 9465), (0, 9465), (3, 9468)])
def test_each_worker_of_a_machine_has_a_port_of_its_own(number: int | None, port: int):
    settings = Settings(metrics_port=9465, **TOKENS)
    address = metrics_address(settings, number)
    assert address is not None
    assert (address.host, address.port) == ("127.0.0.1", port)
    assert worker_options(settings)["--metrics-port"] == 9465


def test_one_without_a_port_says_so():
    with pytest.raises(InputError, match="worker 3 has no port"):
        metrics_address(Settings(metrics_port=65_535, **TOKENS), 3)


def test_other_machines_need_a_token_that_was_chosen():
    with pytest.raises(InputError, match="SWATHER_API_READ_TOKEN"):
        metrics_address(Settings(metrics_port=9465, metrics_host="0.0.0.0"), 0)  # noqa: S104
    settings = Settings(metrics_port=9465, metrics_host="0.0.0.0", **TOKENS)  # noqa: S104
    assert metrics_address(settings, 0) is not None
