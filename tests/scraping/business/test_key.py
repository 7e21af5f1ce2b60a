"""What makes two listings the same business."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.model.task import check_name
from swather.scraping.business.folding import folded
from swather.scraping.business.key import address_key, business_key, name_key, phone_key

TEXTS = st.text(max_size=60) | st.text("NSEW suite#street.12345-6789 usa'&,É①ǅ", max_size=40)


@pytest.mark.parametrize(
    "text",
    [
        "(212) 555-0147", "212-555-0147", "212.555.0147", "2125550147", "+1 212 555 0147",
        "1-212-555-0147", "+1 (212) 555\u20130147", "212/555-0147",
        "212 555 0147 ext. 12", "212-555-0147 x7", "212-555-0147x7", "(212) 555-0147 Ext 4",
        "212-555-0147 #3", "212-555-0147 extension 9", " 212\u00a0555\u00a00147 ",
        "\uff12\uff11\uff12-555-0147", "212-555-01GR",
    ],
)  # fmt: skip
def test_one_phone_number_is_one_key_however_it_is_written(text):
    assert phone_key(text) == "+12125550147"


def test_letters_of_a_phone_number_are_those_of_the_keypad():
    assert phone_key("1-800-FLOWERS") == phone_key("800 356 9377") == "+18003569377"


@pytest.mark.parametrize(
    "text",
    ["", "call us", "555-0147", "012-555-0147", "212-155-0147", "+44 20 7946 0018",
     "212-555-0147 or 212-555-0148", "12125550147123", "Plumbing99", "xxx-xxx-xxxx"],
)  # fmt: skip
def test_what_is_no_us_number_is_none(text):
    assert phone_key(text) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Joe's Pizza", "JOES PIZZA"),
        ("Joe\u2019s Pizza, Inc.", "joe's pizza"),
        ("The Corner Store", "Corner Store"),
        ("Smith & Sons", "Smith and Sons, LLC"),
        ("A.B.C. Plumbing", "ABC Plumbing Co."),
        ("Café Olé", "Cafe Ole"),
        ("J. R. Smith, P.C.", "JR Smith"),
        ("Straße", "STRASSE"),
        ("Quick-Fix  Auto", "Quick Fix Auto"),
    ],
)
def test_names_that_mean_one_business_are_one(one, other):
    assert name_key(one) == name_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 Main St.", "12 MAIN STREET"),
        ("12 Main St, Suite 200", "12 Main Street Ste. 200"),
        ("12 Main St #200", "12 Main St, Suite #200"),
        ("12 Main St Unit 5", "12 Main St Apt. 5"),
        ("100 North Ave", "100 N. Avenue"),
        ("100 North-East Blvd", "100 NE Boulevard"),
        ("5 Fifth Avenue", "5 5th Ave."),
        ("1 Oak Dr, Reno, NV 89501-1234", "1 Oak Drive Reno NV 89501"),
        ("1 Oak Dr, Reno, NV 89501, USA", "1 Oak Dr, Reno, NV 89501"),
        ("7 Calle Año", "7 calle ano"),
        ("9 Old Hwy. 7", "9 Old Highway 7"),
    ],
)
def test_addresses_that_mean_one_place_are_one(one, other):
    assert address_key(one) == address_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 Main St", "13 Main St"),
        ("12 Main St #200", "12 Main St #201"),
        ("12 N Main St", "12 S Main St"),
        ("12 Main St, Reno, NV 89501", "12 Main St, Reno, NV 89502"),
    ],
)
def test_other_addresses_stay_apart(one, other):
    assert address_key(one) != address_key(other)


def test_the_phone_number_counts_before_name_and_address():
    one = business_key("(212) 555-0147", "Joe's Pizza", "12 Main St")
    assert one == business_key("2125550147", "Joe Pizzeria", "") == "tel:+12125550147"
    other = business_key("no phone", "Joe's Pizza", "12 Main Street")
    assert other == business_key("", "JOES PIZZA INC", "12 main st.") == "at:joes pizza|12 main st"


@pytest.mark.parametrize("given", [("", "Joe", ""), ("", "", "12 Main St"), ("", "!!", "12"), ()])
def test_without_a_phone_number_both_name_and_address_are_needed(given):
    assert business_key(*given) is None


@given(TEXTS)
def test_what_is_normal_stays_as_it_is(text):
    for normal in (folded, phone_key, name_key, address_key):
        once = normal(text)
        assert normal(once) == once


@given(TEXTS)
def test_case_makes_no_difference(text):
    # Not of every character: the capital of a dotless i, for example, is another letter's too.
    assert folded(text.casefold()) == folded(text)


@given(TEXTS.filter(bool), st.integers(1, 100))
def test_a_key_can_be_stored_however_long_it_is(text, times):
    key = business_key("", text * times, text * times)
    assert key is None or check_name("item key", key)


def test_long_keys_that_differ_at_their_ends_stay_apart():
    long = "very " * 100
    assert business_key("", "A", f"{long} 1") != business_key("", "A", f"{long} 2")
