"""A form is sent as a browser would send it."""

import pytest

from swather.net.form import form_of
from swather.net.page import Page

HTML = """
<form id="search"><input name="q"></form>
<form id="login" method="post" action="/session?next=/a">
  <input type="hidden" name="csrf" value="t0ken"><input name="user"><input type=password name=pass>
  <input type="checkbox" name="keep" checked><input type="checkbox" name="spam" value="yes">
  <input type="radio" name="kind" value="a"><input type="radio" name="kind" value="b" checked>
  <select name="lang"><option value="de">D<option value="nl" selected>N</select>
  <select name="country"><option>first<option>second</select>
  <select name="tags" multiple><option selected>x<option selected>y</select>
  <textarea name="note">hello</textarea>
  <input name="off" value="1" disabled><input type="file" name="file"><input value="nameless">
  <button type="button" name="show" value="1">show</button>
  <button name="go" value="in">Log in</button><input type="submit" name="go" value="other">
</form>"""


def page(html=HTML, url="https://example.com/a/login?x=1"):
    return Page(url=url, content=html.encode())


def test_every_field_is_sent_that_a_browser_sends():
    found = form_of(page(), "#login")
    assert found is not None
    assert (found.method, found.action) == ("POST", "https://example.com/session?next=/a")
    assert found.fields == {
        "csrf": "t0ken", "user": "", "pass": "", "keep": "on", "kind": "b", "lang": "nl",
        "country": "first", "tags": ["x", "y"], "note": "hello", "go": "in",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("control", "fields"),
    [
        ("<select name=a><option value=''>Choose<option value=x>X</select>", {"a": ""}),
        ("<select name=a><option value>Choose<option value=x>X</select>", {"a": ""}),
        ("<input type=checkbox name=a value='' checked>", {"a": ""}),
        ("<select name=a><option disabled>Choose<option>x</select>", {"a": "x"}),
        ("<select name=a><optgroup disabled><option>x</optgroup><option>y</select>", {"a": "y"}),
        ("<select name=a><option disabled selected>Choose<option>x</select>", {}),
    ],
)
def test_what_is_empty_is_sent_empty_and_what_is_disabled_is_not_sent(control, fields):
    found = form_of(page(f"<form>{control}</form>"), "form")
    assert found is not None
    assert found.fields == fields


@pytest.mark.parametrize(
    ("html", "action", "method"),
    [
        ("<form method=POST>", "https://example.com/a/login?x=1", "POST"),
        ("<form action=''>", "https://example.com/a/login", "GET"),
        ("<form action='find?y=2'>", "https://example.com/a/find", "GET"),
        ("<base href='/b/'><form method=post action=go>", "https://example.com/b/go", "POST"),
        ("<form method=post action='//sso.example/in'>", "https://sso.example/in", "POST"),
        ("<form method=dialog action='javascript:void(0)'>", "", "GET"),
    ],
)
def test_a_form_leads_somewhere(html, action, method):
    found = form_of(page(html), "form")
    assert found is not None
    assert (found.action, found.method) == (action, method)


def test_no_form_is_none():
    assert form_of(page("<p>"), "form") is None
