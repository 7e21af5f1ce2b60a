"""Names that sites give become names that are safe on every disk."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.model.task import check_name
from swather.scraping.filenames import (
    EXTENSIONS,
    MAX_BYTES,
    MAX_FOLDERS,
    label_of,
    numbered,
    safe_name,
    safe_path,
)

HASH = "ab" * 32


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Report 2026.pdf", "Report 2026.pdf"),
        ("../../etc/passwd", "passwd"),
        ("/etc/passwd", "passwd"),
        (r"C:\Windows\system.ini", "system.ini.bin"),
        ("a/b/c.pdf", "c.pdf"),
        ("..", HASH[:16]),
        ("a\0b.pdf", "ab.pdf"),
        ("CON", "_CON"),
        ("con.txt", "_con.txt"),
        ("NUL.tar.gz", "_NUL.tar.gz"),
        ("Com1 .txt", "_Com1.txt"),
        ("photo\u202egnp.exe", "photognp.exe.bin"),
        ("run.sh", "run.sh.bin"),
        (".bashrc", "bashrc"),
        ("-rf", "rf"),
        ("a:b?.txt", "a_b_.txt"),
        ("trailing. . ", "trailing"),
        ("Dr. Who and the rest", "Dr. Who and the rest"),
        ("e\u0301.txt", "é.txt"),
        ("日本語.srt", "日本語.srt"),
        ("", HASH[:16]),
        (None, HASH[:16]),
    ],
)
def test_hostile_and_ordinary_names(name, safe):
    assert safe_name(name, HASH) == safe


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        ("cats/openverse/a.jpg", ["cats", "openverse"]),
        ("/etc/a.jpg", ["etc"]),
        ("../..//./~/a.jpg", []),
        (".content/ab/a.jpg", ["content", "ab"]),
        (r"..\x/a\0b/a.jpg", ["_x", "a_0b"]),
        ("CON/nul.d/a.jpg", ["_CON", "_nul.d"]),
        ("run.sh/a.jpg", ["run.sh"]),
        ("\u202egpj/ . /a.jpg", ["gpj"]),
        ("é" * 300 + "/a.jpg", ["é" * (MAX_BYTES // 2)]),
        ("x/" * 50 + "a.jpg", ["x"] * MAX_FOLDERS),
    ],
)
def test_each_folder_of_a_name_is_made_safe_by_itself(name, folders):
    assert safe_path(name, HASH) == (tuple(folders), "a.jpg")


def test_a_name_that_ends_with_a_folder_gets_one_of_its_own():
    assert safe_path("cats/", HASH, "image/png") == (("cats",), HASH[:16] + ".png")


def test_a_long_name_keeps_its_extension():
    name = safe_name("é" * 300 + ".pdf", HASH)
    assert len(name.encode()) <= MAX_BYTES
    assert name.endswith("é.pdf")


def test_a_name_cut_at_a_space_does_not_end_with_it():
    assert safe_name("a" * (MAX_BYTES - 1) + " b", HASH) == "a" * (MAX_BYTES - 1)


def test_without_a_name_the_media_type_gives_the_extension():
    assert safe_name(None, HASH, "application/pdf; charset=x") == HASH[:16] + ".pdf"
    assert safe_name(None, HASH, "application/x-msdownload") == HASH[:16]


@given(st.text(st.characters(), max_size=400))
def test_whatever_the_name_it_is_one_visible_part_of_a_path(name):
    safe = safe_name(name, HASH)
    assert safe not in {"", ".", ".."}
    assert PurePosixPath(safe).parts == (safe,)
    assert PureWindowsPath(safe).name == safe
    assert safe.partition(".")[0].strip().upper() not in {
        "CON",
        "PRN",
        "AUX",
        "NUL",
        "COM1",
        "LPT9",
    }
    assert len(safe.encode()) <= MAX_BYTES
    assert not any(unicodedata.category(c).startswith("C") for c in safe)
    assert safe[0] not in " .-~"
    assert safe[-1] not in " ."


@given(st.text(st.characters(), max_size=400))
def test_the_name_as_it_was_given_fits_into_every_database(name):
    check_name("file name", label_of(name))


def test_numbers_are_put_before_the_extension_and_end_with_the_hash():
    names = list(numbered("a.tar.gz", HASH))
    assert names[:3] == ["a.tar.gz", "a.tar-1.gz", "a.tar-2.gz"]
    assert names[-2:] == [f"a.tar-{HASH[:12]}.gz", f"{HASH}.gz"]
    assert list(numbered("README", HASH))[1] == "README-1"


def test_nothing_that_runs_is_among_the_extensions():
    assert not EXTENSIONS & {"exe", "sh", "bat", "cmd", "com", "js", "jar", "desktop", "lnk", "py"}
