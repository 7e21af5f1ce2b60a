"""Which videos earlier runs have done: `--known skip` leaves them out."""

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

import msgspec

from swather.builtin.subtitles.targets import key_of
from swather.errors import Permanent, SwatherError

if TYPE_CHECKING:
    from swather.builtin.subtitles.params import Params
    from swather.scraping.blocking import SyncContext

# Why a video has no files; it may have some later.
_REASONS: Final = frozenset(
    {"no_subtitles", "private", "unavailable", "members_only", "age_restricted", "geo_blocked",
     "drm", "payment_required", "login_required"}
)  # fmt: skip
_MAX_KEY: Final = 100
_ASK_AGAIN_SECONDS: Final = 7 * 86_400.0


class End(msgspec.Struct, frozen=True):
    """How a run was done with a video: with files, or for a `reason`."""

    run: int
    reason: str = ""


class Known:
    """What runs have done for the same folder, languages, formats and names."""

    def __init__(self, ctx: "SyncContext") -> None:
        params: Params = ctx.params
        wanted = (
            ctx.run.files_folder, params.lang, params.every_lang, params.automatic, params.format,
            params.name, params.metadata,
        )  # fmt: skip
        self._ctx = ctx
        self._skips = params.known == "skip"
        self._prefix = hashlib.sha256(msgspec.json.encode(wanted)).hexdigest()[:16]

    def among(self, targets: Collection[dict[str, str]]) -> list[dict[str, str]]:
        """Those that an earlier run has done: that have files, or had none a few days ago.

        What this run has done is not among them: it is a target of this run, and found again it is
        the same one.
        """
        if not self._skips:
            return []
        keys = {self._key(target): target for target in targets}
        ends = self._recalled(keys)
        lately = self._recalled(keys, max_age=_ASK_AGAIN_SECONDS)
        return [
            target for key, target in keys.items()
            if key in ends and (not ends[key].reason or key in lately)
        ]  # fmt: skip

    def has_files_of(self, target: Any) -> bool:
        """Whether an earlier run saved files of the target."""
        key = self._key(target)
        ends = self._recalled([key]) if self._skips else {}
        return key in ends and not ends[key].reason

    def note(self, target: Any) -> None:
        """Its files are committed with what is noted."""
        self._remember(target, None)

    def note_end(self, target: Any, ending: SwatherError) -> None:
        """If it says that the video has no subtitles for us, commit that: the target will fail."""
        reason = ending.reason if isinstance(ending, Permanent) else None
        if reason in _REASONS:
            self._remember(target, reason)
            self._ctx.checkpoint(self._ctx.cursor)

    def _remember(self, target: Any, reason: str | None) -> None:
        end = End(self._ctx.run.id, reason or "")
        self._ctx.remember(self._key(target), msgspec.to_builtins(end))

    def _recalled(self, keys: Collection[str], max_age: float | None = None) -> dict[str, End]:
        """Of other runs."""
        found = self._ctx.recall(keys, max_age=max_age)
        ends = {key: msgspec.convert(value, End) for key, value in found.items()}
        return {key: end for key, end in ends.items() if end.run != self._ctx.run.id}

    def _key(self, target: Any) -> str:
        """The key of a target may be as long as a URL, that of a memory may not."""
        key = key_of(target)
        if len(key) > _MAX_KEY:
            key = hashlib.sha256(key.encode()).hexdigest()
        return f"{self._prefix} {key}"
