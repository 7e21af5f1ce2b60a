"""What pages say around a price, in the languages that we know."""

import re
from typing import Final

_EAST: Final = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"


def _words(listing: str) -> str:
    """One of the phrases, touched by no other letter; East Asian ones may be."""
    phrases = sorted((part.strip() for part in listing.split("|")), key=len, reverse=True)
    east = [part for part in phrases if re.match(f"[{_EAST}]", part)]
    west = [re.escape(part) for part in phrases if part not in east]
    return rf"(?:(?<![^\W\d_])(?:{'|'.join(west)})(?![^\W\d_])|{'|'.join(east) or '(?!)'})"


FROM: Final = _words(
    "from|starting at|starting from|starts at|as low as|ab|à partir de|a partir de|dès|"
    "desde|vanaf|"
    "v.a|от|od|från|fra|alkaen|dari|mulai|da|من|від"
)
FROM_AFTER: Final = rf"(?:~|{_words('and up|onwards|起|から|부터|より')})"
OLD: Final = _words(
    "was|were|old price|previously|previous price|before|instead of|statt|bisher|vorher|"
    "früher|antes|"
    "avant|au lieu de|ancien prix|вместо|старая цена|было|van|invece di|voorheen|oude prijs|"
    "precio anterior|原價|原价|旧価格"
)
LIST: Final = _words(
    "mrp|m.r.p|rrp|r.r.p|list price|list|uvp|msrp|srp|pvp|adviesprijs|prix conseillé|"
    "定價|市價|정가|reg|reg price|regular price|compare at"
)
# They speak of the number behind them: "$20.00 Save $5.00".
SAVED_BEFORE: Final = _words(
    "save|you save|sie sparen|spare|du sparst|spar|économisez|ahorra|ahorre|emi|min order|"
    "minimum order"
)
_SAVED: Final = (
    "saving|savings|discount|sparen|rabatt|korting|remise|descuento|desconto|скидка|экономия|折扣|"
    "shipping|delivery|postage|p&p|p & p|versand|versandkosten|livraison|frais de port|envío|envio|"
    "frete|verzendkosten|bezorging|доставка|運費|运费|送料|배송비|deposit|down payment|pfand|"
    "cashback|coupon|points|handling|per month|monthly"
)
_FREE: Final = _words(
    "free|gratis|grátis|gratuit|gratuite|offerte|kostenlos|included|incluse|incluido|incluído|"
    "inklusive|inbegriffen|inbegrepen|бесплатно|бесплатная|無料|免費|免费|込|込み|무료"
)
_INSTALMENTS: Final = "instalment|instalments|installment|installments|cuotas"
SAVED: Final = f"(?:{SAVED_BEFORE}|{_words(f'{_SAVED}|{_INSTALMENTS}')})"
SAVED_AFTER: Final = (
    rf"(?:{_words('emi')}|"
    + _words(
        f"{_SAVED}|off|de descuento|de desconto|de remise|скидки|折|saved|gespart|reviews|a month|"
        "/ mo|/mo|p/m|pcm|/month|/ month|mensuales|al mes|par mois|pro monat|per maand|в месяц|"
        "interest free"
    )
    + rf"(?![\s:]*{_FREE}))"
)
BOUND: Final = (
    r"(?:[<>≤≥]|"
    + _words(
        "up to|upto|bis zu|bis|до|hasta|jusqu'à|tot|max|maximum|under|less than|below|until|over|"
        "above|more than|at least|min|minimum"
    )
    + ")"
)
_ABOUT: Final = "about|approx|approximately|around|ca|circa|environ|ungefähr|около|約|约|약"
ABOUT: Final = rf"(?:[~≈]|{_words(_ABOUT)})"
# Words for large numbers that mean another one elsewhere, or that we do not multiply by.
LARGE: Final = _words(
    "b|bn|billion|billions|billón|bln|m|mm|mn|mil|mille|mill|millón|millones|milhão|milhões|"
    "miljoen|milione|milioni|milion|milioane|miljon|miljoner|millió|mrd|mlrd|milliard|milliarde|"
    "milliarden|miljard|miliar|trillion|tn|t|k|cr|lac|lacs|l|tausend|duizend|tusen|tuhat|ezer|mii|"
    "tis|tys|hundred|dozen|rb|ribu|jt|juta|nghìn|ngàn|triệu|tr|tỷ|bin|milyon|milyar|тысяч|тысячи|"
    "тыс|тис|миллион|миллиона|миллионов|млрд|мың|hundert|लाख|करोड़|हज़ार|हजार|লাখ|হাজার|কোটি|"
    "لاکھ|ہزار|کروڑ|هزار|میلیون|تومان|ألف|آلاف|مليون|אלף|מיליון|χιλ|"
    "百|십|백|조|兆|พัน|หมื่น|แสน|ล้าน"
)
# After a space these may begin a name, such as Thousand Island.
LIKE_NAMES: Final = frozenset({"thousand", "million", "millions"})
FOR: Final = _words("for|für|pour|voor|por|za|за|per|para")
_NOW: Final = (
    "our price|your price|sale price|special price|final price|now|only|just|today|jetzt|nur|heute|"
    "nu|ahora|solo|maintenant|seulement|售價|售价|特價|特价|판매가"
)
NOW: Final = _words(_NOW)
LABELS: Final = _words(
    f"{_NOW}|price|prices|unit price|sale|special|deal|offer|cash|prix|preis|prijs|precio|preço|"
    "prezzo|цена|стоимость|cena|pris|hinta|ár|fiyat|fiyatı|harga|giá|each|ea|価格|価|价格|價格|"
    "健保價|税込|税抜|稅|含稅|未稅|가격|整|约"
)
_TAX: Final = _words(
    "incl|incl.|inclusive of|inclusive|including|include|inc|inc.|excl|excl.|excluding|"
    "exclusive of|ex|"
    "plus|inkl|inkl.|zzgl|zzgl.|exkl|exkl.|exkl|hors|sin|con|sans|avec|of all|all|taxes|"
    "tax|vat|gst|"
    "hst|tps|tvq|mwst|mwst.|ust|ttc|ht|tva|btw|iva|imp|impuestos|ндс|с|без|tax included|moms|"
    "shipping|delivery|versand|versandkosten|livraison|verzendkosten|envío|frete|доставка|p&p"
)
TAX: Final = rf"(?:[(*]?\s*{_TAX}\.?(?:\s+{_TAX}\.?){{1,3}}\s*[)*]?|\b(?:ttc|ht)\b)"
_MEASURES: Final = (
    "kg|g|gr|gram|grams|mg|mcg|ml|cl|dl|l|lt|ltr|litre|liter|litres|oz|fl oz|lb|lbs|pound|m|cm|mm|"
    "m2|m²|m³|ft|sqft|г|кг|мл|л|kilo"
)
MEASURE: Final = _words(_MEASURES)
UNIT: Final = _words(
    f"{_MEASURES}|piece|pieces|pc|pcs|pce|stk|stück|stuk|stuks|st|pièce|unidad|ud|uds|unit|units|"
    "шт|item|tablet|tablets|capsule|capsules|tablette|tabletten|tab|tabs|strip|pack|packs|box|"
    "bottle|can|set|pair|paire|person|night|day|dose|doses|vial|vials|ampoule|sachet|sachets|個|"
    "个|盒|粒|瓶|錠|顆|개|unité|comprimé|comprimés|comprimidos|таб|dozen|ea|each"
)
PER: Final = (
    rf"(?:(?:/|{_words('per|pro|par|je|por|за|a|le|la|el|l')}'?)\s*(?P<per>(?:\d+\s*)?{UNIT})\.?"
    rf"|(?P<each>{_words('each|ea|apiece|pro stück|je stück|stückpreis|la pièce|per stuk')}))"
)
# "per kg: 3.99"; the name of a unit alone is not enough.
PER_BEFORE: Final = rf"{_words('per|pro|je|price per|за')}\s*"
PACK_BEFORE: Final = _words(
    "pack of|box of|set of|strip of|bottle of|packung mit|lot de|caja de|уп"
)
