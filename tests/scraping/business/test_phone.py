"""Phone numbers of many countries, in their international form."""

import pytest

from swather.scraping.business.phone import PLANS, NotAPhone, phone_number
from swather.scraping.site.calling_codes import CALLING_CODES

READ = [
    ("us", "(212) 555\u20130147", "+12125550147"),
    ("us", "212.555.0147 ext. 12", "+12125550147"),
    ("us", "Tel. 212 555 0147, fax 212 555 0148", "+12125550147"),
    ("us", "1-800-FLOWERS", "+18003569377"),
    ("ca", "Call 1-800-GOT-JUNK now", "+18004685865"),
    ("us", "+44 20 7946 0018", "+442079460018"),
    ("ru", "8 (495) 123-45-67", "+74951234567"),
    ("ru", "+7 495 123-45-67", "+74951234567"),
    ("ru", "7 495 123 45 67", "+74951234567"),
    ("ru", "8 800 555 35 35", "+78005553535"),
    ("ru", "800 555 35 35", "+78005553535"),
    ("it", "06 1234 5678", "+390612345678"),
    ("it", "39 06 1234 5678", "+390612345678"),
    ("it", "347 123 4567", "+393471234567"),
    ("it", "+39 (0)6 1234 5678", "+390612345678"),
    ("in", "91 98765 43210", "+919876543210"),
    ("in", "098765 43210", "+919876543210"),
    ("in", "98765 43210", "+919876543210"),
    ("gb", "020 7946 0018", "+442079460018"),
    ("gb", "(0)20 7946 0018", "+442079460018"),
    ("gb", "0800 123 4567", "+448001234567"),
    ("de", "030/1234567", "+49301234567"),
    ("de", "030 / 123 45 67", "+49301234567"),
    ("de", "+49 (0)30 555-0142", "+49305550142"),
    ("fr", "01 23 45 67 89", "+33123456789"),
    ("nl", "020 555 01 42", "+31205550142"),
    ("es", "912 345 678", "+34912345678"),
    ("br", "(11) 91234-5678", "+5511912345678"),
    ("br", "55 3221-1234", "+555532211234"),
    ("mx", "55 1234 5678", "+525512345678"),
    ("hu", "06 1 234 5678", "+3612345678"),
    ("jp", "03-1234-5678", "+81312345678"),
    ("tw", "02-2345-6789", "+886223456789"),
    ("dk", "12 34 56 78", "+4512345678"),
    ("", "020 555 01 42", "0205550142"),
    ("", "0049 30 5550142", "+49305550142"),
]
REFUSED = [
    ("us", "212 555 0147 / 0148"),
    ("", "212 555 0147 / 0148"),
    ("gb", "020 7946 0018 / 0019"),
    ("us", "555-0147"),
    ("us", "2024-01-05"),
    ("gb", "2024-01-05"),
    ("", "05.01.2024"),
    ("gb", "7946 0018"),
    ("in", "4321 0987"),
    ("de", "49 30 5550142"),
    ("us", "+1 555 0147"),
    ("us", "call us"),
    ("us", "1-800-FLOWER"),
    ("ru", "123-45-67"),
    ("", "12345"),
    ("", "+0 123 456 789"),
]


@pytest.mark.parametrize(("country", "text", "number"), READ)
def test_a_number_is_read_as_its_country_dials(country: str, text: str, number: str):
    assert phone_number(text, country, CALLING_CODES.get(country, "")) == number


@pytest.mark.parametrize(("country", "text"), REFUSED)
def test_what_is_no_whole_number_is_refused(country: str, text: str):
    with pytest.raises(NotAPhone):
        phone_number(text, country, CALLING_CODES.get(country, ""))


def test_every_country_with_a_calling_code_has_a_plan():
    assert set(PLANS) == {country for country, code in CALLING_CODES.items() if code != "1"}
