"""What a worker has seen of proxies since it last told the database."""

from collections import Counter

from swather.model.proxy import ProxyFault, ProxyReport

Place = tuple[int, str]


class _Seen:
    """Of one proxy on one site."""

    __slots__ = ("ended_well", "error", "faults", "is_probe", "retry_after", "seconds", "successes")

    def __init__(self) -> None:
        self.successes = 0
        self.faults: Counter[ProxyFault] = Counter()
        self.seconds = 0.0
        self.error = ""
        self.ended_well = False
        self.retry_after: float | None = None
        self.is_probe = False

    def succeeded(self, seconds: float, *, is_probe: bool) -> None:
        self.successes += 1
        self.seconds += seconds
        self.ended_well = True
        self.is_probe |= is_probe

    def failed(
        self, fault: ProxyFault, error: str, *, is_probe: bool, retry_after: float | None
    ) -> None:
        self.faults[fault] += 1
        self.error = error
        self.ended_well = False
        self.is_probe |= is_probe
        self.retry_after = max(self.retry_after or 0.0, retry_after or 0.0) or None

    def report(self, place: Place) -> ProxyReport:
        return ProxyReport(
            proxy_id=place[0],
            site=place[1],
            successes=self.successes,
            faults=dict(self.faults),
            seconds=self.seconds,
            error=self.error,
            ended_well_last=self.ended_well,
            retry_after_seconds=self.retry_after,
            is_probe=self.is_probe,
        )


class PoolReports:
    """Belongs to the loop's thread. `in_a_row` counts failures by proxy and site ('' for those that
    are the proxy's own fault), as far as this worker has seen them.
    """

    def __init__(self) -> None:
        self.in_a_row: Counter[Place] = Counter()
        self._seen: dict[Place, _Seen] = {}
        self._returned: list[ProxyReport] = []

    def succeeded(self, place: Place, seconds: float, *, is_probe: bool) -> None:
        self._of(place).succeeded(seconds, is_probe=is_probe)
        if self.in_a_row:
            self.in_a_row.pop(place, None)
            self.in_a_row.pop((place[0], ""), None)

    def failed(
        self,
        place: Place,
        fault: ProxyFault,
        error: str,
        *,
        is_probe: bool,
        retry_after_seconds: float | None = None,
    ) -> int:
        """Returns how many have failed in a row now."""
        seen = self._of(place)
        seen.failed(fault, error, is_probe=is_probe, retry_after=retry_after_seconds)
        row = (place[0], "") if fault is ProxyFault.PROXY else place
        self.in_a_row[row] += 1
        return self.in_a_row[row]

    def take(self) -> list[ProxyReport]:
        reports, self._returned = self._returned, []
        seen, self._seen = self._seen, {}
        return reports + [found.report(place) for place, found in seen.items()]

    def give_back(self, reports: list[ProxyReport]) -> None:
        """They could not be told, and are told first the next time."""
        self._returned = [*reports, *self._returned]

    def _of(self, place: Place) -> _Seen:
        seen = self._seen.get(place)
        if seen is None:
            seen = self._seen[place] = _Seen()
        return seen
