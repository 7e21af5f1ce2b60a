"""Lists: all of their pages are read, and those that never end are ended."""

import logging

import pytest

from swather.errors import Permanent
from swather.net.page import Page
from swather.scraping.site import Step, load, scraper_of
from swather.testing import run_scraper
from tests.scraping.site.test_scraper import LIST, NEXT, URL, rows, scrape

NUMBERED = '[pagination]\nparameter = "page"\n'


def scraped_pages(text: str, pages: list[str], most: int = 40) -> list[dict[str, object]]:
    """The items of a numbered list, page after page, until it ends; the last one is shown for all
    further numbers.
    """
    target, items = {"url": URL}, []
    for number in range(most):
        found = scrape(text, target, pages[min(number, len(pages) - 1)])
        items += found.items
        if not found.targets:
            return items
        [target] = found.targets
    raise AssertionError("the list does not end")


HEAD = "<tr><th>Name</th><th>Price</th></tr>"


def test_a_head_that_every_page_repeats_does_not_end_a_list():
    text = 'items = "tr"\nrequired = ["name"]\n[fields]\nname = "td"\n' + NUMBERED
    pages = [
        f"<table>{HEAD}{''.join(f'<tr><td>p{page}-{n}</td></tr>' for n in range(4))}</table>"
        for page in range(4)
    ]
    items = scraped_pages(text, pages)
    assert [item["name"] for item in items] == [
        f"p{page}-{n}" for page in range(4) for n in range(4)
    ]


@pytest.mark.parametrize("pinned", [["Sponsored"], ["Sponsored", "Sponsored, too"]])
@pytest.mark.parametrize("key", ['key = ["name"]\n', ""])
def test_rows_that_every_page_begins_with_do_not_end_a_list(pinned: list[str], key: str):
    pages = [rows(*pinned, f"a{page}", f"b{page}") for page in range(5)]
    items = scraped_pages(key + LIST + NUMBERED, pages)
    assert {f"{letter}{page}" for page in range(5) for letter in "ab"} < {i["name"] for i in items}


def test_a_page_whose_rows_were_only_reordered_is_a_repeated_one():
    target = scrape(LIST + NUMBERED, URL, rows("a", "b", "c")).targets[0]
    again = scrape(LIST + NUMBERED, target, rows("c", "a", "b"))
    assert (again.items, again.targets, again.rejected) == ([], [], {"repeated_page": 3})


def test_pages_of_which_all_rows_are_rejected_are_told_apart_by_those():
    text = 'required = ["gone"]\n' + LIST + 'gone = "i"\n' + NUMBERED
    second = scrape(text, URL, rows("a", "b")).targets[0]
    third = scrape(text, second, rows("c", "d"))
    assert [each["page"] for each in third.targets] == [3]
    assert scrape(text, third.targets[0], rows("c", "d")).rejected == {"repeated_page": 2}


def test_what_is_remembered_of_pages_has_a_bound():
    step = Step(url=URL)
    for number in range(1, 1_000):
        step = Step(url=URL, number=number, seen=step.seen).with_seen("\n".join("x" * number))
    assert len(step.seen) == 3
    assert all(len(mark) == 16 for mark in step.seen)


def test_links_that_every_page_begins_with_do_not_end_a_list():
    text = 'follow = "a.i"\n[fields]\nname = "h1"\n' + NUMBERED

    def page(*links: str) -> str:
        return "".join(f"<a class=i href=/{link}>x</a>" for link in links)

    second = scrape(text, URL, page("top", "1", "2")).targets[-1]
    third = scrape(text, second, page("top", "3", "4"))
    assert [each["url"][-2:] for each in third.targets] == ["op", "/3", "/4", "=3"]
    assert scrape(text, third.targets[-1], page("4", "top", "3")).targets == []


def test_a_numbered_list_of_links_ends_at_a_page_without_links():
    text = 'follow = "a.i"\n[fields]\nname = "h1"\n' + NUMBERED
    second = scrape(text, URL, "<a class=i href=/1>x</a>").targets[-1]
    last = scrape(text, second, "<p>nothing</p>")
    assert (last.items, last.targets) == ([], [])


@pytest.mark.parametrize(
    ("paging", "asked", "following"),
    [
        ("", "?page=3", "?page=4"),
        ("", "?page=3&q=x", "?q=x&page=4"),
        ("", "?page=", "?page=2"),
        ("first = 0\nstep = 20\n", "?page=40", "?page=60"),
        ("", "?q=caf%E9&page=2", "?q=caf%E9&page=3"),
    ],
)
def test_a_page_number_goes_on_from_that_of_the_url(paging: str, asked: str, following: str):
    [target] = scrape(LIST + NUMBERED + paging, URL + asked, rows("a")).targets
    assert target["url"] == URL + following


def test_a_page_number_that_is_none_ends_a_list_and_says_so(caplog):
    assert scrape(LIST + NUMBERED, f"{URL}?page=two", rows("a")).targets == []
    assert "'page' in https://shop.example/list?page=two is no number of a page" in caplog.text


@pytest.mark.parametrize(
    "paging",
    [NUMBERED, '[pagination]\ncursor = "u"\ncursor_parameter = "after"\n'],
)
def test_a_list_goes_on_where_it_was_asked_for_although_another_host_answers(paging: str):
    site = load(LIST + paging)
    page = Page(url="https://www.shop.example/list", content=b"<p><b>a</b></p><u>x</u>")
    step = site.next_page(page, Step(url=URL))
    assert step is not None
    assert (step.why, step.url.partition("?")[0]) == ("", URL)


def test_the_end_of_a_circle_is_in_the_log(caplog):
    caplog.set_level(logging.INFO)
    target = scrape(LIST + NUMBERED, URL, rows("a")).targets[0]
    scrape(LIST + NUMBERED, target, rows("a"))
    assert "page 2 has the rows of an earlier one; it ends here" in caplog.text


LOCAL = """items = [{ json_ld = "LocalBusiness" }, "p"]
[fields]
name = [{ json_ld = "name" }, "b"]
"""


def businesses(*types: str) -> str:
    data = ",".join(f'{{"@type":"{each}","name":"{each} {n}"}}' for n, each in enumerate(types))
    return f'<script type="application/ld+json">[{data}]</script>'


@pytest.mark.parametrize("types", [("Plumber", "Restaurant", "CafeOrCoffeeShop", "LocalBusiness")])
def test_objects_of_a_narrower_type_are_rows_too(types: tuple[str, ...]):
    found = scrape(LOCAL, URL, businesses(*types, "Person"))
    assert [item["name"] for item in found.items] == [f"{each} {n}" for n, each in enumerate(types)]


def test_the_publisher_of_a_list_does_not_hide_its_rows(caplog):
    found = scrape(LOCAL, URL, businesses("LocalBusiness") + rows("a", "b", "c"))
    assert [item["name"] for item in found.items] == ["a", "b", "c"]
    assert "only 1 by json_ld 'LocalBusiness', and 3 rows by the next way" in caplog.text
    both = scrape(LOCAL, URL, businesses("Plumber", "Hotel") + rows("a", "b"))
    assert [item["name"] for item in both.items] == ["Plumber 0", "Hotel 1"]


def test_a_failure_says_which_json_ld_was_not_read():
    html = '<script type="application/ld+json">{"@type": "LocalBusiness" "x"}</script>'
    with pytest.raises(
        Permanent, match=r"no row matches .*; a block of JSON-LD is not JSON"
    ) as found:
        run_scraper(scraper_of(load(LOCAL)), URL, pages={URL: html})
    assert found.value.reason == "layout_changed"


def test_addresses_that_differ_in_letter_case_or_marks_are_different_keys():
    text = 'items = "a"\nkey = ["u"]\n[fields]\nu = { css = "a", attribute = "href", as = "url" }\n'
    links = ["/w/aBc", "/w/AbC", "/w/x-1", "/w/x_1", "/w/x_1#part"]
    html = "".join(f"<i><a href='{link}'>x</a></i>" for link in links)
    found = load(text.replace('"a"\nkey', '"i"\nkey')).items(Page(url=URL, content=html.encode()))
    assert len({row.key for row in found.accepted}) == 4


def test_numbers_of_both_signs_are_different_keys():
    text = 'items = "p"\nkey = ["n"]\n[fields]\nn = { css = "b", as = "number" }\n'
    found = load(text).items(Page(url=URL, content=rows("5", "-5").encode()))
    assert len({row.key for row in found.accepted}) == 2


def test_a_next_link_to_another_host_is_still_not_followed_after_a_redirect(caplog):
    page = Page(
        url="https://www.shop.example/list",
        content=rows("a", link="https://evil.example/").encode(),
    )
    step = load(LIST + NEXT).next_page(page, Step(url=URL))
    assert step is not None
    assert "another host" in step.why
