"""A run in a notebook. IPython's display is a fake here that keeps what it is given: a real kernel
needs twenty packages.
"""

import sys
from types import ModuleType
from typing import Any

import pytest

from swather.model.run import Counts
from swather.runs import notebook
from swather.runs.console import PlainConsole
from swather.runs.notebook import NotebookView
from swather.runs.view import view_on
from tests.runs.test_view import snapshot


class Cell:
    """The outputs of a cell, each the latest that it was updated to."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, str]] = []
        self.updates = 0

    def display(self, bundle: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        self.outputs.append(bundle)
        return self

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.updates += 1
        self.outputs[-1] = bundle


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    made, module = Cell(), ModuleType("IPython.display")
    module.display = made.display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return made


def a_view() -> NotebookView:
    view = view_on(PlainConsole(force_jupyter=True))
    assert isinstance(view, NotebookView)
    return view


def counted(completed: int) -> Any:
    return snapshot(counts=Counts(ready=300, completed=completed))


def test_one_output_is_updated_in_place(cell: Cell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(notebook, "_SECONDS_PER_UPDATE", 0.0)
    with a_view() as view:
        for completed in (1, 2, 3):
            view.show(counted(completed))
            (output,) = cell.outputs
            assert f"{completed} of {300 + completed}" in output["text/plain"]
    assert list(output) == ["text/plain"]
    assert "\x1b" not in output["text/plain"]


def test_the_last_state_is_shown_however_quickly_it_came(cell: Cell):
    with a_view() as view:
        for completed in range(100):
            view.show(counted(completed))
        assert cell.updates <= 1
    assert "99 of 399" in cell.outputs[0]["text/plain"]


def test_what_it_says_is_visible_text_without_passwords(
    cell: Cell, capsys: pytest.CaptureFixture[str]
):
    a_view().say("postgresql://me:secret@host/db \x1b[31m")
    said = capsys.readouterr().out
    assert "secret" not in said
    assert "\x1b" not in said
    assert cell.outputs == []


def test_a_run_that_shows_nothing_leaves_no_output(cell: Cell):
    with a_view():
        pass
    assert cell.outputs == []
