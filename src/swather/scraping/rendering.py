"""What a user says of a browser: the arguments of browser() and render(), checked."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from swather.errors import InputError
from swather.net.page import Page
from swather.net.request import Request

WaitUntil = Literal["load", "domcontentloaded", "networkidle"]
# A path of a file that Playwright or `page.storage_state()` has written, or what it holds.
StorageState = str | Path | Mapping[str, Any] | None

# Stands for the first page of a visit whose target has no URL; there is no such host.
NOWHERE: Final = "http://nowhere.invalid/"
BLOCKABLE: Final = ("images", "fonts", "media", "stylesheets")


class Browsing(msgspec.Struct, frozen=True, kw_only=True):
    """How to visit a site. `request` is that of its first page, as far as it is known: its egress,
    session and headers are those of all requests of the visit.
    `block` are the kinds of resources that are not loaded; as the setting says if None.
    """

    request: Request
    block: tuple[str, ...] | None = None
    storage_state: dict[str, Any] | None = None


class Rendering(msgspec.Struct, frozen=True, kw_only=True):
    """A page to render, and when it is complete: at an event, once nothing was requested for a
    moment or so many seconds are over, once an element is there, and after so many scrolls.
    """

    browsing: Browsing
    wait_for: str | None = None
    wait_until: WaitUntil = "load"
    scroll: int = 0
    settle_seconds: float = 0.0
    with_screenshot: bool = False


class Rendered(msgspec.Struct, frozen=True):
    """A page after its scripts have run, and what it looks like, if that was asked for."""

    page: Page
    screenshot: bytes = b""


def browsing_of(
    request: Request, *, block: Collection[str] | None, storage_state: StorageState
) -> Browsing:
    return Browsing(request=request, block=_blocked(block), storage_state=_state_of(storage_state))


def rendering_of(
    browsing: Browsing,
    *,
    wait_for: Any,
    wait_until: Any,
    scroll: Any,
    screenshot: Any,
) -> Rendering:
    if wait_until not in get_args(WaitUntil):
        known = ", ".join(map(repr, get_args(WaitUntil)))
        raise InputError(f"wait_until: expected one of {known}, got {wait_until!r}")
    if not isinstance(wait_for, str | None) or (wait_for is not None and not wait_for.strip()):
        raise InputError(f"wait_for: expected a selector such as 'article h1', got {wait_for!r}")
    if type(scroll) is not int or scroll < 0:
        raise InputError(f"scroll: expected how often to scroll to the end, got {scroll!r}")
    if not isinstance(screenshot, str | None) or screenshot == "":
        raise InputError(f"screenshot: expected the name of a file, got {screenshot!r}")
    return Rendering(
        browsing=browsing,
        wait_for=wait_for,
        wait_until=wait_until,
        scroll=scroll,
        with_screenshot=screenshot is not None,
    )


def _blocked(block: Collection[str] | None) -> tuple[str, ...] | None:
    if block is None:
        return None
    if isinstance(block, str):
        block = [block]
    for kind in block:
        if kind not in BLOCKABLE:
            raise InputError(f"block: expected some of {', '.join(BLOCKABLE)}, got {kind!r}")
    return tuple(sorted(set(block)))


def _state_of(given: StorageState) -> dict[str, Any] | None:
    """Its content is never shown: whoever has it is logged in."""
    if given is None:
        return None
    found: Any = given
    if isinstance(given, str | Path):
        try:
            found = json.loads(Path(given).read_bytes())
        except OSError as error:
            raise InputError(
                f"storage_state: {str(given)!r} cannot be read: {error.strerror}"
            ) from error
        except ValueError:
            raise InputError(f"storage_state: {str(given)!r} is not JSON") from None
    if not isinstance(found, Mapping) or not found.keys() <= {"cookies", "origins"}:
        raise InputError(
            "storage_state: expected what page.storage_state() returns, an object with 'cookies' "
            "and 'origins', or the path of a file that holds it"
        )
    return dict(found)
