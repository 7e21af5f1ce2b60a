"""What can be asked of `subtitles`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NewType

from swather.builtin.subtitles import languages, names, ytdl_arguments

FORMATS: tuple[str, ...] = ("vtt", "srt", "json3", "ttml", "txt")
# All of them texts: the help of a command names them so.
Language = NewType("Language", str)
Format = NewType("Format", str)
Template = NewType("Template", str)
File = NewType("File", str)
Argument = NewType("Argument", str)


@dataclass(frozen=True, kw_only=True)
class Params:
    """Which subtitles to take, and how to keep them."""

    lang: Annotated[
        tuple[Language, ...],
        "Languages, the most wanted first: en,de or patterns such as en.*; -en-GB leaves one out. "
        "The first that a video has is taken.",
    ] = (Language("en.*"),)
    every_lang: Annotated[
        bool, "Take every wanted language that a video has, not only the first."
    ] = False
    automatic: Annotated[
        languages.Automatic,
        "Automatic captions: yes, no, or only if no wanted language has others.",
    ] = "fallback"
    format: Annotated[
        tuple[Format, ...],
        "Formats: vtt, srt, json3, ttml, or txt, which is the text alone; srt,txt saves both.",
    ] = (Format("vtt"),)
    name: Annotated[
        Template,
        f"Names of the files, of {', '.join(f'{{{field}}}' for field in names.FIELDS)}; "
        "a / makes folders.",
    ] = Template(names.DEFAULT)
    metadata: Annotated[bool, "Also save what yt-dlp knows of a video, as .info.json."] = False
    known: Annotated[
        Literal["skip", "refresh"],
        "Videos that an earlier run saved in the same folder: skip them, or take them again.",
    ] = "skip"
    live: Annotated[
        Literal["wait", "skip"], "Streams that are live or announced: wait for them, or skip them."
    ] = "wait"
    cookies: Annotated[
        File | None,
        "A file of cookies (cookies.txt) for videos that need a login; it is only read.",
    ] = None
    ytdl: Annotated[
        tuple[Argument, ...],
        "An argument of yt-dlp as key=value, such as proxy=http://… or "
        "extractor_args=youtube:player_client=tv.",
    ] = ()

    def __post_init__(self) -> None:
        # One option may name several, as in yt-dlp: --lang en,de.
        for field in ("lang", "format"):
            object.__setattr__(self, field, _split(field, getattr(self, field)))
        for language in self.lang:
            languages.check_language(language)
        if all(language.startswith("-") for language in self.lang):
            raise ValueError(f"'lang': {','.join(self.lang)} only leaves languages out; add '.*'")
        for wanted in self.format:
            if wanted not in FORMATS:
                raise ValueError(f"'format': expected one of {', '.join(FORMATS)}, got {wanted!r}")
        names.check_template(self.name)
        given = ytdl_arguments.options_of(self.ytdl)
        if self.cookies is not None and (insecure := ytdl_arguments.INSECURE & given.keys()):
            raise ValueError(
                f"'ytdl': {min(insecure)} cannot be used with cookies: others could read them"
            )
        if self.every_lang and "{language}" not in self.name:
            raise ValueError(f"'name': with every_lang, {self.name!r} must have {{language}}")
        if self.cookies is not None:
            # A worker may be started in another folder than the command.
            object.__setattr__(self, "cookies", str(Path(self.cookies).expanduser().absolute()))

    def check_given(self) -> None:
        """Whether there is such a file here; a worker may be elsewhere, and have it later."""
        if self.cookies is not None:
            check_cookie_file(Path(self.cookies))


def _split(field: str, given: tuple[str, ...]) -> tuple[str, ...]:
    words = [word.strip() for text in given for word in text.split(",")]
    if not words or not all(words):
        raise ValueError(f"{field!r}: expected one or more words with commas between them")
    return tuple(dict.fromkeys(words))


def check_cookie_file(path: Path) -> None:
    """ValueError unless it can be read, and looks like cookies.txt."""
    if not path.is_file():
        raise ValueError(f"'cookies': there is no file {str(path)!r}")
    try:
        with path.open("rb") as file:
            beginning = file.read(200)
    except OSError as error:
        raise ValueError(f"'cookies': {str(path)!r} cannot be read: {error.strerror}") from error
    if not beginning.lstrip().startswith((b"#", b".")) and b"\t" not in beginning:
        raise ValueError(
            f"'cookies': {str(path)!r} is not a cookies.txt file (Netscape format, with tabs)"
        )
