"""Words of US addresses and company names that have a short form, or say nothing."""

from typing import Final

# What a number within a building is called; all of these are one.
UNIT: Final = "unit"
_UNITS: Final = ("apartment", "apt", "room", "rm", "ste", "suite", "no", "num", "number")

_STREETS: Final = {
    "alley": "aly", "avenue": "ave", "av": "ave", "boulevard": "blvd", "boul": "blvd",
    "building": "bldg", "center": "ctr", "centre": "ctr", "circle": "cir", "court": "ct",
    "cove": "cv", "creek": "crk", "crossing": "xing", "drive": "dr", "expressway": "expy",
    "floor": "fl", "fort": "ft", "freeway": "fwy", "highway": "hwy", "junction": "jct",
    "lane": "ln", "mount": "mt", "mountain": "mtn", "parkway": "pkwy", "pky": "pkwy",
    "pike": "pike", "place": "pl", "plaza": "plz", "point": "pt", "road": "rd", "route": "rte",
    "saint": "st", "square": "sq", "station": "sta", "street": "st", "str": "st",
    "terrace": "ter", "trail": "trl", "turnpike": "tpke", "valley": "vly",
}  # fmt: skip
_DIRECTIONS: Final = {
    "north": "n", "south": "s", "east": "e", "west": "w", "northeast": "ne", "northwest": "nw",
    "southeast": "se", "southwest": "sw",
}  # fmt: skip
_ORDINALS: Final = {
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}  # fmt: skip

SHORT: Final = {**_STREETS, **_DIRECTIONS, **_ORDINALS, **dict.fromkeys(_UNITS, UNIT)}
COUNTRIES: Final = frozenset({"us", "usa"})
LEGAL_FORMS: Final = frozenset(
    {"co", "company", "corp", "corporation", "inc", "incorporated", "limited", "llc", "llp", "lp",
     "ltd", "pa", "pc", "pllc"}
)  # fmt: skip
