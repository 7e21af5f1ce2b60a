"""What the methods and functions of a scraper take."""

import inspect
from collections.abc import Callable
from typing import Any

from swather.errors import InputError


def check_signature(name: str, called: Callable[..., Any], *, is_method: bool) -> None:
    given = [None] * (3 if is_method else 2)
    try:
        inspect.signature(called).bind(*given)
    except TypeError as error:
        raise InputError(f"the scraper {name!r} must take (ctx, target): {error}") from error
    except ValueError:
        return


def takes_web(name: str, kind: Any) -> bool:
    """Whether the class has a setup(self, web); it must be written like its scrape()."""
    setup = getattr(kind, "setup", None)
    if setup is None:
        return False
    try:
        signature = inspect.signature(setup)
    except ValueError:
        return False
    bound = isinstance(inspect.getattr_static(kind, "setup"), staticmethod | classmethod)
    if _binds(signature, 0 if bound else 1):
        return False
    if not _binds(signature, 1 if bound else 2):
        raise InputError(f"the setup of scraper {name!r} must take nothing or (web)")
    is_async = inspect.iscoroutinefunction(setup)
    scrape = kind.scrape
    if is_async != (inspect.iscoroutinefunction(scrape) or inspect.isasyncgenfunction(scrape)):
        raise InputError(
            f"setup(web) of scraper {name!r} must be {'plain' if is_async else 'async'}, as its "
            "scrape() is"
        )
    return True


def _binds(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True
