"""No page keeps the parser busy for long, and no honest page is refused for its size."""

import os
import signal
import threading
import time

import pytest

from swather.net.errors import TooComplex
from swather.net.page import SMALL_CHARACTERS, SMALL_TAGS, Page
from swather.net.sandbox import SANDBOX, ParseResult, Sandbox
from swather.scraping.classify import classify

URL = "https://example.com/"
MANY_SECONDS = 30.0


def page(html: str) -> Page:
    return Page(url=URL, content=html.encode(), raw_headers=[("content-type", "text/html")])


def numbered(form: str, count: int) -> str:
    return "".join(form.format(number) for number in range(count))


BOMBS = {
    "nested blocks": "<div>" * 200_000,
    "nested inline elements, whose selectors are slow": "<span>" * 200_000,
    "attributes of one element": f"<p {numbered('a{} ', 200_000)}>",
    "attributes added to <html>": numbered("<html a{}>", 200_000),
    "formatting that every paragraph opens again": numbered("<p><font color=a{}>", 50_000),
    "formatting that is closed late": numbered("<b id=a{}>", 100_000) + "<div></b>" * 50_000,
    "links around blocks": "<a><div>" * 100_000,
    "ruby": "<rb>" * 200_000,
    "lists that are never closed": "<dl><dt>" * 100_000,
    "groups of options": "<optgroup>" * 100_000,
    "names of elements": numbered("<x{}>", 200_000),
    "text that is moved out of a table": "<table>" + "x<!-->" * 400_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("html", BOMBS.values(), ids=BOMBS)
def test_a_page_that_takes_too_long_to_parse_is_refused(html: str):
    began = time.process_time()
    with pytest.raises(TooComplex, match=r"too complex to parse: .* [\d,]+ tags") as raised:
        page(html).css("a")
    assert time.process_time() - began < 1.0, "this process did the work itself"
    assert URL in str(raised.value)
    assert "page.text" in str(raised.value)


def test_such_a_page_is_not_tried_again():
    found = classify(TooComplex("too complex"))
    assert (found.fault.error_class, found.reason) == ("permanent", "page_too_complex")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "count"),
    [
        ("<tr><td>{0}</td><td>name {0}</td><td><a href='/{0}'>more</a></td></tr>", 100_000),
        ("<tr><td>{0}<td>name {0}<td><a href='/{0}'>more</a>", 100_000),
        ("<li>item {0}", 200_000),
        ("<p>paragraph <b>{0}</b> of <i class=a{0}>many</i><br>", 100_000),
        ("<div class='card'><h3>card {0}</h3><p>text</p></div>", 100_000),
    ],
)
def test_a_large_page_is_parsed(row: str, count: int):
    body = numbered(row, count)
    found = page(f"<table>{body}</table>" if row.startswith("<tr>") else body)
    assert len(found.css("tr, li, p")) >= count


@pytest.mark.slow
def test_a_list_to_choose_from_may_be_long():
    options = numbered("<option value={0}>city {0}</option>", 100_000)
    assert len(page(f"<select>{options}</select>").css("option")) == 100_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        "<div>" * SMALL_TAGS,
        "<span>" * SMALL_TAGS,
        "<rb>" * SMALL_TAGS,
        numbered("<p><b {}>", SMALL_TAGS // 2),
        f"<p {numbered('{:x} ', SMALL_CHARACTERS // 5)}"[:SMALL_CHARACTERS] + ">",
    ],
    ids=["div", "span", "rb", "formatting", "attributes"],
)
def test_the_worst_of_small_pages_is_parsed_at_once(html: str):
    began = time.process_time()
    page(html[:SMALL_CHARACTERS]).css("div span")
    assert time.process_time() - began < 10.0, "a second on a machine that does nothing else"


def test_a_small_page_is_not_tried_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(Sandbox, "parse")
    assert page("<p>" * SMALL_TAGS).css_first("p") is not None


@pytest.mark.slow
def test_a_page_that_kills_the_process_leaves_the_next_one_a_new_process():
    sandbox = Sandbox()
    try:
        assert sandbox.parse(b"<div>" * 200_000, 0.1) is ParseResult.TOO_SLOW
        assert sandbox.parse(b"<p>", MANY_SECONDS) is ParseResult.PARSED
        process = sandbox._process
        assert process is not None
        assert sandbox.parse(b"<p>", MANY_SECONDS) is ParseResult.PARSED
        assert sandbox._process is process
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert sandbox.parse(b"<p>", MANY_SECONDS) is ParseResult.PARSED
    finally:
        sandbox.close()


@pytest.mark.slow
def test_threads_take_turns():
    verdicts = []

    def parse(html: bytes) -> None:
        verdicts.append((html, SANDBOX.parse(html, 0.2)))

    pages = [b"<p>", b"<div>" * 200_000] * 3
    threads = [threading.Thread(target=parse, args=(html,)) for html in pages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(MANY_SECONDS)
    assert sorted(verdicts, key=lambda found: len(found[0])) == [
        *[(pages[0], ParseResult.PARSED)] * 3, *[(pages[1], ParseResult.TOO_SLOW)] * 3,
    ]  # fmt: skip
