"""`swather start|enqueue --server`, by a client that has neither the code nor the database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from swather.api.client_nouns import Runs
from swather.errors import ServerUnreachable
from swather.model.run import RunState
from swather.store import Store
from tests.cli.conftest import Result, Swather, done

SITE = """\
start = ["https://shop.example/"]

[fields]
title = "h2"
"""


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = swather.store.open(database)
    yield opened
    opened.close()


@pytest.fixture
def words(store: Store, server: str) -> str:
    """The address of a server where a scraper `words` is registered."""
    Path("words.py").write_text(
        "from swather import scraper\n\n@scraper\ndef words(ctx, word): ...\n"
    )
    Path("swather.toml").write_text('[scrapers.words]\npath = "words.py"\n')
    return server


@pytest.fixture
def elsewhere(started: Swather, tmp_path: Path) -> Swather:
    """The program in a folder without any scraper."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()

    def call(*arguments: str) -> Result:
        return started(*arguments, cwd=folder)

    return call


def runs_of(store: Store) -> list[tuple[RunState, bool, int]]:
    """Of each its state, whether it is kept open, and how many targets it has."""
    found = store.runs.find()
    return [(run.state, run.keep_open, store.runs.counts(run.name).total) for run in found]


def test_targets_are_enqueued_by_a_client_without_the_code(
    elsewhere: Swather, store: Store, words: str
):
    Path("elsewhere/more.csv").write_text("word\nthree\n")
    command = ("enqueue", "words", "--server", words, "--json")
    first = done(elsewhere, *command, "one", "two").data
    assert first["enqueued"] == 2
    more = done(elsewhere, *command, "--targets", "more.csv").data
    assert more == {"run": first["run"], "enqueued": 1}
    assert runs_of(store) == [(RunState.OPEN, False, 3)]
    unknown = elsewhere("enqueue", "worms", "one", "--server", words)
    assert (unknown.code, "no scraper is registered as 'worms'" in unknown.err) == (2, True)
    # The beginning of a name is that of a run, but of no scraper.
    unknown = elsewhere("enqueue", "word", "one", "--server", words)
    assert (unknown.code, "no scraper is registered as 'word'" in unknown.err) == (2, True)


def test_without_targets_those_of_the_server_are_enqueued(
    elsewhere: Swather, store: Store, words: str
):
    said = elsewhere("enqueue", "words", "--server", words)
    assert (said.code, "nothing to scrape: give targets" in said.err) == (2, True)
    Path("own.txt").write_text("one\ntwo\n")
    Path("swather.toml").write_text('[scrapers.words]\npath = "words.py"\ntargets = "own.txt"\n')
    command = ("enqueue", "words", "--server", words, "--json")
    first = done(elsewhere, *command).data
    again = done(elsewhere, *command).data
    assert (first["enqueued"], again["enqueued"], again["run"]) == (2, 0, first["run"])
    assert done(elsewhere, *command, "--new").data["run"] != first["run"]
    said = elsewhere("enqueue", "words", "--resume", first["run"], "--server", words)
    assert (said.code, f"nothing to load into {first['run']}" in said.err) == (2, True)


def test_the_start_of_a_site_file_is_enqueued_there(elsewhere: Swather, store: Store, words: str):
    Path("shop.toml").write_text(SITE)
    Path("swather.toml").write_text('[scrapers.shop]\npath = "shop.toml"\n')
    assert done(elsewhere, "start", "shop", "--server", words, "--json").data["enqueued"] == 1


@pytest.mark.parametrize("verb", ["start", "enqueue"])
def test_files_that_cannot_be_read_begin_no_run(
    swather: Swather, store: Store, words: str, verb: str
):
    Path("targets.csv").write_text("url,rank\none,1\n,2\n")
    command = (verb, "words", "--targets", "targets.csv", "--server", words)
    said = swather(*command, "--column", "nope")
    assert (said.code, said.out) == (2, "")
    assert "targets.csv has no column 'nope'; its columns are url, rank" in said.err
    said = swather(*command, "--column", "url")
    assert (said.code, "targets.csv line 3" in said.err, "--skip-bad" in said.err) == (
        2,
        True,
        True,
    )
    assert runs_of(store) == []
    assert "2: " not in done(swather, *command, "--column", "url", "--skip-bad").out
    assert runs_of(store) == [(RunState.OPEN, False, 1)]


@pytest.mark.parametrize("verb", ["start", "enqueue"])
def test_a_run_whose_targets_do_not_come_is_cancelled(
    started: Swather, store: Store, words: str, verb: str
):
    command = (verb, "words", "--targets", "-", "--column", "nope", "--server", words)
    said = started(*command, input="url\none\n")
    assert (said.code, "has no column 'nope'" in said.err) == (2, True)
    (run,) = store.runs.find()
    assert f"note: run {run.name} was begun and is cancelled: no target was loaded" in said.err
    assert runs_of(store) == [(RunState.CANCELLED, True, 0)]
    more = done(started, "enqueue", "words", "five", "--server", words, "--json").data
    assert more["run"] != run.name


@pytest.mark.parametrize(("options", "keeps_open"), [((), False), (("--keep-open",), True)])
def test_a_run_that_got_some_of_its_targets_is_closed(
    started: Swather, store: Store, words: str, options: tuple[str, ...], keeps_open: bool
):
    lines = "word,rank\n" + "".join(f"word {number},5\n" for number in range(11_000)) + "last,x\n"
    command = ("start", "words", "--targets", "-", "--column", "word", "--priority-column", "rank")
    said = started(*command, *options, "--server", words, input=lines)
    assert said.code == 2
    (run,) = store.runs.find()
    loaded = store.runs.counts(run.name).total
    assert (run.keep_open, run.load_incomplete, loaded > 1_000) == (keeps_open, True, True)
    assert f"note: run {run.name} has {loaded:,} targets, not all of them; to load" in said.err
    assert f"swather enqueue words --resume {run.name} --server {words}\n" in said.err


def test_a_run_is_cancelled_when_its_upload_is_interrupted(
    swather: Swather, store: Store, words: str, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    Path("targets.txt").write_text("one\n")
    monkeypatch.setattr(Runs, "upload_file", interrupted)
    said = swather("start", "words", "--targets", "targets.txt", "--server", words)
    (run,) = store.runs.find()
    assert (said.code, f"run {run.name} was begun and is cancelled" in said.err) == (130, True)
    assert runs_of(store) == [(RunState.CANCELLED, True, 0)]


def test_a_run_that_cannot_be_ended_is_named(
    swather: Swather, store: Store, words: str, monkeypatch: pytest.MonkeyPatch
):
    def lost(*_: object, **__: object) -> None:
        raise ServerUnreachable("gone")

    Path("targets.txt").write_text("one\n")
    monkeypatch.setattr(Runs, "upload_file", lost)
    monkeypatch.setattr(Runs, "stats", lost)
    said = swather("start", "words", "--targets", "targets.txt", "--server", words)
    (run,) = store.runs.find()
    assert (said.code, "error: gone" in said.err) == (3, True)
    assert f"to end it: swather cancel {run.name} --server {words}\n" in said.err


def test_a_run_is_closed_there(swather: Swather, store: Store, words: str):
    there = ("--server", words)
    run = done(swather, "start", "words", "one", "--keep-open", *there, "--json").data["run"]
    assert done(swather, "runs", "close", "words", *there).out == (
        f"run {run} finishes when its targets are done: 1 left\n"
    )
    assert not store.runs.get(run).keep_open
    assert done(swather, "runs", "close", run, *there).out == f"run {run} was not kept open\n"


@pytest.mark.parametrize("resume", [("--resume",), ("--resume", "words")])
def test_a_start_there_never_resumes(
    swather: Swather, store: Store, words: str, resume: tuple[str, ...]
):
    said = swather("start", "words", "one", *resume, "--server", words)
    assert (said.code, "--resume cannot go to a server; leave it out" in said.err) == (2, True)
    assert runs_of(store) == []
