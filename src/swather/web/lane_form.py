"""The limits of a lane as a form has them, and what is wrong with them."""

from dataclasses import dataclass, field
from typing import Annotated, Final

from fastapi import Form

from swather.errors import InputError
from swather.model.duration import parse_duration
from swather.model.lane import Lane
from swather.model.pacing import MAX_COUNT, NO_LIMITS, Limits, parse_rate
from swather.model.whole_number import whole_number
from swather.runs.limit_words import rate_of

MAX_COOL_SECONDS: Final = 366 * 86_400.0

Text = Annotated[str, Form(max_length=40)]


@dataclass(frozen=True, kw_only=True)
class LimitsForm:
    """Texts as they were typed; `errors` by field. An empty one means no limit."""

    rate: str = ""
    burst: str = ""
    in_flight: str = ""
    overrides: bool = False
    limits: Limits = NO_LIMITS
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, lane: Lane) -> "LimitsForm":
        """What is set now."""
        limits = lane.limits
        return cls(
            rate=rate_of(limits) or "",
            burst=str(limits.burst) if limits.every_seconds and limits.burst > 1 else "",
            in_flight="" if limits.in_flight is None else str(limits.in_flight),
            overrides=lane.overrides,
            limits=limits,
        )

    @classmethod
    def given(
        cls,
        rate: Text = "",
        burst: Text = "",
        in_flight: Text = "",
        override: Annotated[str, Form(max_length=10)] = "",
    ) -> "LimitsForm":
        errors = {}
        every = 0.0
        if rate.strip():
            try:
                every = parse_rate(rate)
            except InputError as error:
                errors["rate"] = str(error)
        for name, text in (("burst", burst), ("in_flight", in_flight)):
            if text.strip() and _whole(text) is None:
                errors[name] = f"expected a whole number of at least 1, got {text!r}"
        if burst.strip() and not rate.strip():
            errors["burst"] = "a burst needs a rate"
        if override and not rate.strip() and not in_flight.strip():
            errors["override"] = "there is no limit here that could replace another"
        limits = NO_LIMITS
        if not errors:
            limits = Limits(every, (_whole(burst) or 1) if every else 1, _whole(in_flight))
        return cls(
            rate=rate.strip(),
            burst=burst.strip(),
            in_flight=in_flight.strip(),
            overrides=bool(override),
            limits=limits,
            errors=errors,
        )


def seconds_to_cool(text: str) -> tuple[float, str]:
    """For how long, or what is wrong with the text."""
    seconds = parse_duration(text)
    if not seconds or seconds > MAX_COOL_SECONDS:
        return 0.0, f"expected a time up to a year such as 90s, 10m, 2h or 1d, got {text!r}"
    return seconds, ""


def _whole(text: str) -> int | None:
    number = whole_number(text)
    return None if number is None or not 1 <= number <= MAX_COUNT else number
