"""What a page or an expression may cost: bounded, and said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swather.errors import Permanent
from swather.scraping.site import load
from swather.scraping.site.kinds import KINDS, NotThisKind, Reading
from swather.scraping.site.patterns import MATCH_SECONDS, Budget, MatchTimeout, Pattern
from tests.scraping.site.test_reading import page

EXPLODES = r"(a|aa)+$"


def test_a_regex_that_explodes_gives_no_value_and_says_so():
    site = load(f"[fields]\nx = {{ css = 'p', regex = '{EXPLODES}' }}\ny = 'b'\n")
    rows = site.items(page(f"<p>{'a' * 5_000}!</p><b>here</b>"))
    assert rows.all[0].values == {"x": None, "y": "here"}
    assert rows.notes == (f"the regex {EXPLODES!r} took too long",)


def test_a_page_on_which_all_regexes_explode_fails_soon(monkeypatch):
    monkeypatch.setattr("swather.scraping.site.patterns.PAGE_SECONDS", 0.3)
    site = load(f"items = 'p'\n[fields]\nx = {{ css = 'i', regex = '{EXPLODES}' }}\ny = 'b'\n")
    html = f"<p><i>{'a' * 5_000}!</i><b>here</b></p>" * 1_000
    with pytest.raises(Permanent, match=r"take more than 0\.3 s") as caught:
        site.items(page(html))
    assert caught.value.reason == "regex_timeout"


def test_a_rule_whose_regex_explodes_rejects_the_row():
    site = load(
        f"[fields]\nx = 'p'\n[[reject]]\nfield = 'x'\nreason = 'bad'\nmatches = '{EXPLODES}'\n"
    )
    assert site.items(page(f"<p>{'a' * 5_000}!</p>")).rejections == {"regex_timeout": 1}


@pytest.mark.parametrize("expression", [r"(a+)+$", r"(a|a)*b", r"(.*)*x", r"(a*)*\1b", EXPLODES])
def test_no_expression_takes_longer_than_its_limit(expression):
    budget = Budget()
    try:
        Pattern(expression).find("a" * 200_000 + "!", budget)
    except MatchTimeout:
        assert budget.left_seconds <= Budget().left_seconds - MATCH_SECONDS
    with pytest.raises(MatchTimeout):
        Pattern("a").find("a", Budget(0))


def test_values_of_one_field_are_cut_and_said():
    site = load("[fields]\nx = { css = 'i', all = true }\n")
    rows = site.items(page("<i>x</i>" * 1_001))
    assert len(rows.all[0].values["x"]) == 1_000
    assert "more than 1,000 times" in rows.notes[0]


LD = '<script type="application/ld+json">{}</script><h1>here</h1>'
FIELDS = "[fields]\nx = { json_ld = 'Product.name' }\ny = 'h1'\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"name": "' + "x" * (6 << 20) + '"}', "more than 5 MB of JSON-LD"),
        ("[" * 10_000 + "]" * 10_000, "nested too deeply"),
        ("{not json", "is not JSON"),
        ("[" + "0," * 200_001 + "0]", "more than 200,000 values"),
    ],
)
def test_json_ld_that_is_too_much_is_not_read_and_that_is_said(content, said):
    rows = load(FIELDS).items(page(LD.replace("{}", content)))
    assert rows.all[0].values == {"x": None, "y": "here"}
    assert said in rows.notes[0]


def test_what_is_said_is_bounded():
    blocks = "".join(LD.replace("{}", "{" + "x" * n) for n in range(100))
    assert len(load(FIELDS).items(page(blocks)).notes) <= 20


def test_a_page_cannot_make_xpath_read_a_file_or_the_network(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    html = f'<!DOCTYPE p [<!ENTITY x SYSTEM "file://{secret}">]><p>a&x;b</p>'
    values = load("[fields]\nx = { xpath = '//p' }\n").items(page(html)).all[0].values
    assert "secret" not in values["x"]
    fields = f"x = {{ xpath = \"document('file://{secret}')\" }}\ny = 'p'"
    assert load(f"[fields]\n{fields}\n").items(page(html)).all[0].values["x"] is None


TEXTS = st.text() | st.text(alphabet="0123456789.,' +-()/:€$x\n\u00a0٣")
HOWS = st.sampled_from(
    [
        Reading(base="https://x.example/"),
        Reading(decimal=",", country="nl"),
        Reading(format="%d.%m.%Y", country="us", currency="EUR"),
    ]
)


@settings(deadline=None)
@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXTS, how=HOWS)
def test_a_text_is_read_or_is_not_of_its_kind(kind, text, how):
    try:
        value = KINDS[kind](text, how)
    except NotThisKind:
        return
    assert value is not None
