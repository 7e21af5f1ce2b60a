"""A site file as a scraper: its pages, its lists and where they end."""

import logging

import pytest

from swather.errors import BadTarget, LoadError, Permanent
from swather.scraping import registry
from swather.scraping.code_version import code_version
from swather.scraping.site import load, scraper_of
from swather.scraping.targets import target_of
from swather.testing import run_scraper

URL = "https://shop.example/list"
LIST = 'items = "p"\n[fields]\nname = "b"\n'
NEXT = '[pagination]\nnext = "a.next"\n'


def rows(*names: str, link: str = "") -> str:
    found = "".join(f"<p><b>{name}</b></p>" for name in names)
    return found + (f"<a class=next href='{link}'>next</a>" if link else "")


def scrape(text: str, target, html: str, url: str | None = None):
    asked = url or (target if isinstance(target, str) else target["url"])
    return run_scraper(scraper_of(load(text)), target, pages={asked: html})


def test_the_next_page_is_a_target_of_the_run():
    scraped = scrape(LIST + NEXT, URL, rows("a", "b", link="?page=2"))
    assert scraped.items == [{"name": "a"}, {"name": "b"}]
    [child] = scraped.children
    assert child.value["url"] == child.key == f"{URL}?page=2"
    assert child.value["page"] == 2
    assert child.lane == "shop.example"


def test_a_numbered_list_ends_at_a_page_without_rows():
    paging = '[pagination]\nparameter = "p"\n'
    first = scrape(LIST + paging, f"{URL}?q=x", rows("a"))
    [second] = first.targets
    assert second["url"] == f"{URL}?q=x&p=2"
    scraped = scrape(LIST + paging, second, rows("b"))
    assert [each["url"] for each in scraped.targets] == [f"{URL}?q=x&p=3"]
    last = scrape(LIST + paging, scraped.targets[0], "<h1>Nothing here</h1>")
    assert (last.items, last.targets) == ([], [])


def test_offsets_are_numbers_with_a_step():
    paging = '[pagination]\nparameter = "start"\nfirst = 0\nstep = 20\n'
    scraped = scrape(LIST + paging, URL, rows("a"))
    assert scraped.targets[0]["url"] == f"{URL}?start=20"


def test_a_cursor_goes_into_its_parameter():
    paging = (
        '[pagination]\ncursor = { css = "body", attribute = "data-next" }\n'
        'cursor_parameter = "after"\n'
    )
    html = f"<body data-next='x/y&z'>{rows('a')}</body>"
    scraped = scrape(LIST + paging, URL, html)
    assert scraped.targets[0]["url"] == f"{URL}?after=x%2Fy%26z"
    assert scrape(LIST + paging, URL, rows("a")).targets == []
    again = scrape(LIST + paging, f"{URL}?after=x%2Fy%26z", html)
    assert again.targets == []


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_a_list_that_goes_in_circles_ends(length, caplog):
    """However long the circle is: its pages have other addresses, and begin with the same rows."""
    site = LIST + '[pagination]\nparameter = "page"\n'
    target, seen = {"url": URL}, 0
    with caplog.at_level(logging.DEBUG):
        for number in range(100):
            scraped = scrape(site, target, rows(f"row {number % length}", "other"))
            if not scraped.targets:
                break
            seen += 1
            [target] = scraped.targets
    assert seen <= 4 * length
    assert "goes in circles" in caplog.text
    assert scraped.items == []
    assert scraped.rejected == {"repeated_page": 2}


def test_a_next_link_to_the_same_page_is_not_followed(caplog):
    assert scrape(LIST + NEXT, URL, rows("a", link="#top")).targets == []
    assert "goes in circles" in caplog.text


def test_a_next_link_to_another_host_is_followed_only_if_the_file_says_so(caplog):
    html = rows("a", link="https://evil.example/list")
    assert scrape(LIST + NEXT, URL, html).targets == []
    assert "another host" in caplog.text
    scraped = scrape(LIST + NEXT + "other_hosts = true\n", URL, html)
    assert scraped.targets[0]["url"] == "https://evil.example/list"


def test_a_list_has_as_many_pages_as_the_file_allows(caplog):
    scraped = scrape(LIST + NEXT + "max_pages = 2\n", {"url": URL, "page": 2}, rows("a", link="/3"))
    assert scraped.targets == []
    assert "max_pages" in caplog.text


def test_a_first_page_without_rows_has_another_layout_unless_it_says_that_it_is_empty():
    with pytest.raises(Permanent, match="no row matches") as caught:
        scrape(LIST, URL, "<h1>Welcome</h1>")
    assert caught.value.reason == "layout_changed"
    empty = 'empty = ".none"\n' + LIST
    assert scrape(empty, URL, "<div class=none>No results</div>").items == []


FOLLOW = 'follow = "h3 a"\n[fields]\nname = "h1"\n' + NEXT


def test_links_lead_to_item_pages_and_fields_are_on_those():
    html = "<h3><a href=/1>1</a></h3><h3><a href=/2>2</a><a href=/2#x>2</a></h3>"
    scraped = scrape(FOLLOW, {"url": URL, "city": "Bonn"}, html + rows(link="?p=2"))
    assert scraped.items == []
    items = [each for each in scraped.targets if each.get("item")]
    assert items == [
        {"city": "Bonn", "url": "https://shop.example/1", "item": True},
        {"city": "Bonn", "url": "https://shop.example/2", "item": True},
    ]
    assert [each["url"] for each in scraped.targets if "page" in each] == [f"{URL}?p=2"]
    item = scrape(FOLLOW, items[0], "<h1>One</h1><h3><a href=/9>9</a></h3>")
    assert (item.items, item.targets) == ([{"name": "One"}], [])


def test_a_list_without_links_has_another_layout():
    with pytest.raises(Permanent, match="follow") as caught:
        scrape(FOLLOW, URL, "<p>x</p>")
    assert caught.value.reason == "layout_changed"


TEMPLATE = 'target = "https://d.example/{city}-{state}/{category}"\n'
PLACED = '[options]\nlane = "yp"\npartition = "{state}"\npriority = "{rank}"\n'


def test_a_template_is_filled_with_the_fields_of_a_target():
    scraper = scraper_of(load(TEMPLATE + LIST))
    target = target_of(scraper, {"city": "San José", "state": "CA", "category": "a/b?c#d&e"})
    assert target.key == "https://d.example/San%20Jos%C3%A9-CA/a%2Fb%3Fc%23d%26e"
    assert (target.lane, target.partition) == ("d.example", "")
    whole = target_of(scraper, "https://d.example/elsewhere")
    assert whole.key == "https://d.example/elsewhere"


def test_lane_partition_and_priority_may_come_from_the_target():
    scraper = scraper_of(load(TEMPLATE + LIST + PLACED))
    made = target_of(scraper, {"city": "x", "state": "CA", "category": "y", "rank": 7})
    assert (made.lane, made.partition, made.priority) == ("yp", "CA", 7)


@pytest.mark.parametrize(
    "target",
    [{"city": "x", "state": "CA"}, {"city": "..", "state": "", "category": "y"}, "Bonn", 3],
)
def test_a_target_that_lacks_a_field_is_refused(target):
    with pytest.raises(BadTarget, match=r"needs a value of"):
        target_of(scraper_of(load(TEMPLATE + LIST)), target)


def test_a_site_without_a_template_takes_urls():
    with pytest.raises(BadTarget, match="takes the URLs of pages"):
        target_of(scraper_of(load(LIST)), {"city": "Bonn"})


def test_items_have_their_natural_keys():
    text = 'key = ["name"]\n' + LIST
    scraped = scrape(text, URL, rows("Anna", "ANNA", "Bert"))
    assert [each["name"] for each in scraped.items] == ["Anna", "ANNA", "Bert"]


def test_rows_beyond_100_000_are_cut_and_counted(monkeypatch, caplog):
    monkeypatch.setattr("swather.scraping.site.site.MAX_ROWS", 3)
    scraped = scrape(LIST, URL, rows(*"abcde"))
    assert len(scraped.items) == 3
    assert scraped.rejected == {"too_many_rows": 2}
    assert "5 rows on one page; the first 3 are read" in caplog.text


def test_the_registry_loads_a_site_file_by_its_path_and_under_another_name(tmp_path):
    file = tmp_path / "my shop.toml"
    file.write_text('description = "A shop."\n' + LIST)
    found = registry.load(str(file))
    assert (found.name, found.summary, found.spec) == ("my_shop", "A shop.", str(file))
    other = registry.load(f"other={file}")
    assert other.name == "other"
    assert registry.load(other.spec).name == "other"
    assert registry.absolute("x=shop.toml").startswith("x=/")
    with pytest.raises(LoadError, match="there is no file"):
        registry.load("gone.toml")


def test_the_code_version_of_a_site_is_that_of_its_text(tmp_path):
    file = tmp_path / "shop.toml"
    file.write_text(LIST)
    first = code_version(registry.load(str(file)))
    assert code_version(registry.load(str(file))) == first
    file.write_text(LIST.replace('"b"', '"i"'))
    assert code_version(registry.load(str(file))) != first
