"""Metrics in the text format of Prometheus: which there are, and a page of their values."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from swather.errors import MissingExtra
from swather.masking import masked
from swather.model.latency import BOUNDS, Latency

if TYPE_CHECKING:
    from prometheus_client.core import Metric

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
MAX_LABEL_CHARACTERS: Final = 120
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Kind(StrEnum):
    """What becomes of a metric: it rises, it goes up and down, or it counts durations."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Family(msgspec.Struct, frozen=True):
    """All series of one name."""

    kind: Kind
    help: str
    labels: tuple[str, ...] = ()


def label(text: str) -> str:
    """Text of the database as the value of a label: masked, short, on one line."""
    return _CONTROL.sub("?", masked(text))[:MAX_LABEL_CHARACTERS]


class Page:
    """The values of a table of families at one moment. A family without values is on it, too."""

    def __init__(self, families: Mapping[str, Family]) -> None:
        self._families = families
        self._values: dict[str, dict[tuple[str, ...], float]] = {}
        self._latencies: dict[str, Latency] = {}

    def add(self, name: str, value: float, *labels: str) -> None:
        """Values with the same labels are summed."""
        values = self._values.setdefault(name, {})
        values[labels] = values.get(labels, 0) + value

    def put(self, name: str, value: float, *labels: str) -> None:
        """Of two values with the same labels the first one stays: a scrape may not have both."""
        self._values.setdefault(name, {}).setdefault(labels, value)

    def put_latency(self, name: str, latency: Latency) -> None:
        self._latencies[name] = latency

    def text(self) -> bytes:
        from prometheus_client import CollectorRegistry, generate_latest  # noqa: PLC0415 - an extra

        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterable["Metric"]:
        """As prometheus_client asks for it."""
        return [self._metric(name, family) for name, family in self._families.items()]

    def _metric(self, name: str, family: Family) -> "Metric":
        from prometheus_client import core  # noqa: PLC0415 - an extra

        match family.kind:
            case Kind.HISTOGRAM:
                histogram = core.HistogramMetricFamily(name, family.help)
                if name in self._latencies:
                    latency = self._latencies[name]
                    histogram.add_metric((), buckets_of(latency), latency.seconds)
                return histogram
            case Kind.COUNTER:
                rising = core.CounterMetricFamily(name, family.help, labels=family.labels)
                for labels, value in self._values.get(name, {}).items():
                    rising.add_metric(labels, value)
                return rising
            case Kind.GAUGE:
                gauge = core.GaugeMetricFamily(name, family.help, labels=family.labels)
                for labels, value in self._values.get(name, {}).items():
                    gauge.add_metric(labels, value)
                return gauge


def buckets_of(latency: Latency) -> list[tuple[str, float]]:
    """How many took no longer than each bound, as Prometheus counts."""
    total, buckets = 0, []
    for bound, n in zip((*map(str, BOUNDS), "+Inf"), latency.counts, strict=True):
        total += n
        buckets.append((bound, float(total)))
    return buckets


def check_installed() -> None:
    """MissingExtra if what writes the text is not there."""
    try:
        import prometheus_client  # noqa: F401, PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise MissingExtra("metrics need prometheus-client: pip install 'swather[web]'") from error
