"""Whole crawls of a site with tricky links, compared with what other crawlers find."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import swather
import swather.store
from swather.builtin.pages.scraper import pages
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.testing import Answer, Asked, FakeSite
from tests.builtin.tricky import TrickySite, crawled, page

pytestmark = pytest.mark.slow
UNREACHABLE = {"other host", "not based", "unheard", "in text", "commented", "scripted"}
WGET = shutil.which("wget")
# Where wget errs: it finds links in scripts, follows redirects to other hosts, and saves
# /directory as a file, which it then removes to make room for a folder.
ONLY_WGETS = {"scripted", "other host"}
LOST_BY_WGET = {"directory"}


def mirrored(home: str, folder: Path) -> set[str]:
    """The titles of the pages that wget saves."""
    subprocess.run(
        [WGET or "wget", "--quiet", "--mirror", "--directory-prefix", folder, home],
        check=False,
        timeout=50,
        env={"LC_ALL": "C.UTF-8"},
    )
    texts = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    found = [re.search("<title>(.*?)</title>", text) for text in texts]
    return {title[1] for title in found if title} - ONLY_WGETS | LOST_BY_WGET


def reached(home: str, _folder: Path) -> set[str]:
    """The titles of the pages that our own reference finds."""
    return set(crawled(home))


@pytest.fixture(params=[1, 2, 3])
def site(request: pytest.FixtureRequest) -> Iterator[TrickySite]:
    with TrickySite(request.param) as site:
        yield site


def items_of(home: str, tmp_path: Path, **params: object) -> list[dict[str, object]]:
    done = swather.run(pages, [home], params=params, files_folder=tmp_path, progress=False)
    return list(done)


@pytest.mark.parametrize("other", [reached, *([mirrored] if WGET else [])])
def test_a_crawl_finds_the_pages_that_another_crawler_finds_and_each_once(
    site: TrickySite, tmp_path: Path, other: Callable[[str, Path], set[str]]
):
    wanted = other(site.home, tmp_path / "mirror")
    assert UNREACHABLE.isdisjoint(wanted)
    assert {"home", "elsewhere", "café", "left", "refreshed", "/mesh/0.html 0"} <= wanted
    titles = [item["title"] for item in items_of(site.home, tmp_path, save="none")]
    assert sorted(filter(None, titles)) == sorted(wanted)
    assert site.requests["/unheard.html"] == 0


def test_the_pages_of_a_sitemap_are_crawled_and_nothing_else_at_depth_0(tmp_path: Path):
    with FakeSite({"/": page("home", "<a href=linked>"), "/linked": page("linked")}) as site:
        site.routes["/robots.txt"] = Answer(f"Sitemap: {site.url}/maps/index.xml")
        site.routes["/maps/index.xml"] = (
            f"<sitemapindex><sitemap><loc>{site.url}/maps/1.xml</loc></sitemap></sitemapindex>"
        )
        site.routes["/maps/1.xml"] = (
            f"<urlset><url><loc>{site.url}/listed</loc></url><url><loc>{site.url}/</loc></url>"
            "<url><loc>http://elsewhere.example/</loc></url></urlset>"
        )
        site.routes["/listed"] = page("listed")
        items = items_of(site.url, tmp_path, sitemap=True, max_depth=0)
        assert sorted((item["title"], item["depth"]) for item in items) == [
            ("home", 0),
            ("listed", 0),
        ]
        assert site.requests["/linked"] == 0
        assert site.requests["/sitemap.xml"] == 1


def test_an_index_that_lists_another_one_for_ever_comes_to_an_end(tmp_path: Path):
    with FakeSite({"/": page("home"), "/listed": page("listed")}) as site:

        def index(asked: Asked) -> str:
            number = int(asked.query or 0)
            following = [f"{site.url}/index.xml?{2 * number + more}" for more in (1, 2)]
            return f"<sitemapindex><loc>{'</loc><loc>'.join(following)}</loc></sitemapindex>"

        site.routes["/robots.txt"] = Answer(f"Sitemap: {site.url}/index.xml")
        site.routes["/index.xml"] = index
        site.routes["/sitemap.xml"] = f"{site.url}/listed"
        done = swather.run(
            pages, [site.url], params={"sitemap": True}, files_folder=tmp_path, progress=False,
            limit=50,
        )  # fmt: skip
        assert {item["title"] for item in done} == {"home", "listed"}
        assert site.requests["/index.xml"] == 3


def test_a_page_that_cannot_be_parsed_fails_by_itself(tmp_path: Path):
    neighbours = [f"/{number}" for number in range(10)]
    home = "<a href=/bomb>" + "".join(f"<a href={path}>" for path in neighbours)
    routes = {path: page(path) for path in neighbours}
    with FakeSite({"/": page("home", home), "/bomb": "<div>" * 200_000, **routes}) as site:
        done = swather.run(pages, [site.url], files_folder=tmp_path, progress=False)
        assert sorted(item["title"] for item in done) == [*neighbours, "home"]
        with closing(swather.store.open(done.url)) as store:
            (task,) = store.tasks.find(TaskFilter(run=done.run, states=frozenset({State.FAILED})))
        assert task.reason == "page_too_complex"
        assert "1,000,000 bytes and 200,000 tags takes more than 0.6 s" in task.error
        assert {site.requests[path] for path in ["/bomb", *neighbours]} == {1}


def test_a_page_is_one_task_at_whatever_depth_it_is_found(tmp_path: Path):
    routes = {
        "/": page("home", "<a href=/one><a href=/two>"),
        "/one": page("one", "<a href=/two><a href=/>"),
        "/two": page("two", "<a href=/one><a href=/three>"),
        "/three": page("three", "<a href=/four>"),
        "/four": page("four"),
    }
    with FakeSite(routes) as site:
        items = items_of(site.url, tmp_path, max_depth=2)
        assert sorted((item["title"], item["depth"]) for item in items) == [
            ("home", 0),
            ("one", 1),
            ("three", 2),
            ("two", 1),
        ]
        pages_asked = {path: n for path, n in site.requests.items() if path != "/robots.txt"}
        assert pages_asked == {"/": 1, "/one": 1, "/two": 1, "/three": 1}


def test_a_page_that_may_not_be_followed_is_not_saved_when_a_redirect_leads_there(tmp_path: Path):
    routes = {
        "/": page("home", "<a href=/moved>"),
        "/moved": Answer(status=302, headers={"Location": "/private"}),
        "/private": page("private", "<a href=/behind>"),
        "/behind": page("behind"),
    }
    with FakeSite(routes) as site:
        items = items_of(site.url, tmp_path, exclude=["/private"])
        assert [item["title"] for item in items] == ["home"]
        assert site.requests["/behind"] == 0
