"""Saved files: whole, durable, never overwritten, and gone when nobody wants them."""

import errno
import hashlib
import os
import threading
import time
from pathlib import Path

import pytest

from swather.errors import InputError
from swather.scraping import folder_files, links
from swather.scraping.files import ORPHAN_SECONDS, Pruned
from swather.scraping.folder_files import FolderFiles


@pytest.fixture
def store(tmp_path):
    return FolderFiles(tmp_path / "files")


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def everything_in(store):
    return sorted(path for path in store.folder.rglob("*") if not path.is_dir())


def age(path, seconds):
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_content_lies_under_its_hash(store):
    assert store.save(b"hello") == (sha256(b"hello"), 5)
    assert store.path_of(sha256(b"hello")).read_bytes() == b"hello"
    assert everything_in(store) == [store.path_of(sha256(b"hello"))]


def test_the_same_content_is_kept_once(store):
    store.save(b"hello")
    before = store.path_of(sha256(b"hello")).stat().st_ino
    store.save(b"hello")
    assert store.path_of(sha256(b"hello")).stat().st_ino == before
    assert len(everything_in(store)) == 1


def test_a_file_at_a_path_is_copied(store, tmp_path):
    source = tmp_path / "big"
    source.write_bytes(b"x" * 3_000_000)
    assert store.save(source) == (sha256(b"x" * 3_000_000), 3_000_000)
    assert source.exists()


def test_only_a_regular_file_is_copied(store, tmp_path):
    link = tmp_path / "link"
    link.symlink_to("/etc/hostname")
    for wrong in (link, tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="takes a regular file"):
            store.save(wrong)
    assert everything_in(store) == []


def test_a_kept_file_is_described_with_the_name_it_was_given(store):
    file = store.save_file(b"hello", "../../evil\0.pdf", "application/pdf")
    assert (file.name, file.sha256, file.size_bytes, file.media_type) == (
        "../../evil�.pdf", sha256(b"hello"), 5, "application/pdf",
    )  # fmt: skip
    assert store.save_file(b"hello", media_type="image/png").name == sha256(b"hello")[:16] + ".png"


def test_content_is_synced_before_it_has_its_name_and_its_folder_after(store, monkeypatch):
    steps = []
    replace = Path.replace

    def replaced(path, to):
        replace(path, to)
        steps.append("rename")

    store.save(b"other")
    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(folder_files.os, "fsync", lambda _: steps.append("sync"))
    monkeypatch.setattr(
        folder_files, "sync_folder", lambda path: steps.append(f"sync of {path.name}")
    )
    store.save(b"hello")
    folder = sha256(b"hello")[:2]
    assert steps == ["sync", "sync of .content", "rename", f"sync of {folder}"]


def test_a_full_disk_leaves_nothing_behind(store, monkeypatch):
    store.save(b"first")

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder_files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.save(b"second")
    assert everything_in(store) == [store.path_of(sha256(b"first"))]


def test_a_name_is_linked_once_however_often_it_is_asked_for(store):
    digest, _ = store.save(b"hello")
    path = store.link_name(digest, "a.pdf")
    assert path == store.folder / "a.pdf"
    assert path.read_bytes() == b"hello"
    assert store.link_name(digest, "a.pdf") == path
    assert len(everything_in(store)) == 2


def test_a_name_never_takes_the_place_of_other_content(store):
    contents = [f"content {n}".encode() for n in range(13)]
    paths = []
    for content in contents:
        digest, _ = store.save(content)
        paths.append(store.link_name(digest, "a.pdf"))
    assert [path.name for path in paths[:3]] == ["a.pdf", "a-1.pdf", "a-2.pdf"]
    assert paths[10].name == f"a-{sha256(contents[10])[:12]}.pdf"
    assert [path.read_bytes() for path in paths] == contents
    assert [store.link_name(sha256(c), "a.pdf") for c in contents] == paths


def test_what_lies_there_already_is_left_alone(store, tmp_path):
    digest, _ = store.save(b"hello")
    outside = tmp_path / "outside"
    outside.write_bytes(b"secret")
    (store.folder / "a.pdf").symlink_to(outside)
    (store.folder / "b.pdf").symlink_to(tmp_path / "nowhere")
    (store.folder / "c.pdf").mkdir()
    (store.folder / "d.pdf").write_bytes(b"HELLO")
    (store.folder / "e.pdf").write_bytes(b"hello")
    names = [store.link_name(digest, f"{letter}.pdf").name for letter in "abcde"]
    assert names == ["a-1.pdf", "b-1.pdf", "c-1.pdf", "d-1.pdf", "e.pdf"]
    assert outside.read_bytes() == b"secret"
    assert (store.folder / "d.pdf").read_bytes() == b"HELLO"


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "/etc/evil.txt", "evil\0.txt", "CON", None, ".content/x"]
)
def test_a_hostile_name_stays_in_the_folder(store, name):
    digest, _ = store.save(b"hello")
    path = store.link_name(digest, name)
    assert path.is_relative_to(store.folder)
    assert not path.is_relative_to(store.folder / ".content")
    assert ".." not in path.parts
    assert path.read_bytes() == b"hello"


def test_a_name_may_have_folders(store):
    digest, _ = store.save(b"hello")
    path = store.link_name(digest, "cats/open verse/a.jpg")
    assert path == store.folder / "cats" / "open verse" / "a.jpg"
    assert store.link_name(digest, "cats/open verse/a.jpg") == path
    other, _ = store.save(b"other")
    assert store.link_name(other, "cats/open verse/a.jpg").name == "a-1.jpg"


def test_a_folder_that_leads_elsewhere_or_is_none_is_left_alone(store, tmp_path):
    digest, _ = store.save(b"hello")
    outside = tmp_path / "outside"
    outside.mkdir()
    (store.folder / "cats").symlink_to(outside)
    (store.folder / "dogs").write_bytes(b"a file")
    paths = [store.link_name(digest, f"{name}/a.jpg") for name in ("cats", "dogs")]
    assert paths == [store.folder / "cats-1" / "a.jpg", store.folder / "dogs-1" / "a.jpg"]
    assert list(outside.iterdir()) == []


def test_many_names_in_a_folder_are_synced_once_and_one_that_fails_stops_no_other(
    store, monkeypatch, caplog
):
    synced = []
    monkeypatch.setattr(folder_files, "sync_folder", lambda path: synced.append(path.name))
    saved = [store.save_file(f"{n}".encode(), f"cats/{n}.txt") for n in range(20)]
    lost = store.save_file(b"lost", "cats/lost.txt")
    store.path_of(lost.sha256).unlink()
    synced.clear()
    parts = {(n, 0): [file] for n, file in enumerate([*saved, lost])}
    assert store.link_parts(parts) == [(n, 0) for n in range(20)]
    assert synced == ["cats"]
    assert "files of task 20 were stored but could not be named" in caplog.text


def test_names_that_could_not_be_synced_are_made_again(store, monkeypatch):
    file = store.save_file(b"hello", "a.txt")

    def broken(path):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(folder_files, "sync_folder", broken)
        assert store.link_parts({(1, 0): [file]}) == []
    assert store.link_parts({(1, 0): [file]}) == [(1, 0)]


def test_only_their_owner_may_read_folders_of_names(store):
    digest, _ = store.save(b"hello")
    path = store.link_name(digest, "cats/a.jpg")
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_where_hard_links_cannot_be_made_a_path_is_linked(store, monkeypatch):
    def refused(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(links.os, "link", refused)
    first, _ = store.save(b"hello")
    other, _ = store.save(b"other")
    path = store.link_name(first, "deep/er/a.pdf")
    assert path.is_symlink()
    assert path.read_bytes() == b"hello"
    assert store.link_name(first, "deep/er/a.pdf") == path
    assert store.link_name(other, "deep/er/a.pdf").name == "a-1.pdf"


def test_many_writers_of_one_name_each_get_their_own(store):
    contents = [f"content {n}".encode() for n in range(8)]
    together = threading.Barrier(len(contents))
    paths = {}

    def write(content):
        digest, _ = store.save(content)
        together.wait()
        paths[content] = store.link_name(digest, "a.pdf")

    threads = [threading.Thread(target=write, args=[content]) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {content: path.read_bytes() for content, path in paths.items()} == {
        content: content for content in contents
    }


def test_content_that_is_not_there_cannot_be_linked(store):
    store.save(b"x")
    with pytest.raises(FileNotFoundError):
        store.link_name("0" * 64, "a.pdf")
    for wrong in ("../../x", "AB" * 32, ""):
        with pytest.raises(InputError, match="64 hexadecimal digits"):
            store.path_of(wrong)


def test_pruning_takes_old_content_that_no_row_refers_to(store):
    old, wanted, young = (store.save(content)[0] for content in (b"old", b"wanted", b"young"))
    unfinished = store.folder / ".content" / "unfinished" / "rest"
    unfinished.write_bytes(b"half")
    for path in (store.path_of(old), store.path_of(wanted), unfinished):
        age(path, 100_000)
    assert store.prune(lambda digest: digest == wanted) == Pruned(2, 7)
    assert everything_in(store) == sorted([store.path_of(wanted), store.path_of(young)])
    assert store.prune(lambda _: False, older_than_seconds=-1) == Pruned(2, 11)


def test_content_saved_again_is_young_again(store):
    digest, _ = store.save(b"hello")
    age(store.path_of(digest), 100_000)
    store.save(b"hello")
    assert store.prune(lambda _: False) == Pruned(0, 0)


def test_content_saved_again_while_it_is_pruned_is_put_back(store, monkeypatch):
    digest, _ = store.save(b"hello")
    path = store.path_of(digest)
    age(path, 100_000)
    rename = Path.rename

    def save_first(self, to):
        if self == path:
            os.utime(path)
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", save_first)
    assert store.prune(lambda _: False) == Pruned(0, 0)
    assert path.read_bytes() == b"hello"


def test_an_empty_store_has_nothing_to_prune(tmp_path):
    assert FolderFiles(tmp_path / "none").prune(lambda _: False) == Pruned(0, 0)


def test_content_that_has_a_name_is_no_orphan(store):
    sha256, _ = store.save(b"named")
    store.link_name(sha256, "named.txt")
    assert store.prune(lambda _: False, older_than_seconds=-1) == Pruned(0, 0)
    (store.folder / "named.txt").unlink()
    assert store.prune(lambda _: False, older_than_seconds=-1) == Pruned(1, 5)


def test_a_folder_is_pruned_once_a_day(store):
    sha256, _ = store.save(b"orphan")
    old = time.time() - 2 * ORPHAN_SECONDS
    os.utime(store.path_of(sha256), (old, old))
    assert store.prune_daily(lambda _: True) == Pruned(0, 0)
    assert store.prune_daily(lambda _: False) == Pruned(0, 0)
    os.utime(store.folder / ".content" / "pruned", (old, old))
    assert store.prune_daily(lambda _: False) == Pruned(1, 6)


def test_content_is_read_in_pieces(store):
    content = os.urandom(3 << 20)
    saved, _ = store.save(content)
    pieces = list(store.chunks_of(saved))
    assert b"".join(pieces) == content
    assert max(map(len, pieces)) <= 1 << 20


def test_content_that_is_not_here_is_said_to_be_missing(store):
    with pytest.raises(FileNotFoundError):
        next(store.chunks_of(sha256(b"never saved")))
    with pytest.raises(InputError, match="64 hexadecimal"):
        next(store.chunks_of("../../etc/passwd"))
