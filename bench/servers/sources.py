"""Five sources of pictures on loopback that have other pictures for every query."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from swather.testing import Answer, Asked
from tests.builtin.media.stand_ins import Query, StandIn, picture

NAMES = ("openverse", "wikimedia_commons", "internet_archive", "bing_images", "google_images")
PICTURES = 4
_JPEG = {"Content-Type": "image/jpeg"}


class AnyQuery(StandIn):
    """What it is asked for is in the names of its files, and their names are in their bytes.

    Each answer takes `seconds`.
    """

    def __init__(self, source: str, seconds: float) -> None:
        self._seconds = seconds
        super().__init__(source, pictures=0)

    def search(self, path: str, answer: Callable[[Query], object]) -> None:
        def answer_for(query: Query) -> object:
            words = query.get("q") or query.get("gsrsearch") or ""
            name = "".join(letter for letter in words if letter.isdigit())
            self.pictures[:] = [f"{name}-{number}.jpg" for number in range(PICTURES)]
            return answer(query)

        super().search(path, answer_for)

    def _answer_to(self, asked: Asked) -> Answer:
        name = asked.path.rpartition("/")[2]
        if asked.path.startswith(("/files/", "/download/")):
            answer = Answer(_picture(f"{self.source} {name}"), headers=_JPEG)
        elif asked.path.startswith("/metadata/"):
            file = f'{{"name": "{name.removeprefix("item-")}", "source": "original"}}'
            answer = Answer(f'{{"files": [{file}], "metadata": {{"mediatype": "image"}}}}')
        else:
            answer = super()._answer_to(asked)
        return answer._replace(seconds=self._seconds)


def _picture(name: str) -> bytes:
    """One picture for all, with a comment: drawing each would measure Pillow."""
    whole = picture("any.jpg")
    comment = name.encode()
    return whole[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2) + comment + whole[2:]


@contextmanager
def five_sources(seconds: float = 0.0) -> Iterator[dict[str, StandIn]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(AnyQuery(name, seconds)) for name in NAMES}
