"""Text without what people write differently: case, accents, punctuation."""

import unicodedata
from typing import Final

# Left out, so that O'Brien and OBrien are one name; other punctuation separates words.
_APOSTROPHES: Final = dict.fromkeys(map(ord, "'`\u00b4\u2018\u2019\u02bb\u02bc\u2032"))


def folded(text: str) -> str:
    """Words of small letters and digits, one space apart."""
    text = text.translate(_APOSTROPHES).replace("&", " and ")
    # Twice: folding the case of some characters gives others that decompose.
    for _ in range(2):
        text = unicodedata.normalize("NFKD", text.casefold())
    kept = (
        character if character.isalnum() else " "
        for character in text
        if not unicodedata.category(character).startswith("M")
    )
    return " ".join("".join(kept).split())
