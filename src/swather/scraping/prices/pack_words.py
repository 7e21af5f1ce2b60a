"""Units, forms and containers of packs, by their names on pages."""

from decimal import Decimal
from typing import Final

# The unit that a unit price is for, and how much of it this one is.
MEASURES: Final = {
    **dict.fromkeys(("mcg", "µg", "μg", "мкг"), ("kg", Decimal("0.000000001"))),
    **dict.fromkeys(("mg", "мг", "毫克"), ("kg", Decimal("0.000001"))),
    **dict.fromkeys(("g", "gr", "gm", "gms", "gram", "grams"), ("kg", Decimal("0.001"))),
    **dict.fromkeys(("г", "гр", "公克"), ("kg", Decimal("0.001"))),
    **dict.fromkeys(("kg", "kgs", "kilo", "кг", "公斤"), ("kg", Decimal(1))),
    **dict.fromkeys(("oz",), ("kg", Decimal("0.028349523125"))),
    **dict.fromkeys(("lb", "lbs"), ("kg", Decimal("0.45359237"))),
    **dict.fromkeys(("ml", "мл", "毫升", "cc"), ("l", Decimal("0.001"))),
    **dict.fromkeys(("cl",), ("l", Decimal("0.01"))),
    **dict.fromkeys(("dl",), ("l", Decimal("0.1"))),
    **dict.fromkeys(("l", "lt", "ltr", "litre", "litres", "liter", "л", "公升"), ("l", Decimal(1))),
    **dict.fromkeys(("cm", "см"), ("m", Decimal("0.01"))),
    **dict.fromkeys(("m", "mtr", "м"), ("m", Decimal(1))),
}  # fmt: skip
FORMS: Final = (
    "tablet", "tablets", "tablette", "tabletten", "tabletas", "tab", "tabs", "capsule", "capsules",
    "cápsulas", "capsulas", "caps", "cap", "comprimé", "comprimés", "comprimido", "comprimidos",
    "comp", "compr",
    "pill", "pills", "dragees", "sachet", "sachets", "vial", "vials", "ampoule", "ampoules",
    "ampollas", "ampullen", "suppositories", "patches", "piece", "pieces", "pcs", "pc", "unit",
    "units", "unidad", "unidades", "u", "stuk", "stuks", "st", "stk", "stück", "biji", "keping",
    "таблетки", "таблеток", "таб", "табл", "капсулы", "капсул", "капс", "шт", "ампул", "ампулы",
    "錠", "粒", "顆", "片", "支", "包", "個", "个", "개", "정",
)  # fmt: skip
CONTAINERS: Final = (
    "strip", "strips", "pack", "packs", "box", "boxes", "bottle", "bottles", "blister", "blisters",
    "carton", "case", "set", "bag", "bags", "can", "cans", "jar", "tube", "pak", "doos", "strippen",
    "caja", "cajas", "envase", "boîte", "boîtes", "flacon", "kotak", "botol", "peket", "упаковка",
    "уп", "блистер", "блистера", "флакон", "盒", "瓶", "bouteille", "bouteilles", "lot",
)  # fmt: skip
OF: Final = (
    "of",
    "containing",
    "with",
    "de",
    "à",
    "a",
    "mit",
    "met",
    "von",
    "van",
    "по",
    "con",
    "x",
)
# Of a strength; with a count above one it is that of each piece.
OF_A_PIECE: Final = frozenset({"mg", "мг", "毫克", "mcg", "µg", "μg", "мкг"})
TIMES: Final = ("x", "×", "*", "х")
