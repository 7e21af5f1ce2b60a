"""Sources by name."""

import sys
from collections.abc import AsyncIterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from swather.builtin.media.sources import registry
from swather.builtin.media.sources.source import Found, Source, SourceFailed, SourceWeb, Wanted
from swather.errors import InputError, LoadError


class Shelf(Source):
    """A source of a user."""

    name = "shelf"
    base_url = "https://shelf.example"

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        page = await web.get(f"{self.base_url}/find", params={"q": wanted.query})
        for address in page.json():
            yield Found(url=address, kind="image", source=self.name)


class Locked(Shelf):
    """One that needs a key."""

    name = "locked"
    key_name = "LOCKED_KEY"


@pytest.fixture(autouse=True)
def _no_source_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_added", {})
    registry._points.cache_clear()
    yield
    registry._points.cache_clear()


def install(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    point = EntryPoint(name=name, value=value, group=registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("openvrse", "openverse"),
        ("google", "google_images"),
        ("bing", "bing_images"),
        ("Wikimedia-Commons", "wikimedia_commons"),
    ],
)
def test_a_mistyped_name_is_told_the_nearest(typed: str, meant: str):
    with pytest.raises(InputError, match=f"no source is named {typed!r}; did you mean {meant!r}"):
        registry.source_named(typed)


def test_a_name_like_no_other_is_told_them_all():
    with pytest.raises(InputError, match="there are openverse, wikimedia_commons, "):
        registry.source_named("zzz")


def test_an_added_source_is_found_by_its_name():
    assert registry.add_source(Shelf) is Shelf
    assert registry.source_named("shelf") is Shelf
    assert "shelf" in registry.names()


def test_what_is_not_a_source_cannot_be_added():
    with pytest.raises(InputError, match="is not a subclass of Source"):
        registry.add_source(dict)


def test_a_source_without_its_key_says_which_variable_holds_it():
    with pytest.raises(SourceFailed, match="LOCKED_KEY") as failed:
        Locked()
    assert failed.value.reason == "no_key"
    assert Locked(key="k").key == "k"


def test_a_base_url_replaces_the_sites_own():
    assert Shelf(base_url="http://127.0.0.1:1/").base_url == "http://127.0.0.1:1"
    assert Shelf().base_url == "https://shelf.example"


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("swather.nowhere:Source", "No module named"),
        ("swather.errors:InputError", "is not a subclass of Source named 'other'"),
    ],
)
def test_an_installed_source_that_is_broken_says_so(
    monkeypatch: pytest.MonkeyPatch, value: str, complaint: str
):
    install(monkeypatch, "other", value)
    with pytest.raises(LoadError, match=complaint):
        registry.source_named("other")


def test_an_installed_source_is_asked_along_with_those_that_ship(
    monkeypatch: pytest.MonkeyPatch,
):
    install(monkeypatch, "shelf", f"{__name__}:Shelf")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    assert registry.source_named("shelf").name == "shelf"
    assert registry.asked_by_default({})[-1] == "shelf"


def test_a_broken_installed_source_is_left_out_and_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    install(monkeypatch, "other", "swather.nowhere:Source")
    monkeypatch.setattr(registry, "_told", set())
    assert "other" not in registry.asked_by_default({})
    assert "other" not in registry.asked_by_default({})
    assert len(caplog.messages) == 1


def test_an_installed_source_cannot_take_the_name_of_one_that_ships(
    monkeypatch: pytest.MonkeyPatch,
):
    install(monkeypatch, "openverse", f"{__name__}:Shelf")
    assert registry.source_named("openverse").__module__.startswith("swather.")


@pytest.mark.parametrize(
    "name",
    ["os", "os:system", "evil", "evil.py", "./evil.py", "..source", "source", "registry", ""],
)
def test_a_name_is_no_path_and_no_module(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "evil.py").write_text("raise SystemExit('loaded')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="no source is named"):
        registry.source_named(name)
