import inspect
import re
from pathlib import Path

import pytest
from typer.main import get_group

import swather
from swather import errors
from swather.cli import demo_scraper
from swather.cli.db import group
from swather.model.lease import Strategy
from swather.model.retry import ErrorClass
from swather.model.run import RunState
from swather.model.task import EventKind, EventLevel, State
from swather.net import errors as net_errors
from swather.net.page import Page
from swather.runs.pragma_reasons import REASONS
from swather.scraping.context import Context
from swather.scraping.options import OptionFields
from swather.settings import ALIASES, Settings
from tests.docs import parts, reference
from tests.docs.blocks import PAGES, ROOT, anchors_of, links_of

GUIDE = (ROOT / "docs" / "store.md").read_text()
WORDS = (ROOT / "docs" / "words.md").read_text()


def page_of(name: str) -> str:
    return (reference.FOLDER / f"{name}.md").read_text()


@pytest.mark.slow
def test_the_reference_is_what_the_code_says():
    for path, text in reference.pages().items():
        assert path.read_text() == text, "run: make docs"


def test_no_help_has_what_is_masked_as_a_password():
    assert "***" not in page_of("cli")


def test_what_the_docs_tell_to_make_can_be_made():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    told = {name for page in PAGES for name in re.findall(r"`make ([a-z-]+)", page.read_text())}
    assert {"install", "check"} <= told <= set(targets)


@pytest.mark.slow
def test_every_part_has_its_place():
    text = "".join(path.read_text() for path in reference.pages())
    assert [name for name in reference.PARTS if f"<!-- {name} -->" not in text] == []


@pytest.mark.slow
def test_every_command_and_option_is_in_the_reference():
    page = page_of("cli")
    for words in parts.all_commands():
        assert f"\n## {' '.join(('swather', *words))}\n" in page
        said = parts.help_of(words)
        assert [option for option in re.findall(r"--[a-z-]+", said) if option not in page] == []


def test_every_setting_and_its_other_names_are_in_the_reference():
    page = page_of("settings")
    assert [name for name in Settings.model_fields if f"| `{name}` |" not in page] == []
    others = [other for names in ALIASES.values() for other in names]
    assert [other for other in others if f"`{other}`" not in page] == []


def test_every_option_of_the_decorator_is_in_the_reference():
    page = page_of("scraper")
    assert [name for name in OptionFields.__annotations__ if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize(
    ("kind", "owner", "left_out"),
    [(Context, "ctx", parts.NOT_FOR_SCRAPERS), (Page, "page", parts.NOT_FOR_READERS)],
)
def test_every_member_of_a_context_and_a_page_is_in_the_reference(kind, owner, left_out):
    page = page_of("context")
    names = [name for name in parts.members_of(kind) if name not in left_out]
    assert names
    assert [name for name in names if not re.search(rf"{owner}\.{name}\b", page)] == []


def test_every_public_name_is_in_the_reference():
    page = page_of("python")
    public = [name for name in swather.__all__ if not name.startswith("_")]
    assert [name for name in public if f"`swather.{name}`" not in page] == []


@pytest.mark.parametrize("module", [errors, net_errors])
def test_every_error_is_in_the_reference(module):
    page = page_of("errors")
    names = [name for name, _ in inspect.getmembers(module, inspect.isclass)]
    own = [name for name in names if getattr(module, name).__module__ == module.__name__]
    missing = [name for name in own if f"| `{name}` |" not in page or f"─ {name} " not in page]
    assert missing == (["SwatherError"] if module is errors else [])


@pytest.mark.parametrize("error", [errors.StoreError, *errors.StoreError.__subclasses__()])
def test_every_error_of_the_store_is_in_the_guide(error):
    assert f"`{error.__name__}`" in GUIDE


@pytest.mark.parametrize("name", get_group(group).commands)
def test_every_database_command_is_in_the_guide(name):
    assert f"swather db {name}" in GUIDE


@pytest.mark.parametrize("words", [State, Strategy, ErrorClass, EventKind, EventLevel])
def test_every_word_of_the_model_is_in_the_guide(words):
    assert [word for word in words if f"`{word}`" not in GUIDE] == []


@pytest.mark.parametrize("words", [State, RunState, ErrorClass])
def test_every_state_and_class_is_among_the_words(words):
    assert [word for word in words if f"`{word}`" not in WORDS] == []


def test_the_scraper_of_the_demo_is_shown_as_it_is():
    shown = inspect.getsource(demo_scraper).partition('"""\n\n')[2]
    assert shown in (ROOT / "docs" / "tutorial.md").read_text()


def test_every_setting_with_a_reason_is_one_sentence():
    assert [why for why in REASONS.values() if not why or why.endswith(".") or "\n" in why] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    assert [link for link in links_of(page) if not leads_somewhere(page, link)] == []


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    place = page.parent / path if path else page
    return place.exists() and (not anchor or anchor in anchors_of(place))


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [page.parent / link.partition("#")[0] for link in links_of(page)]
    assert {page.resolve() for page in PAGES} - reached == set()
