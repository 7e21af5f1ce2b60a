"""What later jobs know of this one: which files there are, and what sources answered."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from swather.builtin.media.download import Fetched
from swather.builtin.media.results import Ended
from swather.builtin.media.sources.source import Wanted
from swather.scraping.context import Context

# A remembered value is small; a long answer takes several.
_PART_BYTES: Final = 48 << 10
_MAX_CLAIMS: Final = 10_000
_encode = msgspec.json.encode


class Answer(msgspec.Struct, frozen=True):
    """What a source came to, and the items of its files."""

    ended: Ended
    items: list[dict[str, Any]]


class Claims:
    """The last files of the jobs of this process, before their commit and after it, by run and key:
    jobs of a run that are executed beside each other publish a file once.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], dict[str, str]] = {}

    def of(self, run: str, keys: Iterable[str]) -> dict[str, dict[str, str]]:
        return {key: self._values[run, key] for key in keys if (run, key) in self._values}

    def add(self, run: str, key: str, value: dict[str, str]) -> None:
        self._values[run, key] = value
        while len(self._values) > _MAX_CLAIMS:
            del self._values[next(iter(self._values))]

    def drop(self, job_id: str) -> None:
        """The job has come to nothing: others may publish its files."""
        for key in [key for key, value in self._values.items() if value["job"] == job_id]:
            del self._values[key]


class Memory:
    """Of one job."""

    def __init__(self, ctx: Context, job_id: str, wanted: Wanted, claims: Claims) -> None:
        self._ctx = ctx
        self._claims = claims
        # Runs of two databases may have the same name.
        self._run = f"{ctx.run.files_folder} {ctx.run.name}"
        self._job_id = job_id
        self._wanted = wanted

    async def published(self, files: Iterable[Fetched]) -> dict[str, str]:
        """Which of these files other jobs have published: their names, by SHA-256. What an earlier
        attempt of this job has published is published again, in place of it.
        """
        keys = {_file_key(file.sha256): file.sha256 for file in files}
        recalled = await self._ctx.recall(keys)
        there = await self._there(value["file"] for value in recalled.values())
        kept = {key: value for key, value in recalled.items() if value["file"] in there}
        found = {**self._claims.of(self._run, keys), **kept}
        return {
            keys[key]: value["file"] for key, value in found.items() if value["job"] != self._job_id
        }

    def claim(self, sha256: str, name: str) -> None:
        """This job will publish the file, and no other job of this process."""
        self._claims.add(self._run, _file_key(sha256), {"file": name, "job": self._job_id})

    def add_file(self, sha256: str, name: str) -> None:
        """The file is published with what is committed next."""
        self._ctx.remember(_file_key(sha256), {"file": name, "job": self._job_id})

    async def answers(
        self, sources: Iterable[tuple[str, str]], max_age_seconds: float
    ) -> dict[str, Answer]:
        """What sources, each with its address, answered to the same question not long ago."""
        keys = {self._answer_key(name, url): name for name, url in sources}
        found = await self._ctx.recall(keys, max_age=max_age_seconds)
        answers = {}
        for key, first in found.items():
            rest = [f"{key}:{number}" for number in range(1, first["parts"])]
            others = await self._ctx.recall(rest, max_age=max_age_seconds)
            if len(others) < len(rest):
                continue
            items = [*first["items"], *(item for part in rest for item in others[part])]
            names = {item["file"] for item in items}
            if await self._there(names) == names:
                answers[keys[key]] = Answer(msgspec.convert(first["ended"], Ended), items)
        return answers

    def add_answer(self, source: str, url: str, answer: Answer) -> None:
        parts = list(_parts(answer.items))
        key = self._answer_key(source, url)
        ended = msgspec.to_builtins(answer.ended)
        self._ctx.remember(key, {"ended": ended, "parts": len(parts), "items": parts[0]})
        for number, part in enumerate(parts[1:], 1):
            self._ctx.remember(f"{key}:{number}", part)

    async def _there(self, names: Iterable[str]) -> set[str]:
        """Those of the names that files in the run's folder have: a person may have removed some,
        and a run may have another folder.
        """
        return await self._ctx.files_named(names)

    def _answer_key(self, source: str, url: str) -> str:
        asked = hashlib.sha256(_encode([self._wanted, url], order="sorted"))
        return f"answer:{source}:{asked.hexdigest()[:32]}"


def _file_key(sha256: str) -> str:
    return f"file:{sha256}"


def _parts(items: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    part: list[dict[str, Any]] = []
    size = 0
    for item in items:
        length = len(_encode(item))
        if part and size + length > _PART_BYTES:
            yield part
            part, size = [], 0
        part.append(item)
        size += length
    yield part
