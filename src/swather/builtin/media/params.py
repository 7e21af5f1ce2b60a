"""What can be asked of `media`: which sources, which files, and how long each may take."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, NamedTuple

from swather.builtin.media.sources import registry
from swather.builtin.media.sources.source import Kind, Licence
from swather.errors import InputError
from swather.model.duration import parse_duration
from swather.net.request import is_http
from swather.scraping.params import Variable

_KINDS: Final[Mapping[str, frozenset[Kind]]] = {
    "image": frozenset({"image"}),
    "video": frozenset({"video"}),
    "both": frozenset({"image", "video"}),
}
_LONGEST_SECONDS: Final = 3_600.0
_MOST_RETRIES: Final = 100
_SAME_TYPES: Final = {"jpg": "jpeg", "tif": "tiff", "ogv": "ogg"}


class Limits(NamedTuple):
    """How long one source may take, and how often it may be asked again."""

    source_seconds: float
    request_seconds: float
    file_seconds: float
    retries: int


class _Preset(NamedTuple):
    max_concurrent_sources: int
    limits: Limits


_PRESETS: Final = {
    "normal": _Preset(5, Limits(30.0, 10.0, 15.0, 2)),
    "fast": _Preset(10, Limits(15.0, 5.0, 15.0, 2)),
    "slow": _Preset(3, Limits(60.0, 20.0, 30.0, 5)),
}


@dataclass(frozen=True, kw_only=True)
class Params:
    """Times and retries are one number for all sources, or `source=number` for one of them, or both
    in one text: '30,flickr=60'.
    """

    sources: Annotated[
        tuple[str, ...],
        "Ask this source; without it, all that are not experimental and need no key or have one.",
    ] = ()
    per_source: Annotated[int, "Download at most N files from each source."] = 10
    kind: Annotated[Literal["image", "video", "both"], "What to look for."] = "image"
    min_width: Annotated[int, "Keep only files that are at least N pixels wide."] = 0
    min_height: Annotated[int, "Keep only files that are at least N pixels high."] = 0
    types: Annotated[tuple[str, ...], "Keep only files of this type: jpeg, png, webm …"] = ()
    licence: Annotated[Licence, "Ask only for files that may be used so."] = "any"
    network: Annotated[
        Literal["fast", "normal", "slow"],
        "Sources at once, times and retries for such a network; a value that is set comes first.",
    ] = "normal"
    max_concurrent_sources: Annotated[
        int | None, "Ask N sources at once; 5 unless set.", Variable("MAX_CONCURRENT_SOURCES")
    ] = None
    source_timeout: Annotated[
        tuple[str, ...],
        "Seconds for a source in all, its retries included; 30 unless set.",
        Variable("SOURCE_TIMEOUT"),
    ] = ()
    request_timeout: Annotated[
        tuple[str, ...], "Seconds for a request; 10 unless set.", Variable("REQUEST_TIMEOUT")
    ] = ()
    file_timeout: Annotated[
        tuple[str, ...], "Seconds for a file; 15 unless set.", Variable("FILE_TIMEOUT")
    ] = ()
    max_retries_per_source: Annotated[
        tuple[str, ...],
        "How often requests of a source are repeated in all; 2 unless set.",
        Variable("MAX_RETRIES_PER_SOURCE"),
    ] = ()
    max_file_bytes: Annotated[int, "Skip files with more bytes."] = 100 << 20
    cache: Annotated[
        str, "Do not ask a source again that answered the same query within 1h, 1d …"
    ] = ""
    duplicates: Annotated[
        Literal["skip", "keep"], "What to do with a file that was downloaded before."
    ] = "skip"
    source_url: Annotated[
        dict[str, str], "Where a source is, instead of its own site: openverse=http://…"
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = _listed(self.sources)
        for name in (*names, *self.source_url):
            registry.source_named(name)
        for name, url in self.source_url.items():
            if not is_http(url):
                raise ValueError(f"'source_url': expected {name}=http://…, got {url!r}")
        for name in ("per_source", "max_file_bytes", "max_concurrent_sources"):
            _check_least(name, getattr(self, name), 1)
        for name in ("min_width", "min_height"):
            _check_least(name, getattr(self, name), 0)
        if self.cache and parse_duration(self.cache) is None:
            raise ValueError(f"'cache': expected a time such as 1h or 1d, got {self.cache!r}")
        for name in ("source_timeout", "request_timeout", "file_timeout"):
            self._seconds(name)
        _Amounts("max_retries_per_source", self.max_retries_per_source, _MOST_RETRIES)

    @property
    def named_sources(self) -> tuple[str, ...]:
        """Those that were asked for by name."""
        return tuple(dict.fromkeys(_listed(self.sources)))

    @property
    def kinds(self) -> frozenset[Kind]:
        return _KINDS[self.kind]

    @property
    def wanted_types(self) -> frozenset[str]:
        return frozenset(
            _SAME_TYPES.get(each, each) for each in map(str.lower, _listed(self.types))
        )

    @property
    def at_once(self) -> int:
        """How many sources are asked at the same time."""
        return self.max_concurrent_sources or _PRESETS[self.network].max_concurrent_sources

    @property
    def cache_seconds(self) -> float:
        """How old a result may be that is used again; 0 for none."""
        return parse_duration(self.cache) or 0.0 if self.cache else 0.0

    def limits_of(self, source: str) -> Limits:
        preset = _PRESETS[self.network].limits
        retries = _Amounts("max_retries_per_source", self.max_retries_per_source, _MOST_RETRIES)
        return Limits(
            self._seconds("source_timeout").of(source, preset.source_seconds),
            self._seconds("request_timeout").of(source, preset.request_seconds),
            self._seconds("file_timeout").of(source, preset.file_seconds),
            int(retries.of(source, preset.retries)),
        )

    def _seconds(self, name: str) -> "_Amounts":
        return _Amounts(name, getattr(self, name), _LONGEST_SECONDS, above=0.0)


class _Amounts:
    """A number for all sources, and others for some: ('30', 'flickr=60')."""

    def __init__(
        self, option: str, texts: Iterable[str], most: float, above: float | None = None
    ) -> None:
        self._of_all: float | None = None
        self._of_one: dict[str, float] = {}
        for text in _listed(texts):
            name, equals, amount = text.rpartition("=")
            try:
                number = float(amount)
            except ValueError:
                number = -1.0
            if not (0.0 <= number <= most) or number == above:
                raise ValueError(
                    f"{option!r}: expected a number up to {most:g}, or one for a source such as "
                    f"flickr=20, got {text!r}"
                )
            if equals:
                registry.source_named(name.strip())
                self._of_one[name.strip()] = number
            else:
                self._of_all = number

    def of(self, source: str, otherwise: float) -> float:
        known = self._of_one.get(source, self._of_all)
        return otherwise if known is None else known


def _listed(texts: Iterable[str]) -> list[str]:
    """Each of the texts, which may be lists with commas."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _check_least(name: str, value: int | None, least: int) -> None:
    if value is not None and value < least:
        raise InputError(f"{name!r}: expected {least} or more, got {value}")
