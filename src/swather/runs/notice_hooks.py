"""Hooks: which notices this process tells to whom, from its own settings only."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

from swather import posix
from swather.errors import BadSetting
from swather.model.notice import TROUBLE, Notice, NoticeKind, Subscription
from swather.runs.command_hook import CommandHook
from swather.runs.webhook import Webhook
from swather.scraping.registered import Registered
from swather.settings_sources import DOTENV, PYPROJECT, TOML, Resolved

_WANTED: Final = {
    "on_end": frozenset({NoticeKind.RUN_ENDED}),
    "on_trouble": TROUBLE,
    "webhook": frozenset(NoticeKind),
}
_FILES: Final = (TOML, PYPROJECT)
_MAX_WORDS: Final = 100


class Hook(Protocol):
    """Takes notices. `deliver` raises HookFailed; it takes no longer than `timeout_seconds`."""

    subscription: Subscription
    timeout_seconds: float

    def deliver(self, notice: Notice) -> None: ...
    def cut_off(self) -> None:
        """From another thread, when this process ends: leave nothing of a delivery behind."""
        ...


def hooks_of(resolved: Resolved, known: Mapping[str, Registered], folder: Path) -> list[Hook]:
    """Those of the settings, and those of registered scrapers, which take their place for these.
    What an option or the environment names is for all scrapers.
    """
    hooks: list[Hook] = []
    for field, kinds in _WANTED.items():
        general = getattr(resolved.settings, field)
        origin = resolved.origin(field)
        is_from_file = general is None or origin in _FILES
        own = {name: each.hooks[field] for name, each in known.items() if field in each.hooks}
        if not is_from_file:
            own = {}
        if general is not None:
            _check_origin(field, origin, folder)
            wanted = _subscription(field, general, kinds, frozenset(own), all_others=True)
            hooks.append(_hook(wanted, field, general, resolved, None, folder))
        for name, value in own.items():
            wanted = _subscription(field, value, kinds, frozenset({name}), all_others=False)
            hooks.append(_hook(wanted, field, value, resolved, known[name], folder))
    return hooks


def _subscription(
    field: str,
    value: str,
    kinds: frozenset[NoticeKind],
    scrapers: frozenset[str],
    *,
    all_others: bool,
) -> Subscription:
    is_webhook = field == "webhook"
    kind = "webhook" if is_webhook else "command"
    # Of an address its host, of a command its program: all else may hold a key.
    told = urlsplit(value).netloc.rpartition("@")[2] if is_webhook else _program(value)
    return Subscription(
        key=f"{kind} {sha256(value.encode()).hexdigest()[:32]}",
        words=f"{kind} {told}"[:_MAX_WORDS],
        kinds=kinds,
        scrapers=scrapers,
        all_others=all_others,
    )


def _program(command: str) -> str:
    named = [word for word in command.split() if "=" not in word]
    return Path(named[0]).name if named else "sh"


def _hook(
    wanted: Subscription,
    field: str,
    value: str,
    resolved: Resolved,
    scraper: Registered | None,
    folder: Path,
) -> Hook:
    settings = resolved.settings
    if field != "webhook":
        return CommandHook(wanted, value, folder, settings.hook_timeout)
    own = None if scraper is None else scraper.hooks.get("webhook_secret")
    return Webhook(wanted, value, own or settings.webhook_secret, settings.hook_timeout)


def _check_origin(field: str, origin: str, folder: Path) -> None:
    """A file that somebody else could have written names no command and no address."""
    name = origin.partition(" ")[0]
    if name not in (*_FILES, DOTENV):
        return
    file = folder / name
    if file.exists() and (why := posix.writable_by_others(file)) is not None:
        raise BadSetting(
            f"{file} {why}, so it may not set {field}; make it yours and writable only by you, or "
            f"remove {field} from it"
        )
