"""Chooses among the languages of a video: codes and patterns in order of preference."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

Automatic = Literal["yes", "no", "fallback"]

# ISO 639-1, and the older codes that sites still use.
_TWO_LETTERS: Final = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu "
    "cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi "
    "ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km "
    "kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na "
    "nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd "
    "se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw "
    "ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
_CODE: Final = re.compile(r"([a-z]{2,3})(?:-[A-Za-z0-9]{1,20})*")
_PATTERN_SIGNS: Final = frozenset(".*+?|()[]\\^$")
# Not subtitles, but yt-dlp lists it among them; only its own name asks for it.
LIVE_CHAT: Final = "live_chat"
_EXAMPLES: Final = "expected a code such as en, de or pt-BR, or a pattern such as en.*"


class Track(NamedTuple):
    """The subtitles of one language, in the formats that the site offers."""

    language: str
    automatic: bool
    formats: Sequence[Mapping[str, Any]]


def check_language(text: str) -> None:
    """ValueError for what cannot be a language code or a pattern of them."""
    code = text.removeprefix("-")
    if code == LIVE_CHAT:
        return
    if code == "all":
        raise ValueError(f"'lang': for every language write '.*', got {text!r}")
    if _PATTERN_SIGNS.isdisjoint(code):
        found = _CODE.fullmatch(code)
        if found is None or (len(found[1]) == 2 and found[1] not in _TWO_LETTERS.split()):
            raise ValueError(f"'lang': {text!r} is not a language code; {_EXAMPLES}")
        return
    try:
        re.compile(code)
    except re.error as error:
        raise ValueError(f"'lang': {text!r} is not a pattern: {error}; {_EXAMPLES}") from error


def chosen(
    manual: Mapping[str, Any],
    automatic: Mapping[str, Any],
    *,
    wanted: Sequence[str],
    use_automatic: Automatic,
    every: bool,
) -> list[Track]:
    """The tracks to take: the first that is wanted, or `every` one.

    'fallback' uses automatic captions only if no language that is wanted has others; with 'yes'
    the order of languages decides. A language is taken once, and its automatic captions only if it
    has no others. Captions that a machine has translated are for those who name their language,
    not for those with a pattern that happens to match it.
    """
    spoken = {code: formats for code, formats in automatic.items() if not _is_translated(formats)}
    named = {code: formats for code, formats in automatic.items() if code in wanted}
    captions = {
        code: each for code, each in {**named, **spoken}.items() if not _is_twin(code, spoken)
    }
    ours = [Track(code, False, manual[code]) for code in matching(manual, wanted)]
    made = [Track(code, True, captions[code]) for code in matching(captions, wanted)]
    if use_automatic == "no":
        found = ours
    elif use_automatic == "fallback":
        found = ours or made
    else:
        known = {track.language for track in ours}
        both = ours + [track for track in made if track.language not in known]
        order = matching((track.language for track in both), wanted)
        found = sorted(both, key=lambda track: order.index(track.language))
    return found if every else found[:1]


def matching(codes: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Those of the codes that are wanted, the most wanted first. '-pattern' removes what was
    matched before it.
    """
    there = list(codes)
    found: list[str] = []
    for text in wanted:
        if text.startswith("-"):
            found = [code for code in found if not re.fullmatch(text[1:], code)]
        else:
            hits = [code for code in there if code not in found and _matches(text, code)]
            # Of 'en.*', 'en' itself is meant first, and then what is nearest to it.
            found += sorted(hits, key=len)
    return found


def _is_translated(formats: Sequence[Mapping[str, Any]]) -> bool:
    return any("tlang=" in str(each.get("url", "")) for each in formats)


def _is_twin(code: str, spoken: Mapping[str, Any]) -> bool:
    """Whether these are the captions of another code: YouTube's 'en-orig' are those of 'en'."""
    return code.endswith("-orig") and code.removesuffix("-orig") in spoken


def _matches(text: str, code: str) -> bool:
    if code == LIVE_CHAT:
        return text == LIVE_CHAT
    return re.fullmatch(text, code) is not None
