"""Which proxies a scraper uses, and how: what its decorator says of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from swather.errors import InputError
from swather.model.countries import no_country
from swather.model.proxy_choice import ProxyStrategy, Rotation
from swather.net.egress import Egress

_TAG: Final = re.compile(r"[^\s,=#]{1,100}")
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")


@dataclass(frozen=True, kw_only=True)
class Proxies:
    """Which proxies of the pool a scraper uses, and how. What is None is as the settings say.

    tags        only proxies with all of these
    country     only proxies of this country, by its two letters
    strategy    'round_robin', 'random', 'least_used', 'sticky_worker', 'sticky_lane' or
                'sticky_session'
    rotation    'request' for another proxy with every request, 'target' for one per target
    per_worker  how many proxies each worker has for itself
    """

    tags: Sequence[str] = ()
    country: str | None = None
    strategy: ProxyStrategy | str | None = None
    rotation: Rotation | str | None = None
    per_worker: int | None = None

    def __post_init__(self) -> None:
        tags = (self.tags,) if isinstance(self.tags, str) else tuple(self.tags)
        for tag in tags:
            if not _TAG.fullmatch(str(tag)):
                raise InputError(f"proxies: a tag is a word such as 'residential', got {tag!r}")
        if self.country is not None:
            _check_country("proxies: country", self.country)
        if self.per_worker is not None and (
            type(self.per_worker) is not int or self.per_worker < 1
        ):
            raise InputError(
                f"proxies: per_worker must be a whole number of at least 1, got {self.per_worker!r}"
            )
        own = {
            "tags": tags,
            "country": self.country and self.country.lower(),
            "strategy": self.strategy and _member(ProxyStrategy, "strategy", self.strategy),
            "rotation": self.rotation and _member(Rotation, "rotation", self.rotation),
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)


class Selection(NamedTuple):
    """Which proxies of the pool: those with all tags, of a country and a source; '' is any."""

    tags: tuple[str, ...] = ()
    country: str = ""
    source: str = ""


def selection_of(scraper: str, proxies: "ProxyOption") -> Selection:
    """Which proxies the scraper of this name uses, by its option. The list that it brings itself is
    a source named after it, which is the same on every machine.
    """
    if isinstance(proxies, Proxies):
        return Selection(tuple(proxies.tags), proxies.country or "")
    return Selection(source=f"scraper {scraper}" if brings_list(proxies) else "")


def brings_list(proxies: "ProxyOption") -> bool:
    """Whether the option is a file or a list of proxies, rather than the pool."""
    return proxies is not None and not isinstance(proxies, bool | Proxies)


ProxyOption = bool | str | Path | Sequence[str] | Proxies | None


def check_proxies(field: str, value: Any) -> bool | str | Path | tuple[str, ...] | Proxies | None:
    """A text of a list is a proxy URL: what is wrong with it is said without its password."""
    if value is None or isinstance(value, bool | Proxies):
        return value
    if isinstance(value, str) and "://" in value:
        value = (value,)
    if isinstance(value, str | Path) and str(value) and "\0" not in str(value):
        return value
    if isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        if not all(isinstance(proxy, str) for proxy in value):
            raise _wrong(field, value)
        return tuple(Egress.through(proxy).proxy_url or "" for proxy in value)
    raise _wrong(field, value)


def check_tor(field: str, value: Any) -> bool | str:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise InputError(f"{field}: expected True, False or a country such as 'de', got {value!r}")
    _check_country(field, value)
    if why := no_country(value.lower()):
        raise InputError(f"{field}: {why}")
    return value.lower()


def _check_country(field: str, value: Any) -> None:
    if not isinstance(value, str) or not _COUNTRY.fullmatch(value):
        raise InputError(f"{field}: expected the two letters of a country, got {value!r}")


def _member(kind: type[ProxyStrategy] | type[Rotation], name: str, value: str) -> str:
    try:
        return kind(value)
    except ValueError:
        raise InputError(
            f"proxies: {name}: expected one of {', '.join(kind)}, got {value!r}"
        ) from None


def _wrong(field: str, value: Any) -> InputError:
    return InputError(
        f"{field}: expected True, a file, a list of proxy URLs, or swather.Proxies(…), "
        f"got {value!r}"
    )
