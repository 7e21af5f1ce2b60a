"""Files in a bucket: the same names, hashes and promise as on a disk."""

import hashlib
from pathlib import Path

import pytest

from swather.errors import InputError
from swather.file_location import BucketFolder, read_location
from swather.model.outcome import File
from swather.net.bucket import BucketAccess, BucketRefused, BucketUnavailable
from swather.scraping import bucket_files
from swather.scraping.bucket_files import BucketFiles
from swather.scraping.downloads import Landed
from swather.scraping.files import Pruned
from swather.scraping.folder_files import FolderFiles
from tests.fake_s3 import ACCESS_KEY, SECRET_KEY, FakeS3, Stored

FOLDER = BucketFolder("bucket", "saved")
NAMES = ["a.pdf", "../../evil\0.pdf", "cats/ä b#1+%25 [x]~.jpg", "x/../y.exe", "con.txt", None, ""]


@pytest.fixture
def s3():
    with FakeS3() as served:
        yield served


def files_in(s3, folder=FOLDER, **other):
    given = {"endpoint": s3.endpoint, "access_key": ACCESS_KEY, "secret_key": SECRET_KEY}
    return BucketFiles(folder, BucketAccess(**{**given, **other}))


@pytest.fixture
def files(s3):
    return files_in(s3)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def content_key(content):
    return f"saved/.content/{sha256(content)[:2]}/{sha256(content)}"


def test_names_and_hashes_are_those_of_a_disk(files, s3, tmp_path):
    disk = FolderFiles(tmp_path / "saved")
    for number, name in enumerate(NAMES * 2):
        content = f"content {number}".encode()
        kept = disk.save_file(content, name, "application/pdf")
        assert files.save_file(content, name, "application/pdf") == kept
        for store in (disk, files):
            store.link_name(kept.sha256, kept.name, kept.media_type)
    on_disk = {
        str(path.relative_to(tmp_path)): path.read_bytes()
        for path in disk.folder.rglob("*")
        if path.is_file() and ".content" not in path.parts
    }
    assert s3.named() == on_disk
    assert s3.objects[content_key(b"content 0")].content == b"content 0"


def test_a_file_and_bytes_are_saved_alike_and_leave_nothing_here(files, s3, tmp_path):
    large = b"x" * 9_000_000  # more than one request may take in its usual time
    for content in (b"", b"small", large):
        path = tmp_path / "file"
        path.write_bytes(content)
        assert files.save(content) == files.save(path) == (sha256(content), len(content))
        assert s3.objects[content_key(content)].content == content
        assert path.exists()
    assert list(files.new_path().parent.iterdir()) == []


def test_a_download_is_moved_and_can_be_saved_twice(files, s3):
    path = files.new_path()
    with files.open_new(path) as file:
        file.write(b"film")
    found = path.stat()
    landed = Landed(path, sha256(b"film"), 4, (found.st_size, found.st_mtime_ns))
    kept = files.save_file(landed, "a.mp4")
    assert (kept.sha256, kept.size_bytes, path.exists()) == (sha256(b"film"), 4, False)
    assert files.save_file(landed, "b.mp4").sha256 == kept.sha256
    s3.objects.clear()
    with pytest.raises(FileNotFoundError):
        files.save_file(landed, "c.mp4")


def test_large_content_that_is_there_is_not_uploaded_again_unless_it_is_old(files, s3):
    large = b"y" * 2_000_000
    files.save(large)
    s3.requests.clear()
    files.save(large)
    assert s3.requests == {"HEAD": 1}
    s3.age(content_key(large), days=0.6)
    files.save(large)
    assert s3.requests["PUT"] == 1


def test_naming_again_changes_nothing(files, s3):
    digest, _ = files.save(b"hello")
    named = files.link_name(digest, "a.pdf")
    assert str(named) == "s3://bucket/saved/a.pdf"
    before = dict(s3.objects)
    assert files.link_name(digest, "a.pdf") == named
    assert s3.objects == before
    assert files.files_named(["a.pdf", "b.pdf"]) == {"a.pdf"}


def test_what_a_stranger_has_put_there_is_not_overwritten(files, s3):
    digest, _ = files.save(b"hello")
    s3.objects["saved/a.pdf"] = Stored(b"other")
    assert str(files.link_name(digest, "a.pdf")).endswith("/a-1.pdf")
    assert s3.named() == {"saved/a.pdf": b"other", "saved/a-1.pdf": b"hello"}


def test_of_two_that_want_a_name_at_once_one_gets_another(s3, monkeypatch):
    """The second comes while the first has asked whether the name is free, and not copied yet."""
    first, second = files_in(s3), files_in(s3)
    contents = [first.save(b"one")[0], second.save(b"two")[0]]
    find = first._bucket.find

    def found(key):
        there = find(key)
        monkeypatch.undo()
        second.link_name(contents[1], "a.pdf")
        return there

    assert first.keeps_names
    monkeypatch.setattr(first._bucket, "find", found)
    first.link_name(contents[0], "a.pdf")
    assert s3.named() == {"saved/a.pdf": b"one", "saved/a-1.pdf": b"two"}


def test_on_a_server_without_conditions_names_carry_their_hash():
    with FakeS3(conditional=False) as s3:
        files = files_in(s3)
        for content in (b"one", b"two"):
            files.link_name(files.save(content)[0], "x/a.pdf")
        assert s3.named() == {
            f"saved/x/a-{sha256(content)[:12]}.pdf": content for content in (b"one", b"two")
        }


def test_orphans_are_set_aside_for_a_day_and_then_deleted(files, s3):
    for content in (b"old", b"referenced", b"young"):
        files.save(content)
    for content in (b"old", b"referenced"):
        s3.age(content_key(content), days=1.1)
    wanted = {sha256(b"referenced")}
    assert files.prune_daily(wanted.__contains__) == Pruned(0, 0)
    aside = f"saved/.removed/{sha256(b'old')}"
    assert content_key(b"old") not in s3.objects
    assert s3.objects[aside].content == b"old"
    s3.age(aside, days=1.1)
    assert files.prune_daily(wanted.__contains__) == Pruned(0, 0)  # once a day
    assert aside in s3.objects
    assert files.prune(wanted.__contains__) == Pruned(1, 3)
    assert sorted(key for key in s3.objects if "pruned" not in key) == sorted(
        [content_key(b"referenced"), content_key(b"young")]
    )


@pytest.mark.parametrize("is_named", [True, False])
def test_content_saved_again_while_it_is_pruned_comes_back(files, s3, is_named):
    digest, _ = files.save(b"again")
    s3.age(content_key(b"again"), days=1.1)
    files.prune(lambda _: False)
    assert content_key(b"again") not in s3.objects
    if is_named:
        files.link_name(digest, "a.pdf")
        assert s3.named() == {"saved/a.pdf": b"again"}
    else:
        files.prune(lambda _: True, older_than_seconds=-1)
    assert s3.objects[content_key(b"again")].content == b"again"


@pytest.mark.slow
def test_a_name_waits_for_a_server_that_is_away_and_content_of_elsewhere_does_not(files, s3):
    here = files.save_file(b"here", "a.pdf")
    elsewhere = File(name="b.pdf", sha256=sha256(b"b"), size_bytes=1, media_type="")
    assert files.link_parts({(1, 0): [here], (2, 0): [elsewhere]}) == [(1, 0)]
    s3.stop()
    with pytest.raises(BucketUnavailable, match=f"cannot be reached at {s3.endpoint}"):
        files.link_parts({(1, 0): [here]})


def test_a_file_that_one_request_cannot_write_is_refused(files, s3, monkeypatch):
    monkeypatch.setattr(bucket_files, "MAX_BYTES", 4)
    with pytest.raises(InputError, match="at most 0 GiB, got 5 bytes"):
        files.save(b"hello")
    assert s3.objects == {}


def test_the_endpoint_that_is_given_counts_whatever_the_environment_says(s3, monkeypatch):
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    files_in(s3).check()


WRONG = [
    ({"folder": BucketFolder("nope", "x")}, "s3://nope/x cannot be used: there is no such bucket"),
    ({"access_key": "AKIDWRONG"}, "does not know the access key: check s3_access_key"),
    ({"secret_key": "wrong"}, "does not fit the access key: check s3_secret_key"),
]


@pytest.mark.parametrize(("other", "words"), WRONG)
def test_what_the_server_refuses_is_said_in_words(s3, other, words):
    with pytest.raises(BucketRefused, match=words) as caught:
        files_in(s3, **other).check()
    assert "AKIDWRONG" not in str(caught.value)
    with pytest.raises(InputError, match=words):
        files_in(s3, **other).make()


@pytest.mark.parametrize("method", ["PUT", "GET", "DELETE"])
def test_a_missing_permission_is_said_before_anything_is_saved(files, s3, method):
    s3.denied = {method}
    with pytest.raises(
        BucketRefused, match="no permission for this: it needs s3:GetObject, s3:Put"
    ):
        files.check()


@pytest.mark.parametrize(
    "wrong",
    ["s3://", "s3://b", "s3:///x", "s3://key:secret@bucket/x", "s3://bucket/a//b", "s3://bucket/../x",
     "s3://bucket/x?region=y", "s3://bucket/a\nb", "s3://bucket/" + "x" * 400],
)  # fmt: skip
def test_an_address_that_cannot_be_used_is_refused(wrong):
    with pytest.raises(ValueError, match="should look like 's3://bucket/prefix'") as caught:
        read_location(wrong)
    assert "secret" not in str(caught.value)


def test_an_address_is_read_and_shown_alike():
    for text in ("s3://bucket", "s3://bucket/a/b"):
        assert str(read_location(text)) == str(read_location(f"{text}/")) == text
    assert read_location("kept") == Path("kept")


def test_content_in_a_bucket_is_read_in_pieces(files):
    content = bytes(range(256)) * 5_000
    saved, _ = files.save(content)
    assert b"".join(files.chunks_of(saved)) == content
    with pytest.raises(FileNotFoundError):
        next(files.chunks_of(sha256(b"never saved")))
