"""SQL from files: the statements of a noun in one file, each under its `-- name:`."""

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

_MARK: Final = "\n-- name: "
_NAME: Final = re.compile("[a-z][a-z0-9_]*")
_INCLUDE: Final = re.compile(r"^([ \t]*)-- include: ([a-z][a-z0-9_]*)$", re.MULTILINE)
_MEANT_AS_MARK: Final = re.compile(r"--[ \t]*name[ \t]*:.*")
_MEANT_AS_INCLUDE: Final = re.compile(r"--[ \t]*include[ \t]*:.*")


class Queries:
    """`queries.lock_heads` is the statement of that name in `queries/*.sql` of the given package.

    A statement has the comment that stands under its name, and ends with a newline. What precedes
    the first name of a file is a comment on the file. A line `-- include: limits_on_lane` is
    replaced by the statement of that name, without its comments.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._texts: dict[str, str] = {}
        for entry in sorted((files(package) / "queries").iterdir(), key=lambda entry: entry.name):
            if entry.name.endswith(".sql"):
                self._add(entry.name, entry.read_text(encoding="utf-8"))
        self._texts = {name: self._whole(name) for name in self._texts}
        vars(self).update(self._texts)

    def __getattr__(self, name: str) -> str:
        raise AttributeError(f"no statement of {self._package} is named {name!r}")

    def names(self) -> list[str]:
        return sorted(self._texts)

    def _add(self, file: str, text: str) -> None:
        for name, sql in _statements(file, text):
            if name in self._texts:
                raise ValueError(f"{file}: a second statement named {name!r}")
            if hasattr(type(self), name):
                raise ValueError(f"{file}: no statement can be named {name!r}")
            self._texts[name] = sql

    def _whole(self, name: str) -> str:
        """A statement with all that it includes."""
        sql = self._texts[name]
        if "include" not in sql:
            return sql
        sql = _INCLUDE.sub(lambda line: self._included(line[2], line[1]), sql)
        stray = _MEANT_AS_INCLUDE.search(sql)
        if stray:
            raise ValueError(f"statement {name!r}: cannot read {stray[0]!r}")
        return sql

    def _included(self, name: str, indent: str) -> str:
        if name not in self._texts:
            raise ValueError(f"there is no statement {name!r} to include")
        lines = self._texts[name].splitlines()
        if any(_INCLUDE.match(line) for line in lines):
            raise ValueError(f"{name!r} is included, and cannot include others")
        return "\n".join(indent + line for line in lines if not line.lstrip().startswith("--"))


def _statements(file: str, text: str) -> Iterator[tuple[str, str]]:
    before, *parts = f"\n{text}".split(_MARK)
    early = _first_line_of_sql(before)
    if early:
        raise ValueError(f"{file}: {early!r} comes before the first name")
    if not parts:
        raise ValueError(f"{file}: there is no statement")
    for part in parts:
        name, _, sql = part.partition("\n")
        stray = _MEANT_AS_MARK.search(sql)
        if stray or not _NAME.fullmatch(name):
            unclear = stray[0] if stray else f"-- name: {name}"
            raise ValueError(f"{file}: cannot read {unclear!r}; write '-- name: lock_heads'")
        if not _first_line_of_sql(sql):
            raise ValueError(f"{file}: statement {name!r} is empty")
        yield name, sql.rstrip() + "\n"


def _first_line_of_sql(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith("--")), "")
