"""Signs and words for currencies, and which currencies each may mean."""

import re
from collections.abc import Iterable
from typing import Final

from swather.scraping.prices.currencies import CODES, CODES_LIKE_WORDS

_DOLLARS: Final = (
    "USD AUD BBD BMD BND BSD BZD CAD FJD GYD HKD JMD KYD LRD NAD NZD SBD SGD SRD TTD TWD XCD "
    "ARS CLP COP CUP DOP MXN UYU NIO CVE"
)
_POUNDS: Final = "GBP EGP FKP GIP LBP SHP SYP SDG SSP"
_CROWNS: Final = "SEK NOK DKK ISK"
_RUPEES: Final = "INR PKR LKR NPR MUR SCR"
_INDIAN: Final = frozenset({"INR", "PKR", "LKR", "NPR", "BDT"})
_YUAN: Final = "CNY TWD HKD MOP"

# Lower case; a point that belongs to a sign is not written here.
_TABLE: Final = f"""
$ {_DOLLARS} | us$ u$s u$d us-$ usdollar USD | c$ CAD NIO | ca$ can$ cdn$ cad$ CAD
a$ au$ aud$ AUD | nz$ NZD | hk$ HKD | nt$ ntd twd$ TWD | s$ SG$ sgd$ SGD | r$ BRL
mx$ mex$ mxn$ MXN | ar$ ars$ ARS | cl$ clp$ CLP | co$ col$ cop$ COP | uy$ $u UYU | rd$ DOP
pesos peso ARS CLP COP CUP DOP MXN UYU PHP | dollars dollar {_DOLLARS}
dólares dolares dlls dls USD | m.n mn MXN | mcte m/cte COP
j$ JMD | tt$ TTD | n$ NAD | bds$ BBD | mop$ MOP | b$ BND BSD | ec$ XCD | fj$ FJD
€ euro euros евро ευρώ EUR | £ {_POUNDS} | e£ le EGP | quid gbp£ GBP | ¥ JPY CNY | 円 JPY
jp¥ JPY | cn¥ rmb 人民币 人民幣 CNY | 元 圓 圆 {_YUAN} | 块 CNY | ₩ 원 won KRW KPW | ₹ INR
rs rupees rupee ₨ {_RUPEES} | rm MYR | rp IDR | ₽ RUB | руб рублей рубля рубль р p RUB BYN
₴ грн UAH | ₸ тг тенге KZT | ₺ tl TRY | ₪ nis ils₪ שח ILS | ₫ đ vnđ đồng VND
฿ บาท baht THB | ₱ PHP | ₦ NGN
₵ gh₵ gh¢ GHS | ₡ CRC | ₲ gs PYG | ₾ GEL | ֏ AMD | ₼ AZN | ৳ BDT | ₮ MNT | ₭ LAK
៛ KHR | kr kronor kroner krónur {_CROWNS} | kč kc CZK | zł zl złotych PLN | ft forint HUF
lei leu RON MDL | ден MKD | дин din RSD | km ba-km BAM | fr sfr frs CHF XPF
fcfa cfa XOF XAF | ksh KES | tsh TZS | ush UGX | s/ PEN | b/ PAB | bs VES BOB | q GTQ
r ZAR | k ZMW PGK | br BYN ETB | dh dhs AED MAD | د.إ درهم AED MAD
ر.س ريال SAR QAR OMR YER | ﷼ IRR SAR QAR OMR YER | ج.م جنيه EGP SDG SSP | د.ك KWD
"""


def _signs() -> dict[str, frozenset[str]]:
    signs = {code.lower(): frozenset({code}) for code in CODES}
    for row in _TABLE.replace("\n", "|").split("|"):
        words = row.split()
        codes = frozenset(word for word in words if word in CODES)
        signs.update({word.lower(): codes for word in words if word not in CODES})
    return signs


SIGNS: Final = _signs()
# They mean a currency only to those who expect it: "TOP 10", "le 12", "5 km", "12 K".
_SHORT: Final = "b/ b$ br bs din fr frs gs k km le m.n mn p q r s/ р"
LIKE_WORDS: Final = frozenset(code.lower() for code in CODES_LIKE_WORDS) | {*_SHORT.split()}
# A point after these belongs to them: "Rs.499" is 499, while "$.99" is 0.99.
_ABBREVIATIONS: Final = [
    "b/", "bs", "din", "dlls", "dls", "fr", "frs", "gs", "kr", "ksh", "m.n", "p", "r", "rm", "rp",
    "rs", "s/", "sfr", "tsh", "ush", "грн", "дин", "р", "руб", "тг",
]  # fmt: skip
# What a hundredth is called, by the currencies that have it.
MINORS: Final = {
    **dict.fromkeys(("коп", "копеек", "копейки"), frozenset({"RUB", "BYN", "UAH"})),
    "gr": frozenset({"PLN"}), "groszy": frozenset({"PLN"}), "paise": frozenset({"INR"}),
    "ct": frozenset({"EUR"}), "cts": frozenset({"EUR"}), "centimes": frozenset({"EUR", "CHF"}),
    "¢": frozenset(_DOLLARS.split()), "cents": frozenset({*_DOLLARS.split(), "EUR"}),
    "cent": frozenset({*_DOLLARS.split(), "EUR"}), "sen": frozenset({"MYR"}),
    "p": frozenset({"GBP"}), "pence": frozenset({"GBP"}),
}  # fmt: skip
# Whose dollar it is, said behind it: "$12.50 US", "12,50 $ CAN", "$12.50 Canadian".
WHOSE: Final = {
    **dict.fromkeys(("us", "u.s", "usa", "é.-u", "e.-u", "americanos", "american"), "USD"),
    **dict.fromkeys(("can", "cdn", "canadian", "canadiens", "canadienses"), "CAD"),
    **dict.fromkeys(("au", "aus", "australian", "australianos"), "AUD"),
    "nz": "NZD", "hk": "HKD", "sg": "SGD",
}  # fmt: skip
MULTIPLIERS: Final = {
    "万": 10_000, "萬": 10_000, "만": 10_000, "億": 10**8, "亿": 10**8, "억": 10**8,
    "千": 1_000, "천": 1_000, "k": 1_000, "тыс": 1_000, "thousand": 1_000, "tsd": 1_000,
    "lakh": 100_000, "lakhs": 100_000, "lac": 100_000, "lacs": 100_000,
    "crore": 10**7, "crores": 10**7, "cr": 10**7,
    "million": 10**6, "millions": 10**6, "mio": 10**6, "mln": 10**6, "млн": 10**6, "mn": 10**6,
    "m": 10**6,
}  # fmt: skip
# After a space these are a size, a name or a currency: "$19.99 M", "$5 K. Smith", "$2,500 MN".
MUST_TOUCH: Final = ("k", "m", "mn")
# To others they are names and abbreviations: "$19.99 CR".
OF_RUPEES: Final = dict.fromkeys(("cr", "lac", "lacs"), _INDIAN)
# Large numbers where this currency is meant, and other words elsewhere: a litre, a storage bin.
LARGE_OF: Final = {"l": _INDIAN, "bin": frozenset({"TRY"}), "tr": frozenset({"VND"})}


def either(words: Iterable[str]) -> str:
    """A pattern for any of these, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _lettered(words: Iterable[str]) -> str:
    """Words that no other letter touches, in any case of letters."""
    return rf"(?<![^\W\d_])(?i:{either(words)})(?![^\W\d_])"


def _pattern() -> str:
    bare = [sign for sign in SIGNS if not re.match(r"[^\W\d_]", sign[-1]) or not sign.isascii()]
    east = [sign for sign in bare if len(sign) == 1 and sign > "\u3000"]
    marked = [sign for sign in bare if sign not in east and re.search(r"[^\w]", sign)]
    lettered = [sign for sign in SIGNS if sign not in east and sign not in marked]
    abbreviated = rf"{_lettered(_ABBREVIATIONS)}\.?"
    prefixed = [sign for sign in marked if re.match(r"[^\W\d_]", sign)]
    alone = [sign for sign in marked if sign not in prefixed]
    return (
        rf"(?<![^\W\d_])(?i:{either(prefixed)})\.?|{either(alone)}"
        rf"|{abbreviated}|{_lettered(lettered)}|[{''.join(east)}]"
    )


SIGN: Final = _pattern()
# What a sign of several currencies means where nothing else was said: £, C$, ₩, the rouble.
USUAL: Final = frozenset({"GBP", "CAD", "KRW", "RUB"})
