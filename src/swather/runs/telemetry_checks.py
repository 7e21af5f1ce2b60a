"""Checks of what workers tell monitoring: their metrics and their traces."""

import socket
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

from swather.masking import shown_url
from swather.runs.health import Check, Health
from swather.settings import Settings

ANSWER_SECONDS: Final = 2.0
_PORTS: Final = {"http": 80, "https": 443}


def telemetry_checks(settings: Settings) -> Iterator[Check]:
    """Nothing if neither is on."""
    if settings.metrics_port:
        yield _metrics(settings)
    if settings.tracing_endpoint is not None:
        yield _traces(settings.tracing_endpoint)


def _metrics(settings: Settings) -> Check:
    if find_spec("prometheus_client") is None:
        said = "metrics_port needs prometheus-client: pip install 'swather[web]'"
        return Check("metrics", Health.PROBLEM, said)
    said = f"of workers: http://{settings.metrics_host}:{settings.metrics_port}/metrics and up"
    return Check("metrics", Health.OK, said)


def _traces(endpoint: str) -> Check:
    if find_spec("opentelemetry") is None:
        said = "tracing_endpoint needs OpenTelemetry: pip install 'swather[tracing]'"
        return Check("traces", Health.PROBLEM, said)
    parts = urlsplit(endpoint)
    address = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    try:
        socket.create_connection(address, ANSWER_SECONDS).close()
    except OSError as error:
        said = f"the collector at {shown_url(endpoint)} does not answer: {error}; traces are lost"
        return Check("traces", Health.WARNING, said)
    return Check("traces", Health.OK, f"go to {shown_url(endpoint)}")
