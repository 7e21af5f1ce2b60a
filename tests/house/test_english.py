"""Turns of phrase that read as translated stay out of the code and its pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAY_INSTEAD = {
    r"\b(?:it|text|starts?|started|begins?|made|written) anew\b": "again",
    r"\bin vain\b": "unused, for nothing",
    r"\bslip of the pen\b": "typo",
    r"\b(?:nobody|somebody) (?:can be asked|typed)\b": "not interactive; not given",
    r"\bis no (?:setting|fixture|regular expression|web page|URL|terminal|verb)\b": "is not a …",
    r"\bhas not (?:the|a|any)\b": "does not have",
    r"\bwhich \w+ has not\b": "which … does not have, does not allow",
    r"\bis open since\b": "has been open since",
    r"\bis (?:completed|failed|cancelled) at\b": "was completed at",
    r"\bgo(?:es)? on (?:with|where|from)\b": "resume, continue",
    r"\blet go on\b": "resume",
    r"\bbegin (?:a new )?run\b|\bbegin a new one\b": "start",
    r"\bwas begun with\b": "was started with",
    r"\bwhen what runs has ended\b": "when running targets have finished",
    r"\bwaiting for a later time\b": "waiting to retry",
    r"\bcom(?:es|e) again (?:later|by itself)\b": "will be tried again",
    r"\bhas not been heard of\b": "has not been heard from",
}
EXAMPLES = (
    "The clock starts anew with each boot.",
    "3 tasks were claimed in vain",
    "may be a slip of the pen",
    "Nobody can be asked here: say --yes".lower(),
    "'x' is no setting",
    "this worker has not the code of 'books'",
    "NaN, which JSON has not",
    "The breaker is open since 12:00",
    "It is completed at 12:00",
    "go on with run 1",
    "let go on what was paused",
    "begin run 1",
    "it was begun with 'books.py'",
    "stopping when what runs has ended; again to stop at once",
    "3 waiting for a later time",
    "the target comes again later",
    "Worker mill has not been heard of for 15s.",
)


def running_text(path: Path) -> str:
    """In one line, with the pieces of a string that spans several lines joined."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        text = re.sub(r"\"\s*\n\s*f?r?\"", "", text)
        text = re.sub(r"\n\s*#", "\n", text)
    return " ".join(text.split())


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    return {path.relative_to(ROOT): running_text(path) for path in sources}


@pytest.mark.parametrize("turn", SAY_INSTEAD)
def test_turns_that_read_as_translated_are_not_used(turn: str, texts: dict[Path, str]):
    found = [
        f"{path}: …{text[max(match.start() - 30, 0) : match.end() + 30]}…"
        for path, text in texts.items()
        for match in re.finditer(turn, text, re.IGNORECASE)
    ]
    assert found == [], f"say: {SAY_INSTEAD[turn]}"


@pytest.mark.parametrize("turn", SAY_INSTEAD)
def test_a_turn_can_be_found(turn: str):
    """Each pattern matches one of the sentences that it was made for."""
    assert any(re.search(turn, sentence) for sentence in EXAMPLES)
