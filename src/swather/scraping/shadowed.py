"""Refuses modules beside a scraper that are shadowed by others of the same name."""

import ast
import sys
from importlib.util import find_spec
from pathlib import Path

from swather.errors import LoadError


def refuse_shadowed(file: Path, folder: Path) -> None:
    """LoadError if this file, or one that it imports from the folder, imports a module by the name
    of one in the folder and would get another. Call it when the folder is on the path.
    """
    waiting, seen = [file], {file.stem}
    while waiting:
        importing = waiting.pop()
        for name in _imported_by(importing) - seen:
            seen.add(name)
            if (beside := module_in(folder, name)) is not None:
                refuse_other_than(beside, name, f"{importing.name} imports {name!r}")
                waiting.append(beside)


def refuse_other_than(wanted: Path, name: str, why: str) -> None:
    """LoadError unless importing `name` would give this file."""
    try:
        found = find_spec(name)
    except ValueError:
        return
    origin = (found and found.origin) or ""
    if Path(origin).exists() and wanted.samefile(origin):
        return
    other = "Python's own" if name in sys.stdlib_module_names else f"the one in {origin}"
    raise LoadError(f"{why}, but that is {other} and not {wanted}; rename this file")


def module_in(folder: Path, name: str) -> Path | None:
    """The file of a module or package in a folder."""
    files = (folder / name / "__init__.py", folder / f"{name}.py")
    return next((file for file in files if file.is_file()), None)


def _imported_by(file: Path) -> set[str]:
    """The top-level names of all modules that a file imports anywhere."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        # The import itself reports it better.
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}
