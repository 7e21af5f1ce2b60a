"""What was measured: figures with their repeats, kept as one JSON file per part."""

import json
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "bench"
RESULTS = FOLDER / "results"
# Of some contenders alone: what is reported side by side was measured side by side.
ALONE = FOLDER / "alone"

Kind = Literal["ours", "peer", "limit"]


@dataclass(frozen=True)
class Figure:
    """One contender at one work; `values` has a value per repeat, the median is what counts.

    `failed` is how many repeats came to nothing, so that no median hides them.
    """

    work: str
    who: str
    kind: Kind
    unit: str
    values: tuple[float, ...]
    note: str = ""
    failed: int = 0

    @property
    def value(self) -> float:
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """From the least to the greatest, as a part of the median."""
        return (max(self.values) - min(self.values)) / self.value if self.value else 0.0


@dataclass(frozen=True)
class Measured:
    """What one part came to."""

    part: str
    size: str
    taken_at: str
    seconds: float
    figures: list[Figure]
    machine: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def find(self, work: str, who: str) -> Figure | None:
        return next((one for one in self.figures if (one.work, one.who) == (work, who)), None)

    def save(self, folder: Path = RESULTS) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.part}.json"
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")
        return path


def load(part: str) -> Measured | None:
    path = RESULTS / f"{part}.json"
    if not path.exists():
        return None
    held = json.loads(path.read_text())
    figures = [Figure(**{**one, "values": tuple(one["values"])}) for one in held.pop("figures")]
    return Measured(**held, figures=figures)


def load_all(parts: Iterable[str]) -> list[Measured]:
    return [held for part in parts if (held := load(part)) is not None]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
