"""Files in a bucket, as a user sees them: settings, words, and no key where it is not needed."""

from pathlib import Path

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import write
from tests.fake_s3 import ACCESS_KEY, SECRET_KEY, FakeS3

SAVING = """
from swather import Permanent, scraper


@scraper(retries=0)
def saving(ctx, target):
    ctx.save(target.encode(), name=f"{target}/a.txt")
    return {"target": target}
"""
LOOKING = [
    ("status",), ("why",), ("tasks",), ("errors",), ("logs",), ("runs", "ls"), ("settings", "ls"),
    ("settings", "ls", "--json"), ("settings", "get", "s3_secret_key"), ("doctor",),
    ("doctor", "--json"), ("export", "saving", "-o", "x.csv"),
]  # fmt: skip


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch):
    with FakeS3() as served:
        monkeypatch.setenv("SWATHER_S3_ENDPOINT", served.endpoint)
        monkeypatch.setenv("SWATHER_FILES_FOLDER", "s3://bucket/saved")
        Path("swather.toml").write_text(
            f's3_access_key = "{ACCESS_KEY}"\ns3_secret_key = "{SECRET_KEY}"\n'
        )
        yield served


@pytest.mark.slow
def test_a_run_of_several_workers_saves_in_the_bucket_and_shows_no_key(
    installed: Swather, swather: Swather, s3: FakeS3, monkeypatch: pytest.MonkeyPatch
):
    write(SAVING)
    monkeypatch.delenv("SWATHER_FILES_FOLDER")
    folder = ("--output-dir", "s3://bucket/other")
    said = [done(installed, "run", "scrapers.py", "x", "y", "--workers", "2", "-v", *folder)]
    assert s3.named() == {"other/x/a.txt": b"x", "other/y/a.txt": b"y"}
    said.append(done(swather, "try", "scrapers.py", "t", *folder))
    assert s3.named()["other/t/a.txt"] == b"t"
    monkeypatch.setenv("SWATHER_FILES_FOLDER", "s3://bucket/saved")
    said += [done(swather, *command) for command in LOOKING]
    shown = "".join(one.out + one.err for one in said)
    assert "s3://bucket/saved can be written, listed, read and deleted from" in shown
    assert "*****" in shown
    written = [path for path in Path().rglob("*") if path.is_file() and path.name != "swather.toml"]
    assert any(path.suffix == ".log" for path in written)
    for text in (shown, *(path.read_text(errors="replace") for path in written)):
        assert SECRET_KEY not in text
        assert ACCESS_KEY not in text


WRONG = [
    (
        {"SWATHER_FILES_FOLDER": "s3://nope/x"},
        "s3://nope/x cannot be used: there is no such bucket",
    ),
    ({"SWATHER_S3_ACCESS_KEY": "canaryKey"}, "the server does not know the access key"),
    ({"AWS_SECRET_ACCESS_KEY": "canarySecret"}, "the secret key does not fit the access key"),
]
MALFORMED = [
    ({"SWATHER_FILES_FOLDER": "s3://me:canarySecret@b/x"}, "should look like 's3://bucket/prefix'"),
    ({"SWATHER_S3_ENDPOINT": "localhost:9000"}, "s3_endpoint should look like 'https://s3.exam"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "environment", "words"),
    [
        *((command, *case) for command in ("run", "worker", "doctor") for case in WRONG),
        *(("run", *case) for case in MALFORMED),
    ],
)
def test_what_is_wrong_is_one_line_before_any_target_is_scraped(
    swather: Swather, s3: FakeS3, monkeypatch: pytest.MonkeyPatch, environment, words, command
):
    write(SAVING)
    done(swather, "enqueue", "scrapers.py", "x")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    arguments = {"run": ("scrapers.py", "y"), "worker": ("scrapers.py",), "doctor": ()}[command]
    said = swather(command, *arguments)
    told = " ".join((said.out + said.err).split())
    assert said.code == (1 if command == "doctor" else 2)
    assert words in told
    assert "canary" not in told
    assert s3.named() == {}


@pytest.mark.slow
def test_a_server_that_is_away_is_told_and_a_folder_named_by_hand_is_refused(
    swather: Swather, s3: FakeS3
):
    write(SAVING)
    s3.stop()
    away = f"s3://bucket/saved cannot be reached at {s3.endpoint}: no connection"
    said = swather("run", "scrapers.py", "x", "--output-dir", "s3://bucket/saved")
    assert (said.code, away in said.err) == (2, True)
    assert not Path("swather.db").exists()
    said = swather("run", "scrapers.py", "x", "--max-time", "1s")
    assert f"{away}; files are saved once it can be" in said.err


def test_a_secret_of_the_wrong_type_is_not_shown(swather: Swather):
    Path("swather.toml").write_text("s3_secret_key = 4242\n")
    said = swather("settings", "ls")
    assert said.code == 2
    assert "s3_secret_key should be a valid string" in said.err
    assert "4242" not in said.err
