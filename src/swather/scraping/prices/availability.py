"""Whether a product can be bought, by schema.org's words or a page's own."""

import re
from enum import StrEnum
from typing import Final

_LONGEST: Final = 500
_MARKS: Final = re.compile(r"[\s_-]+")
_HYPHENS: Final = re.compile(r"(?<=\w)[-_\u2010\u2011](?=\w)")


class Availability(StrEnum):
    """What a page says about it; UNKNOWN where it says nothing that we know."""

    IN_STOCK = "in_stock"
    LIMITED = "limited"
    PREORDER = "preorder"
    BACKORDER = "backorder"
    OUT_OF_STOCK = "out_of_stock"
    DISCONTINUED = "discontinued"
    UNKNOWN = ""


_SCHEMA: Final = {
    "instock": Availability.IN_STOCK,
    "instoreonly": Availability.IN_STOCK,
    "onlineonly": Availability.IN_STOCK,
    "limitedavailability": Availability.LIMITED,
    "preorder": Availability.PREORDER,
    "presale": Availability.PREORDER,
    "madetoorder": Availability.BACKORDER,
    "backorder": Availability.BACKORDER,
    "outofstock": Availability.OUT_OF_STOCK,
    "soldout": Availability.OUT_OF_STOCK,
    "reserved": Availability.OUT_OF_STOCK,
    "discontinued": Availability.DISCONTINUED,
}
_IN_STOCK: Final = (
    "in stock|available|in store|op voorraad|leverbaar|beschikbaar|en stock|hay stock|disponible|"
    "disponível|em estoque|en existencia|в наличии|есть на складе|auf lager|lieferbar|verfügbar|"
    "tersedia|ada stok|dalam stok|stok ada|disponibile|i lager|på lager|有貨|有货|現貨|现货|有庫存|"
    "有库存|在庫あり|재고 있음|ready to ship|add to cart"
)
_NO: Final = (
    "no|not|non|pas|niet|geen|nicht|kein|keine|sin|sem|não|нет|не|tidak|tiada|belum|ikke|inte|nie"
)
# In this order: "not in stock" holds "in stock".
_WORDS: Final = (
    (
        Availability.DISCONTINUED,
        (
            "discontinued|no longer available|uit assortiment|niet meer leverbaar|"
            "descontinuado|"
            "discontinuado|снят с производства|снято с производства|已停產|停產|"
            "ne sera plus|discontinué"
        ),
    ),
    (
        Availability.OUT_OF_STOCK,
        (
            "out of stock|not in stock|sold out|unavailable|not available|"
            "temporarily out|no stock|"
            r"(?<![\d.,])0 (?:in stock|available|left|items?|pcs|шт)|notify me when|email me when|"
            rf"(?:{_NO}) (?:[^\W\d_]+ ){{0,2}}?(?:{_IN_STOCK})|"
            rf"(?:{_IN_STOCK}) ?[:=]? ?(?:{_NO}|none|false|0|なし|無)(?= ?(?:[.,;!)]|\Z))|"
            "plus disponible|hors stock|en rupture|vergriffen|slut i lager|esaurito|sem estoque|"
            "無現貨|无现货|沒有庫存|没有库存|沒有現貨|没有现货|沒有貨|没有货|没货|在庫なし|在庫無し|"
            "재고 없음|재고없음|"
            "niet op voorraad|uitverkocht|niet leverbaar|tijdelijk niet|sin stock|"
            "agotado|sin existencias|"
            "no disponible|esgotado|нет в наличии|нет на складе|отсутствует|"
            "распродано|rupture de stock|"
            "épuisé|non disponible|indisponible|nicht auf lager|nicht verfügbar|ausverkauft|"
            "nicht lieferbar|habis|tiada stok|缺貨|缺货|無庫存|售完|補貨中|在庫切れ|売り切れ|품절"
        ),
    ),
    (
        Availability.PREORDER,
        ("preorder|pre order|preventa|précommande|vorbestell|предзаказ|預購|予約|pra pesan"),
    ),
    (
        Availability.BACKORDER,
        (
            "backorder|back order|on order|made to order|nabestelling|под заказ|"
            "sur commande|por encargo|"
            r"auf bestellung|訂製|bajo pedido|available in \d"
        ),
    ),
    (
        Availability.UNKNOWN,
        "coming soon|available soon|soon available|available from|back in stock|bald verfügbar",
    ),
    (
        Availability.LIMITED,
        (
            r"only \d{1,6} left|last \d{1,6}|few left|low stock|limited|hurry|"
            r"nog \d{1,6}|laatste|"
            r"últim[ao]s|quedan|мало|осталось|заканчивается|derniers|plus que|"
            r"stok terhad|最後|僅剩|残り"
        ),
    ),
    (
        Availability.IN_STOCK,
        _IN_STOCK,
    ),
)
_FOUND: Final = tuple((state, re.compile(rf"(?<![^\W\d_])(?:{words})")) for state, words in _WORDS)


def parse_availability(text: str) -> Availability:
    """'https://schema.org/InStock', 'Op voorraad', 'нет в наличии'; UNKNOWN for anything else."""
    said = " ".join(text[:_LONGEST].split()).lower()
    named = _MARKS.sub("", said.rstrip("/").rpartition("/")[2].removeprefix("schema:"))
    if named in _SCHEMA:
        return _SCHEMA[named]
    said = _HYPHENS.sub(" ", said)
    return next((state for state, words in _FOUND if words.search(said)), Availability.UNKNOWN)
