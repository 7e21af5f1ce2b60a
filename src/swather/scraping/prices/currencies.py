"""Currencies (ISO 4217): whose they are, how they are written, how a country writes numbers."""

from typing import Final

_OF_COUNTRIES: Final = """
AED ae; AFN af; ALL al; AMD am; AOA ao; ARS ar; AUD au cc cx hm ki nf nr tv; AWG aw; AZN az;
BAM ba; BBD bb; BDT bd; BHD bh; BIF bi; BMD bm; BND bn; BOB bo; BRL br; BSD bs; BTN bt; BWP bw;
BYN by; BZD bz; CAD ca; CDF cd; CHF ch li; CLP cl; CNY cn; COP co; CRC cr; CUP cu; CVE cv; CZK cz;
DJF dj; DKK dk fo gl; DOP do; DZD dz; EGP eg; ERN er; ETB et;
EUR ad at ax be bg bl cy de ee es fi fr gf gp gr hr ie it lt lu lv mc me mf mq mt nl
pm pt re si sk sm tf va xk yt;
FJD fj; FKP fk gs; GBP gb gg im je; GEL ge; GHS gh; GIP gi; GMD gm; GNF gn; GTQ gt; GYD gy;
HKD hk; HNL hn; HTG ht; HUF hu; IDR id; ILS il ps; INR in; IQD iq; IRR ir; ISK is; JMD jm; JOD jo;
JPY jp; KES ke; KGS kg; KHR kh; KMF km; KPW kp; KRW kr; KWD kw; KYD ky; KZT kz; LAK la; LBP lb;
LKR lk; LRD lr; LSL ls; LYD ly; MAD ma eh; MDL md; MGA mg; MKD mk; MMK mm; MNT mn; MOP mo; MRU mr;
MUR mu; MVR mv; MWK mw; MXN mx; MYR my; MZN mz; NAD na; NGN ng; NIO ni; NOK no bv sj; NPR np;
NZD ck nu nz pn tk; OMR om; PAB pa; PEN pe; PGK pg; PHP ph; PKR pk; PLN pl; PYG py; QAR qa;
RON ro; RSD rs; RUB ru; RWF rw; SAR sa; SBD sb; SCR sc; SDG sd; SEK se; SGD sg; SHP sh; SLE sl;
SOS so; SRD sr; SSP ss; STN st; SVC; SYP sy; SZL sz; THB th; TJS tj; TMT tm; TND tn; TOP to;
TRY tr; TTD tt; TWD tw; TZS tz; UAH ua; UGX ug;
USD as bq ec fm gu io mh mp pr pw sv tc tl um us vg vi; UYU uy; UZS uz; VES ve; VND vn; VUV vu;
WST ws; XAF cf cg cm ga gq td; XCD ag ai dm gd kn lc ms vc; XCG cw sx;
XOF bf bj ci gw ml ne sn tg; XPF nc pf wf; YER ye; ZAR za; ZMW zm; ZWG zw
"""
_ROWS: Final = [row.split() for row in _OF_COUNTRIES.split(";")]
CODES: Final = frozenset(row[0] for row in _ROWS)
CURRENCY_OF: Final = {country: row[0] for row in _ROWS for country in row[1:]}

# Codes that are also words on a page, "TOP 10", "ALL 5": only for those who ask for them.
CODES_LIKE_WORDS: Final = frozenset({
    "ALL", "AMD", "BAM", "BOB", "CUP", "ERN", "ETB", "GEL", "LAK", "LSL", "MAD", "MOP",
    "PEN", "SOS", "TOP", "TRY",
})  # fmt: skip
MINOR_DIGITS: Final = {
    **dict.fromkeys(
        [
            "BIF",
            "CLP",
            "DJF",
            "GNF",
            "ISK",
            "JPY",
            "KMF",
            "KRW",
            "PYG",
            "RWF",
            "UGX",
            "VND",
            "VUV",
            "XAF",
            "XOF",
            "XPF",
        ],
        0,
    ),
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
}

# A country in neither line writes both, or we do not know.
_POINT: Final = """
ae ag ai au aw bb bd bh bm bn bs bw bz ca ch cn cu dm do eg et fj fk gb gd gg gh gi gm gt gu gy hk
hn ie il im in je jm jo jp ke kn kp kr kw ky lb lc li lk lr mm mn mo mp ms mt mu mv mw mx my na ng
ni np nz om pa pe pg ph pk pr qa sa sb sc sg sl sv sz tc th to tt tw tz ug um us vc vg vi vu ws ye
zm zw
"""
_COMMA: Final = """
ad al am ao ar at ax az ba be bg bo br by ca-qc cl co cv cy cz de dk ec ee es fi fo fr ge gf gl gp
gr hr hu id is it kg kz lt lu lv mc md me mk mq mz nc nl no pf pl pm pt py re ro rs ru se si sk sm
tm tr ua uy uz va ve vn xk yt
"""
MARK_OF: Final = {
    **dict.fromkeys(_POINT.split(), "."),
    **dict.fromkeys(_COMMA.split(), ","),
}


def mark_of_currency(code: str) -> str | None:
    """The decimal mark where a currency is at home; None where its countries differ."""
    if code == "USD":
        return "."
    marks = {MARK_OF.get(country) for country, own in CURRENCY_OF.items() if own == code}
    return marks.pop() if len(marks) == 1 else None
