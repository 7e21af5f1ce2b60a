"""Whether a product can be bought, by schema.org's words or a page's own."""

import re
from enum import StrEnum
from typing import Final

_LONGEST: Final = 500


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
            "0 in stock|temporarily out|"
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
        (
            "pre-order|preorder|pre order|preventa|précommande|vorbestell|предзаказ|"
            "預購|予約|pra-pesan"
        ),
    ),
    (
        Availability.BACKORDER,
        (
            "backorder|back-order|on order|made to order|nabestelling|под заказ|"
            "sur commande|por encargo|"
            "auf bestellung|訂製|bajo pedido"
        ),
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
        (
            "in stock|available|in store|op voorraad|leverbaar|en stock|hay stock|"
            "disponible|disponível|"
            "en existencia|в наличии|есть на складе|auf lager|lieferbar|verfügbar|"
            "tersedia|ada stok|"
            "stok ada|有貨|有货|現貨|现货|有庫存|在庫あり|재고 있음|ready to ship|add to cart"
        ),
    ),
)
_FOUND: Final = tuple((state, re.compile(rf"(?<![^\W\d_])(?:{words})")) for state, words in _WORDS)


def parse_availability(text: str) -> Availability:
    """'https://schema.org/InStock', 'Op voorraad', 'нет в наличии'; UNKNOWN for anything else."""
    said = " ".join(text[:_LONGEST].split()).lower()
    named = said.rstrip("/").rpartition("/")[2].removeprefix("schema:").replace(" ", "")
    if named in _SCHEMA:
        return _SCHEMA[named]
    return next((state for state, words in _FOUND if words.search(said)), Availability.UNKNOWN)
