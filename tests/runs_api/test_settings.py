"""swather.run heeds the settings that `swather run` does; what it is given itself goes first."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import swather
import swather.store
from swather import scraper
from swather.errors import BadSetting
from swather.model.run import Run
from swather.testing import FakeSite
from swather.testing.site import Asked

pytestmark = pytest.mark.slow


class Site(FakeSite):
    """A page, and as whom its visitors introduced themselves, also to robots.txt."""

    def __init__(self) -> None:
        super().__init__({"/": self._page, "/robots.txt": self._page})
        self.agents: set[str] = set()

    def _page(self, asked: Asked) -> str:
        self.agents.add(asked.headers["user-agent"])
        return ""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as served:
        yield served


@scraper(allow_private=True)
async def visits(ctx, url):
    page = await ctx.get(url)
    return {"status": page.status}


@scraper(user_agent="decorated/1")
async def decorated(ctx, url):
    await ctx.get(url)


@scraper(user_agent="decorated/1", isolation="process")
async def decorated_in_child(ctx, url):
    await ctx.get(url)


@scraper
async def tells(ctx, target):
    return ctx.params


def keep(url: str, name: str, value: object) -> None:
    store = swather.store.open(url)
    try:
        store.settings.set(name, value)
    finally:
        store.close()


def run_of(result: swather.RunResult) -> Run:
    store = swather.store.open(result.url)
    try:
        return store.runs.get(result.run)
    finally:
        store.close()


def test_the_environment_names_the_user_agent(
    site: Site, url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SWATHER_USER_AGENT", "shopbot/2")
    assert swather.run(visits, [site.url], db=url, progress=False).completed == 1
    assert site.agents == {"shopbot/2"}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("swather.toml", 'user_agent = "tomlbot/1"'),
        ("pyproject.toml", '[tool.swather]\nuser_agent = "tomlbot/1"'),
        (".env", "SWATHER_USER_AGENT=tomlbot/1"),
    ],
)
def test_a_file_names_the_user_agent(site: Site, file: str, text: str):
    Path(file).write_text(text)
    assert swather.run(visits, [site.url], progress=False).completed == 1
    assert site.agents == {"tomlbot/1"}


def test_the_settings_row_names_the_user_agent_before_a_file_does(site: Site, url: str):
    Path("swather.toml").write_text('user_agent = "tomlbot/1"')
    keep(url, "user_agent", "rowbot/1")
    assert swather.run(visits, [site.url], db=url, progress=False).completed == 1
    assert site.agents == {"rowbot/1"}


@pytest.mark.parametrize("in_child", [False, True])
def test_the_decorator_names_the_user_agent_of_pages_and_robots_txt_unless_a_setting_does(
    site: Site, url: str, monkeypatch: pytest.MonkeyPatch, in_child: bool
):
    named = decorated_in_child if in_child else decorated
    assert swather.run(named, [site.url], db=url, progress=False).completed == 1
    assert site.agents == {"decorated/1"}
    site.agents.clear()
    monkeypatch.setenv("SWATHER_USER_AGENT", "shopbot/2")
    assert swather.run(named, [site.url], db=url, progress=False, new=True).completed == 1
    assert site.agents == {"shopbot/2"}


def test_settings_go_before_the_decorator(url: str, monkeypatch: pytest.MonkeyPatch):
    attempts = []

    @scraper(rate="3/s", in_flight=2, retries=5)
    async def fails(ctx, target):
        attempts.append(target)
        raise OSError("no")

    monkeypatch.setenv("SWATHER_RATE", "100/s")
    monkeypatch.setenv("SWATHER_RETRIES", "0")
    keep(url, "in_flight", 7)
    limits = run_of(swather.run(fails, ["a"], db=url, progress=False)).lane_limits
    assert (limits.every_seconds, limits.in_flight) == (0.01, 7)
    assert attempts == ["a"]


def test_the_default_rate_is_a_setting_too(url: str):
    Path("swather.toml").write_text('default_rate = "50/s"')
    result = swather.run(tells, ["a"], db=url, progress=False)
    assert run_of(result).lane_limits.every_seconds == 0.02


def test_an_argument_goes_before_the_settings(url: str, monkeypatch: pytest.MonkeyPatch):
    together: list[int] = []
    running: set[str] = set()

    @scraper
    async def counts(ctx, target):
        running.add(target)
        together.append(len(running))
        await ctx.sleep(0.05)
        running.discard(target)
        await ctx.save(b"x", name=f"{target}.txt")

    monkeypatch.setenv("SWATHER_CONCURRENCY", "1")
    monkeypatch.setenv("SWATHER_FILES_FOLDER", "set")
    swather.run(counts, list("abcd"), db=url, progress=False)
    assert max(together) == 1
    assert len(list(Path("set").rglob("*.txt"))) == 4
    swather.run(
        counts, list("abcd"), db=url, concurrency=4, files_folder="given", new=True, progress=False
    )
    assert max(together) > 1
    assert len(list(Path("given").rglob("*.txt"))) == 4


def test_params_of_the_file_are_under_those_of_the_call(url: str):
    Path("swather.toml").write_text("[params.tells]\npages = 3\ncountry = 'nl'\n")
    result = swather.run(tells, ["a"], db=url, params={"country": "be"}, progress=False)
    assert list(result) == [{"pages": 3, "country": "be"}]


def test_params_of_the_file_are_of_the_declared_type(url: str):
    @dataclass
    class Params:
        pages: int
        country: str = "de"

    @scraper(name="tells", params=Params)
    async def typed(ctx, target):
        return {"pages": ctx.params.pages, "country": ctx.params.country}

    Path("swather.toml").write_text("[params.tells]\npages = '3'\n")
    assert list(swather.run(typed, ["a"], db=url, progress=False)) == [
        {"pages": 3, "country": "de"}
    ]


def test_a_database_that_a_setting_names_is_used(url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_DB", url)
    first = swather.run(tells, ["a"], progress=False)
    assert first.url == url
    assert swather.run(tells, ["a"], progress=False).run == first.run
    assert swather.run(tells, ["a"], db="sqlite:///other.db", progress=False).url != url


def test_a_setting_that_is_wrong_is_told_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_CONCURRENCY", "many")
    with pytest.raises(BadSetting, match="SWATHER_CONCURRENCY"):
        swather.run(tells, ["a"], progress=False)
    assert list(Path().iterdir()) == []
