"""Five sources of pictures on loopback that have other pictures for every query."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from swather.testing import Answer, Asked
from tests.builtin.media.stand_ins import KEY, Query, StandIn, picture

NAMES = ("openverse", "flickr", "bing_images", "google_images", "yandex_images")
KEYS = {"FLICKR_API_KEY": KEY}
PICTURES = 2
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
            name = (query.get("q") or query["text"]).replace(" ", "-")
            self.pictures[:] = [f"{name}-{number}.jpg" for number in range(PICTURES)]
            return answer(query)

        super().search(path, answer_for)

    def _answer_to(self, asked: Asked) -> Answer:
        name = asked.path.rpartition("/")[2]
        if asked.path.startswith("/files/"):
            answer = Answer(_picture(f"{self.source} {name}"), headers=_JPEG)
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
