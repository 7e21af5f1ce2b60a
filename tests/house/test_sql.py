"""All SQL of a noun is in one file, of the same name in both stores; none of it is in Python."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from swather.store.queries import Queries

ROOT = Path(__file__).parents[2]
STORE = ROOT / "src" / "swather" / "store"
by_store = pytest.mark.parametrize("kind", ["postgres", "sqlite"])

STATEMENT = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE)\b")
INCLUDE = re.compile(r"^ *-- include: (\w+)$", re.MULTILINE)
NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)

FILTERS = {"postgres/filters.py", "sqlite/filters.py"}
BUILT = {
    "postgres/filters.py": "a filter is a query put together from its conditions",
    "postgres/link.py": "one call of set_config for each setting",
    "postgres/remove.py": "the same statement for each table",
    "postgres/tasks.py": "counts what the query of a filter finds",
    "postgres/transactions.py": "is also shown to whoever has to run it",
    "sqlite/filters.py": "a filter is a query put together from its conditions",
    "sqlite/finish.py": "the same statement for each table",
    "sqlite/remove.py": "the same statement for each table",
    "sqlite/tasks.py": "counts what the query of a filter finds",
    "sqlite/upkeep.py": "the same statement for each table",
    "sqlite/wall_clock.py": "the same statement for each column",
}


def has_sql(strings: Iterable[ast.AST]) -> bool:
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and STATEMENT.search(node.value)
        for node in strings
    )


def plain_strings(tree: ast.Module) -> Iterator[ast.AST]:
    """The strings of a module that are neither docstrings nor put together from parts."""
    others = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    others |= {id(part) for text in built_strings(tree) for part in ast.walk(text)}
    return (node for node in ast.walk(tree) if id(node) not in others)


def built_strings(tree: ast.Module) -> Iterator[ast.JoinedStr]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))


def modules() -> dict[str, ast.Module]:
    return {
        str(module.relative_to(STORE)): ast.parse(module.read_text())
        for module in STORE.rglob("*.py")
    }


def used(kind: str) -> set[str]:
    """What the modules of a store take from `queries`, and what statements include."""
    included = {
        name
        for file in (STORE / kind / "queries").glob("*.sql")
        for name in INCLUDE.findall(file.read_text())
    }
    return included | {
        node.attr
        for module in (STORE / kind).glob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "queries"
    }


def files_of_names(kind: str) -> dict[str, str]:
    return {
        name: file.name
        for file in (STORE / kind / "queries").glob("*.sql")
        for name in NAME.findall(file.read_text())
    }


@pytest.mark.slow
def test_no_statement_is_written_in_python():
    found = {name for name, tree in modules().items() if has_sql(plain_strings(tree))}
    assert found == FILTERS  # their conditions


@pytest.mark.slow
def test_only_modules_with_a_reason_build_statements():
    found = {
        name
        for name, tree in modules().items()
        if any(has_sql(ast.walk(text)) for text in built_strings(tree))
    }
    assert found == BUILT.keys()


@by_store
def test_every_statement_is_used_and_every_one_that_is_used_is_there(kind: str):
    names = set(Queries(f"swather.store.{kind}").names())
    assert len(names) > 100
    assert used(kind) == names


def test_a_statement_is_in_the_same_file_of_both_stores():
    postgres, sqlite = files_of_names("postgres"), files_of_names("sqlite")
    shared = postgres.keys() & sqlite.keys()
    assert len(shared) > 50
    assert {name: postgres[name] for name in shared} == {name: sqlite[name] for name in shared}


@pytest.mark.parametrize("files", ["*.py", "queries/*.sql"])
def test_the_stores_have_files_of_the_same_names_or_the_first_line_says_why(files: str):
    first_lines = {
        file: (file.relative_to(STORE / kind), file.read_text().partition("\n")[0])
        for kind in ("postgres", "sqlite")
        for file in (STORE / kind).glob(files)
    }
    names = Counter(name for name, _ in first_lines.values())
    assert names.total() > 40
    wrong = [
        str(file.relative_to(STORE))
        for file, (name, line) in first_lines.items()
        if (names[name] == 1) != bool(re.search(r"\. No twin: .+\.(\"\"\")?$", line))
    ]
    assert wrong == []


@by_store
def test_the_first_line_of_a_file_says_which_statements_are_there(kind: str):
    first = {
        file.name: file.read_text().partition("\n")[0]
        for file in (STORE / kind / "queries").glob("*.sql")
    }
    assert {name: line for name, line in first.items() if not re.match(r"-- [A-Z]", line)} == {}


def test_the_page_on_the_claim_names_what_there_is():
    page = (ROOT / "docs" / "decisions" / "0005-the-claim-on-postgresql.md").read_text()
    files = [*(STORE / "postgres").rglob("*.py"), *(STORE / "postgres").rglob("*.sql")]
    known = set(re.findall(r"\w+", "\n".join(file.read_text() for file in files)))
    named = set(re.findall(r"`(?:\w+\.)?(\w*_\w+)`", page))
    assert len(named) > 20
    assert named - known == set()
