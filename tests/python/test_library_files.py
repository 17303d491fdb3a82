"""How a file is known again: callbridge._core._library_files."""

import hashlib
import os
import pathlib
import time

import pytest
from callbridge._core import _library_files


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.so").write_bytes(b"content")


@pytest.fixture
def much_later(monkeypatch):
    """The file was written well before."""
    now = time.time_ns() + 10**10
    monkeypatch.setattr(_library_files.time, "time_ns", lambda: now)


@pytest.mark.parametrize(
    "path, is_operator",
    [
        ("a.so:f", True),
        ("folder/a b.so:_F9", True),
        ("a.so", False),
        ("a.so:", False),
        (":f", False),
        ("a.so:9f", False),
        ("a.so:f-g", False),
        ("a\nb.so:f", True),
        ("there:f", False),
    ],
)
def test_names_of_operators(path, is_operator):
    pathlib.Path("there:f").touch()
    assert _library_files.names_operator(path) is is_operator


def test_what_is_read(much_later):
    found = _library_files.read("a.so")
    assert found.path == str(pathlib.Path.cwd() / "a.so")
    assert found.digest == hashlib.sha256(b"content").hexdigest()
    assert found.untouched == _library_files.find("a.so")
    large = os.urandom((1 << 20) + 1)
    pathlib.Path("large").write_bytes(large)
    assert _library_files.read("large").digest == hashlib.sha256(large).hexdigest()


def test_a_file_that_was_just_written_may_be_written_again_unseen(monkeypatch):
    changed = os.stat("a.so").st_ctime_ns
    for seconds, is_known in ((3, False), (3 + 1e-6, True)):
        now = changed + int(seconds * 1e9)
        monkeypatch.setattr(_library_files.time, "time_ns", lambda now=now: now)
        assert (_library_files.read("a.so").untouched is not None) == is_known


def test_what_is_no_file_that_can_be_read():
    os.mkfifo("pipe")
    for path in (".", "pipe", "none", "a\0b", "/proc/self/mem"):
        assert _library_files.read(path) is None
    assert _library_files.find(".") is None


def change_time(_):
    os.utime("a.so", ns=(1, 1))


def replace(content):
    pathlib.Path("b.so").write_bytes(content)
    os.replace("b.so", "a.so")


@pytest.mark.parametrize(
    "touch, is_there",
    [
        (lambda content: None, True),
        (change_time, True),
        (replace, True),
        (lambda content: pathlib.Path("a.so").write_bytes(content), True),
        (lambda content: pathlib.Path("a.so").write_bytes(content[::-1]), False),
        (lambda content: replace(content + b"x"), False),
        (lambda content: os.remove("a.so"), False),
    ],
)
def test_whether_it_is_still_there(much_later, touch, is_there):
    found = _library_files.read("a.so")
    touch(b"content")
    assert found.still_there() is is_there


def test_an_untouched_file_is_not_read_again(much_later, monkeypatch):
    found = _library_files.read("a.so")
    monkeypatch.setattr(_library_files, "read", lambda path: pytest.fail("read"))
    assert found.still_there()


def test_time_of_modification_may_be_reset(much_later):
    before = _library_files.find("a.so")
    status = os.stat("a.so")
    time.sleep(0.02)  # more than a tick of the clock of file systems
    pathlib.Path("a.so").write_bytes(b"CONTENT")
    os.utime("a.so", ns=(status.st_atime_ns, status.st_mtime_ns))
    after = _library_files.find("a.so")
    assert before[:4] == after[:4] and before != after


def test_paths_are_the_same_by_all_ways_to_the_folder():
    os.mkdir("folder")
    os.symlink("folder", "link")
    os.symlink("../a.so", "folder/b.so")
    here = os.path.realpath(".")
    # The file's own link stays.
    assert _library_files.read("link/b.so").path == f"{here}/folder/b.so"
    operator = _library_files.of_operator("link/b.so:F", "digest")
    assert operator == _library_files.FileContents(f"{here}/folder/b.so:F", "digest:F", None)
    assert _library_files.of_operator("a:b.so:F", "digest").path == f"{here}/a:b.so:F"
    identity = _library_files.identity("link/b.so:F", "0123456789abcdefg")
    assert identity == f"{here}/a.so@0123456789abcdef:F"
    assert _library_files.identity("a:b.so:F", "").startswith(f"{here}/a:b.so@")
