"""What the command writes is whole: files keep their content where writing fails."""

import os
import pathlib
import re
import resource
import stat
import subprocess
import sys
import tempfile
import threading

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/tools/run_targets.so"

# More than a private copy of the library, so that a limit for files is one for what is written.
SIZE = 200000
MODULE = f"""HloModule example

ENTRY main {{
  x = u8[{SIZE}]{{0}} parameter(0)
  ROOT y = u8[{SIZE}]{{0}} custom-call(x), custom_call_target="copy", backend_config="OPAQUE"
}}
""".replace("OPAQUE", "x" * SIZE)
# What is upgraded is longer.
STABLEHLO = """module @old {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @old(%arg0) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""  # noqa: E501

# Of each way to write a file one.
SHOW = "show m.hlo --output"
WRITING = [
    f"run {TARGETS} copy x.npy --opaque {SIZE} --result u8[{SIZE}] --output",
    "run negate.hlo x.npy --output",
    SHOW,
    "upgrade m.hlo --output",
    "layout f32[2] --svg",
]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALLBRIDGE_PYTHON", sys.executable)
    pathlib.Path("m.hlo").write_text(MODULE)
    pathlib.Path("m.mlir").write_text(STABLEHLO)
    pathlib.Path("negate.hlo").write_text(
        f"HloModule n\nENTRY e {{\n  x = u8[{SIZE}] parameter(0)\n"
        f"  ROOT y = u8[{SIZE}] negate(x)\n}}\n"
    )
    np.save("x.npy", np.ones(SIZE, np.uint8))
    pathlib.Path("out").mkdir()
    old_umask = os.umask(0o022)
    yield
    os.umask(old_umask)


def command(words, **options):
    options = {"stdout": subprocess.PIPE, **options}
    return subprocess.run([COMMAND, *words.split()], stderr=subprocess.PIPE, timeout=120, **options)


def succeeds(words, **options):
    done = command(words, **options)
    assert done.returncode == 0, done
    return done.stdout


def fails(words, **options):
    done = command(words, **options)
    assert done.returncode == 1 and done.stdout == b"", done
    (line,) = re.findall(r"^callbridge: (.+)\n", done.stderr.decode())
    return line


def limit_files(size):
    """Lets the command write files of as many bytes."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}


def written(words):
    """What the command writes to a file that is not there."""
    succeeds(f"{words} out/reference")
    content = pathlib.Path("out/reference").read_bytes()
    os.remove("out/reference")
    return content


@pytest.mark.parametrize("words", WRITING)
def test_what_cannot_be_written_leaves_things_as_they_were(words):
    limit = limit_files(len(written(words)) - 1)
    assert fails(f"{words} out/x", **limit) == "OUT_OF_RANGE: out/x: File too large"
    assert os.listdir("out") == []
    pathlib.Path("out/x").write_bytes(b"precious")
    fails(f"{words} out/x", **limit)
    assert pathlib.Path("out/x").read_bytes() == b"precious"
    assert os.listdir("out") == ["x"]


def test_what_is_written_replaces_files_as_they_are():
    """Their modes, and what leads to them."""
    content = written(SHOW)
    succeeds(f"{SHOW} out/new")
    assert stat.S_IMODE(os.stat("out/new").st_mode) == 0o644
    for mode in (0o600, 0o664, 0o755, 0o200):
        pathlib.Path("out/x").write_bytes(b"precious" * len(content))
        os.chmod("out/x", mode)
        succeeds(f"{SHOW} out/x")
        assert stat.S_IMODE(os.stat("out/x").st_mode) == mode
        os.chmod("out/x", 0o600)
        assert pathlib.Path("out/x").read_bytes() == content
    # Symbolic links stay, those to nowhere too; relative ones are relative to where they are.
    pathlib.Path("links").mkdir()
    os.symlink("../out/x", "links/to_file")
    os.symlink("to_file", "links/to_link")
    os.symlink("../out/fresh", "links/to_nowhere")
    for link, file in [("to_file", "x"), ("to_link", "x"), ("to_nowhere", "fresh")]:
        pathlib.Path("out/x").write_bytes(b"precious")
        succeeds(f"{SHOW} links/{link}")
        assert os.path.islink(f"links/{link}")
        assert pathlib.Path(f"out/{file}").read_bytes() == content
    assert sorted(os.listdir("links")) == ["to_file", "to_link", "to_nowhere"]
    assert sorted(os.listdir("out")) == ["fresh", "new", "x"]


def test_what_is_no_regular_file_is_written_to():
    content = written(SHOW)
    printed = succeeds(f"{SHOW} /dev/stdout")
    assert printed.startswith(content)
    # Standard output may be a file, in which others are writing, too.
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        with open("out/x", "wb") as file:
            succeeds(f"{SHOW} {name}", stdout=file)
            assert os.fstat(file.fileno()).st_nlink == 1
        assert pathlib.Path("out/x").read_bytes() == content
    os.mkfifo("out/pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(pathlib.Path("out/pipe").read_bytes()))
    reader.start()
    succeeds(f"{SHOW} out/pipe")
    reader.join()
    assert read == [content]
    assert stat.S_ISFIFO(os.stat("out/pipe").st_mode)
    assert fails(f"{SHOW} /dev/full").endswith("/dev/full: No space left on device")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_what_leads_nowhere_is_named():
    os.symlink("loop", "loop")
    for path, reason in [
        ("nowhere/x", "No such file or directory"),
        ("out", "Is a directory"),
        ("m.hlo/x", "Not a directory"),
        ("loop", "Too many levels of symbolic links"),
    ]:
        assert fails(f"{SHOW} {path}").endswith(f": {path}: {reason}")
    assert os.listdir("out") == []


def test_names_may_be_as_long_as_names_may_be():
    succeeds(f"{SHOW} out/{'x' * 255}")
    assert "File name too long" in fails(f"{SHOW} out/{'x' * 256}")
    assert os.listdir("out") == ["x" * 255]


def test_a_module_takes_its_own_place():
    upgraded = succeeds("upgrade m.hlo")
    upgrade = "upgrade m.hlo --output m.hlo"
    fails(upgrade, **limit_files(len(upgraded) - 1))
    assert pathlib.Path("m.hlo").read_text() == MODULE
    succeeds(upgrade)
    assert pathlib.Path("m.hlo").read_bytes() == upgraded


def test_what_python_upgrades_takes_its_own_place(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # since files are cut short
    message = fails("upgrade m.mlir --output m.mlir", **limit_files(len(STABLEHLO)))
    assert message == "FAILED_PRECONDITION: [Errno 27] File too large: 'm.mlir'"
    assert pathlib.Path("m.mlir").read_text() == STABLEHLO


def test_permissions_are_respected(monkeypatch):
    """By another user, in a folder that is open to all."""
    if os.getuid() != 0 or any(not folder.stat().st_mode & 0o001 for folder in COMMAND.parents):
        pytest.skip("only root can run the command as another user, who may")

    def become():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    content = written(SHOW)
    module = pathlib.Path("m.hlo").read_text()
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        os.chmod(folder, 0o755)
        pathlib.Path("m.hlo").write_text(module)
        # A folder in which files may be replaced does not make them writable.
        pathlib.Path("own").mkdir()
        os.chown("own", 65534, 65534)
        pathlib.Path("own/kept").write_bytes(b"precious")
        os.chown("own/kept", 65534, 65534)
        os.chmod("own/kept", 0o444)
        message = fails(f"{SHOW} own/kept", preexec_fn=become)
        assert message == "PERMISSION_DENIED: own/kept: Permission denied"
        assert pathlib.Path("own/kept").read_bytes() == b"precious"
        pathlib.Path("own/x").write_bytes(b"precious")
        message = fails(f"{SHOW} own/x", preexec_fn=become)
        assert message == "PERMISSION_DENIED: own/x: Permission denied"
        assert pathlib.Path("own/x").read_bytes() == b"precious"
        # A file may be written where nothing can be put beside it, and where it is another's.
        pathlib.Path("closed").mkdir()
        pathlib.Path("closed/x").write_bytes(b"precious")
        os.chown("closed/x", 65534, 65534)
        os.chmod("own/x", 0o666)
        for path in ("closed/x", "own/x"):
            before = os.stat(path)
            succeeds(f"{SHOW} {path}", preexec_fn=become)
            assert pathlib.Path(path).read_bytes() == content
            assert (os.stat(path).st_uid, os.stat(path).st_ino) == (before.st_uid, before.st_ino)
        assert sorted(os.listdir("own")) == ["kept", "x"]
        message = fails(f"{SHOW} closed/new", preexec_fn=become)
        assert message == "PERMISSION_DENIED: closed/new: Permission denied"
        monkeypatch.undo()


def test_a_name_that_is_taken_is_left():
    script = f"echo precious >out/.callbridge-$$-0; exec {COMMAND} {SHOW} out/x"
    subprocess.run(["bash", "-c", script], check=True)
    (taken,) = pathlib.Path("out").glob(".callbridge-*")
    assert taken.name.endswith("-0") and taken.read_text() == "precious\n"
    assert sorted(os.listdir("out")) == [taken.name, "x"]


def test_a_mount_point_is_written_in_place():
    if subprocess.run(["unshare", "--mount", "true"]).returncode != 0:
        pytest.skip("unshare --mount is not permitted here")
    content = written(SHOW)
    pathlib.Path("out/x").write_bytes(b"precious")
    script = f"mount --bind out/x out/x && exec {COMMAND} {SHOW} out/x"
    subprocess.run(["unshare", "--mount", "sh", "-c", script], check=True)
    assert pathlib.Path("out/x").read_bytes() == content
    assert os.listdir("out") == ["x"]


def test_files_keep_their_owner():
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    pathlib.Path("out/x").write_bytes(b"precious")
    os.chown("out/x", 65534, 65533)
    succeeds("show m.hlo --output out/x")
    info = os.stat("out/x")
    assert (info.st_uid, info.st_gid) == (65534, 65533)
