"""callbridge._core._output promises what tests/tools/test_output_files.py sees of commands."""

import contextlib
import os
import pathlib
import resource
import stat
import sys
import tempfile
import threading

import pytest
from callbridge._core import _output

CONTENT = b"0123456789" * 1000


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("out").mkdir()
    old_umask = os.umask(0o022)
    yield
    os.umask(old_umask)


@contextlib.contextmanager
def limited(size):
    """Files have at most so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def error(path, limit=resource.RLIM_INFINITY):
    with limited(limit), pytest.raises(OSError) as raised:
        _output.write(path, CONTENT)
    assert raised.value.filename == path
    return raised.value.strerror


def test_what_cannot_be_written_leaves_things_as_they_were():
    assert error("out/x", limit=len(CONTENT) - 1) == "File too large"
    assert os.listdir("out") == []
    pathlib.Path("out/x").write_bytes(b"precious")
    assert error("out/x", limit=len(CONTENT) - 1) == "File too large"
    assert pathlib.Path("out/x").read_bytes() == b"precious"
    assert os.listdir("out") == ["x"]


def test_what_is_written_replaces_files_as_they_are():
    _output.write("out/new", CONTENT)
    assert stat.S_IMODE(os.stat("out/new").st_mode) == 0o644
    for mode in (0o600, 0o664, 0o755):
        pathlib.Path("out/x").write_bytes(b"precious" * 10000)
        os.chmod("out/x", mode)
        _output.write("out/x", CONTENT)
        assert stat.S_IMODE(os.stat("out/x").st_mode) == mode
        assert pathlib.Path("out/x").read_bytes() == CONTENT
    pathlib.Path("links").mkdir()
    os.symlink("../out/x", "links/to_file")
    os.symlink("to_file", "links/to_link")
    os.symlink("../out/fresh", "links/to_nowhere")
    for link, file in [("to_file", "x"), ("to_link", "x"), ("to_nowhere", "fresh")]:
        pathlib.Path("out/x").write_bytes(b"precious")
        _output.write(f"links/{link}", CONTENT)
        assert os.path.islink(f"links/{link}")
        assert pathlib.Path(f"out/{file}").read_bytes() == CONTENT
    assert sorted(os.listdir("out")) == ["fresh", "new", "x"]


def test_what_is_no_regular_file_is_written_to():
    os.mkfifo("out/pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(pathlib.Path("out/pipe").read_bytes()))
    reader.start()
    _output.write("out/pipe", CONTENT)
    reader.join()
    assert read == [CONTENT]
    assert error("/dev/full") == "No space left on device"
    with open("out/x", "wb") as file:
        _output.write(f"/dev/fd/{file.fileno()}", CONTENT)
        assert os.fstat(file.fileno()).st_nlink == 1
    assert pathlib.Path("out/x").read_bytes() == CONTENT


def test_what_leads_nowhere_is_named():
    os.symlink("loop", "loop")
    assert error("nowhere/x") == "No such file or directory"
    assert error("out") == "Is a directory"
    assert error("loop") == "Too many levels of symbolic links"
    _output.write(f"out/{'x' * 255}", CONTENT)
    assert error(f"out/{'x' * 256}") == "File name too long"


def test_links_are_not_written_in_place():
    os.symlink("x", "out/link")
    pathlib.Path("out/x").write_bytes(b"precious")
    assert error("out/link", limit=len(CONTENT) - 1) == "File too large"
    assert pathlib.Path("out/x").read_bytes() == b"precious"


def test_a_name_that_is_taken_is_left():
    taken = pathlib.Path("out", f".callbridge-{os.getpid()}-0")
    taken.write_bytes(b"precious")
    _output.write("out/x", CONTENT)
    assert taken.read_bytes() == b"precious" and sorted(os.listdir("out")) == [taken.name, "x"]


def test_an_interrupt_leaves_nothing(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_output.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _output.write("out/x", CONTENT)
    assert os.listdir("out") == []


def test_files_keep_their_owner():
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    pathlib.Path("out/x").write_bytes(b"precious")
    os.chown("out/x", 65534, 65533)
    _output.write("out/x", CONTENT)
    assert (os.stat("out/x").st_uid, os.stat("out/x").st_gid) == (65534, 65533)
    assert os.listdir("out") == ["x"]


def test_permissions_are_respected(monkeypatch):
    """By another user, in a folder that is open to all."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        os.chmod(folder, 0o755)
        for name in ("own", "closed"):
            pathlib.Path(name).mkdir()
            pathlib.Path(name, "x").write_bytes(b"precious")
        os.chown("own", 65534, 65534)
        os.chown("closed/x", 65534, 65534)
        pathlib.Path("own/kept").write_bytes(b"precious")
        os.chown("own/kept", 65534, 65534)
        os.chmod("own/kept", 0o444)
        pathlib.Path("own/everybodys").write_bytes(b"precious")
        os.chmod("own/everybodys", 0o666)
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
                assert error("own/x") == "Permission denied"
                assert error("own/kept") == "Permission denied"
                assert error("closed/new") == "Permission denied"
                _output.write("closed/x", CONTENT)
                _output.write("own/everybodys", CONTENT)
            finally:
                os._exit(sys.exc_info()[0] is not None)
        assert os.waitpid(child, 0)[1] == 0
        assert pathlib.Path("own/x").read_bytes() == b"precious"
        assert pathlib.Path("closed/x").read_bytes() == CONTENT
        assert pathlib.Path("own/everybodys").read_bytes() == CONTENT
        assert os.stat("own/everybodys").st_uid == 0
        assert pathlib.Path("own/kept").read_bytes() == b"precious"
        assert sorted(os.listdir("own")) == ["everybodys", "kept", "x"]
        monkeypatch.undo()
