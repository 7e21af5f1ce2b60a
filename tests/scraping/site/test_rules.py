"""Which rows are accepted, and why others are not."""

from swather.scraping.site import load
from tests.scraping.site.test_reading import page

HTML = """<p><b>Anna</b><i>+1 212 555 0142</i><u>12</u></p>
<p><b>Bert</b><u>70</u></p>
<p><i>+1 212 555 0143</i><u>5</u></p>
<p><b>ANNA </b><i>(1) 212-555-0142</i><u>12</u></p>"""
FIELDS = """
[fields]
name = "b"
phone = "i"
age = { css = "u", as = "number" }
"""


def rows(more: str):
    head, _, rules = more.partition("---")
    return load(f'items = "p"\n{head}\n{FIELDS}\n{rules}').items(page(HTML))


def test_rows_without_a_required_field_are_rejected():
    assert rows('required = ["name", "phone"]').rejections == {
        "missing_phone": 1,
        "missing_name": 1,
    }


def test_reject_rules_give_their_reasons():
    found = rows("""---
[[reject]]
field = "age"
at_least = 60
reason = "too old"
[[reject]]
field = "name"
missing = true
reason = "nameless"
[[reject]]
field = "name"
matches = '^A[a-z]+$'
reason = "called Anna"
""")
    assert found.rejections == {"too old": 1, "nameless": 1, "called Anna": 1}
    assert [row.values["name"] for row in found.accepted] == ["ANNA"]


def test_accept_rules_reject_what_they_do_not_hold_for():
    found = rows("""---
[[accept]]
field = "name"
one_of = ["anna", "Clara"]
reason = "a stranger"
""")
    # A row without a name is neither; `required` looks for it.
    assert found.rejections == {"a stranger": 1}


def test_the_key_is_the_first_alternative_that_a_row_has():
    found = rows('key = [["phone"], ["name", "age"]]')
    assert [row.key for row in found.all] == [
        "phone=+1 212 555 0142",
        "name=bert|age=70",
        "phone=+1 212 555 0143",
        "phone=1 212 555 0142",
    ]


def test_a_row_without_a_key_is_rejected():
    assert rows('key = ["name"]').rejections == {"no_key": 1}


def test_accepted_and_rejected_are_all():
    found = rows('required = ["name"]\nkey = ["phone"]')
    assert len(found.accepted) + sum(found.rejections.values()) == len(found.all) == 4
