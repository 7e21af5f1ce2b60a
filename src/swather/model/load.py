"""A load: one set of targets on its way into a run."""

import secrets

import msgspec


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """`source` is the same for two commands that name the same targets, `content` for as long as
    these are unchanged. `name` is for people to read.

    Loading the same source again replaces an earlier load of it; loading the same content again
    cannot make a complete load incomplete.
    """

    source: str
    content: str
    name: str


def unrepeatable(source: str, name: str) -> Load:
    """A load whose targets can be read only once: a pipe, a generator."""
    return Load(source=source, content=secrets.token_hex(8), name=name)
