"""What `fleet up --autoscale` is given, and the bounds that follow from it."""

from typing import TYPE_CHECKING, NamedTuple

from swather.errors import InputError

if TYPE_CHECKING:
    from swather.settings_sources import Resolved


class Bounds(NamedTuple):
    """The fewest and the most workers of a fleet that scales itself."""

    minimum: int
    maximum: int


class Autoscale(NamedTuple):
    """What the command names of them."""

    minimum: int | None
    maximum: int | None

    @classmethod
    def given(cls, *, on: bool, minimum: int | None, maximum: int | None) -> "Autoscale | None":
        if not on and (minimum, maximum) != (None, None):
            raise InputError("--min and --max are the bounds of --autoscale, which is missing")
        return cls(minimum, maximum) if on else None

    def bounds(self, resolved: "Resolved", run: str | None) -> Bounds:
        """With one run there is always a worker, which notices its end."""
        from swather.settings_sources import DEFAULT

        settings = resolved.settings
        maximum = self.maximum
        if maximum is None:
            if resolved.origin("workers") == DEFAULT:
                raise InputError(
                    "--autoscale needs to know the most workers that you allow: --max N, or the "
                    "setting max_workers"
                )
            maximum = settings.workers
        least = 0 if run is None else 1
        if self.minimum is None:
            return Bounds(max(min(settings.min_workers, maximum), least), maximum)
        return Bounds(max(self.minimum, least), maximum)

    def options(self) -> dict[str, object]:
        return {"--min": self.minimum, "--max": self.maximum}
