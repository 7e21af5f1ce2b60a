"""The title of an error: its message without the ids that differ from target to target."""

import re
from functools import lru_cache
from typing import Final

MAX_TITLE_CHARACTERS: Final = 500
_MAX_READ_CHARACTERS: Final = 1_000
_MAX_QUOTED_CHARACTERS: Final = 60

# What is kept says what went wrong: statuses, limits, counts of arguments, names of formats. All
# other numbers are ids.
_PARTS: Final = re.compile(
    rf"""
    (?P<kept>
        \b(?:HTTP|[Ss]tatus(?:\ code)?|Errno|errno|timeout|code)[ :=/]{{1,2}}\d{{1,4}}(?![\d.,]*\d)
      | \b(?:base|expected|got|takes|but|most|least|exactly|given)\ \d{{1,2}}(?![\d.,]*\d)
      | (?<![\w.,])(?<!retry\ after\ )\d{{1,5}}(?:\.\d)?\ ?
        (?:s|ms|min|h|%|[kMG]i?B|seconds?|minutes?|hours?|positional|arguments?)(?!\w)
      | (?<![A-Za-z0-9])(?:
            h[1-6] | utf-?(?:8|16|32) | latin-?1 | iso-8859-\d+ | sha-?\d{{1,3}} | md5 | base64
          | mp[34] | ipv[46] | http/?[123](?:\.\d)?
        )(?![A-Za-z0-9])
    )
    | (?P<text>
        https?://[^\s'")>\]]+
      | '[^']{{{_MAX_QUOTED_CHARACTERS + 1},}}' | "[^"]{{{_MAX_QUOTED_CHARACTERS + 1},}}"
    )
    | (?P<id>
        0[xX][0-9a-fA-F]+
      | (?<!\w)[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}(?!\w)
      | (?<!\w)(?=[a-fA-F]*\d)(?=\d*[a-fA-F])[0-9a-fA-F]{{6,}}(?!\w)
      | (?<!\w)(?=\w{{8}})[A-Za-z_]*\d+[A-Za-z_]+\d\w*
      | \d+(?:[.,]\d+)*
    )
    """,
    re.VERBOSE | re.ASCII,
)
_SPECIAL: Final = re.compile(rf"\d|https?://|.{{{_MAX_QUOTED_CHARACTERS}}}", re.DOTALL)
_MASKS: Final = {"text": "…", "id": "#"}


@lru_cache(maxsize=1_024)
def error_title(message: str) -> str:
    """The first line of a message, with URLs and long quotes as '…' and ids as '#'."""
    first = message[:_MAX_READ_CHARACTERS].strip().partition("\n")[0]
    if _SPECIAL.search(first) is None:
        return first
    return _PARTS.sub(_masked, first)[:MAX_TITLE_CHARACTERS]


def _masked(found: re.Match[str]) -> str:
    return _MASKS.get(found.lastgroup or "", found[0])
