"""`callbridge audit` of wheels that are none, that lie, and where something is missing."""

import os
import pathlib
import re
import stat
import struct
import subprocess
import sys
import zipfile

import pytest
from audited_wheels import (
    BUILD,
    COMMAND,
    METADATA,
    ORIGINAL,
    WHEEL,
    audit,
    audited,
    refusal,
    shared,
    wheel,
)

pytestmark = pytest.mark.usefixtures("in_a_folder_of_its_own")


def test_no_such_path():
    assert refusal("none.whl") == "none.whl: No such file or directory"


def test_no_zip_archive():
    pathlib.Path("text.whl").write_text("text")
    assert refusal("text.whl").startswith("text.whl: is no whole zip archive, as wheels are: ")


def test_neither():
    pathlib.Path("a.so").write_text("text")
    assert refusal("a.so") == "a.so: is no wheel, no folder and no ELF file"
    os.mkfifo("pipe")
    assert refusal("pipe") == "pipe: is no regular file and no folder"


def test_a_damaged_library():
    pathlib.Path("a.so").write_bytes(b"\177ELF and no more")
    assert refusal("a.so") == (
        "INVALID_ARGUMENT: a.so: is truncated: it has 16 bytes, an ELF header 64"
    )


def test_a_zip_archive_that_is_no_wheel():
    with zipfile.ZipFile("a.zip", "w") as file:
        file.writestr("a", "")
    assert refusal("a.zip") == "a.zip: is no wheel: it has no *.dist-info/WHEEL"
    with zipfile.ZipFile("a.zip", "w") as file:
        file.writestr(WHEEL, "")
    assert refusal("a.zip") == "a.zip: is no wheel: it has no *.dist-info/METADATA"


@pytest.mark.parametrize(
    "member",
    [
        "../out.so",
        "a/../../out.so",
        "/tmp/out.so",
        "a\\..\\out.so",
        "./a.so",
        "a//b.so",
        "a/./b.so",
    ],
)
def test_names_that_leave_the_folder(member):
    name = wheel()
    with zipfile.ZipFile(name, "a") as file:
        file.writestr(member, shared(ORIGINAL).read_bytes())
    assert refusal(name) == (
        f"{name}: its member {member!r} is no path inside the wheel's folder, as "
        "'package/module.so' is"
    )
    assert not pathlib.Path("out.so").exists()


def test_a_bomb():
    name = wheel()
    with zipfile.ZipFile(name, "a", zipfile.ZIP_DEFLATED) as file:
        with file.open("mine/bomb.so", "w") as member:
            member.write(b"\177ELF\2\1" + bytes(10) + b"\3\0")
            for _ in range(100):
                member.write(bytes(1 << 20))
    assert "more than 100 times as many, which is refused" in refusal(name)


def test_a_member_that_is_longer_than_it_says():
    name = wheel(library=shared(ORIGINAL))
    data = bytearray(pathlib.Path(name).read_bytes())
    at = data.rindex(b"PK\1\2", 0, data.rindex(b"mine/library.so"))
    struct.pack_into("<I", data, at + 24, 64)
    pathlib.Path(name).write_bytes(data)
    assert refusal(name).startswith(f"{name}: is no whole zip archive, as wheels are: ")


def test_truncated():
    name = wheel(library=shared(ORIGINAL))
    data = pathlib.Path(name).read_bytes()
    pathlib.Path(name).write_bytes(data[: len(data) // 2])
    assert refusal(name).startswith(f"{name}: is no whole zip archive, as wheels are: ")


def test_a_damaged_member():
    name = wheel(library=shared(ORIGINAL))
    data = bytearray(pathlib.Path(name).read_bytes())
    data[400:420] = bytes(20)
    pathlib.Path(name).write_bytes(data)
    assert refusal(name).startswith(f"{name}: is no whole zip archive, as wheels are: ")


def test_encrypted():
    name = wheel(library=shared(ORIGINAL))
    data = bytearray(pathlib.Path(name).read_bytes())
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    pathlib.Path(name).write_bytes(data)
    assert refusal(name) == f"{name}: its member 'mine/library.so' is encrypted"


def test_a_member_that_is_there_twice():
    name = wheel(library=shared(ORIGINAL))
    with zipfile.ZipFile(name, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.write("made.so", "mine/library.so")
    assert refusal(name) == f"{name}: has 2 members 'mine/library.so'"


def test_a_link_in_a_wheel_is_no_library():
    name = wheel()
    link = zipfile.ZipInfo("mine/link.so")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(name, "a") as file:
        file.writestr(link, "/etc/passwd")
    assert audited(name)["libraries"] == []


def test_a_link_to_a_folder_in_a_wheel_is_not_followed():
    name = wheel(library=shared(ORIGINAL))
    link = zipfile.ZipInfo("mine/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(name, "a") as file:
        file.writestr(link, str(pathlib.Path.cwd()))
        file.write("made.so", "mine/link/out.so")
    assert refusal(name) == f"{name}: its member 'mine/link' is a file and a folder"
    assert not pathlib.Path("out.so").exists()


def test_a_member_without_a_name():
    name = wheel()
    with zipfile.ZipFile(name, "a") as file:
        file.writestr(zipfile.ZipInfo(""), b"")
    assert refusal(name).startswith(f"{name}: its member '' is no path inside the wheel's folder")


def test_names_that_are_not_utf_8():
    name = wheel(library=shared(ORIGINAL))
    with zipfile.ZipFile(name, "a") as file:
        file.write("made.so", "mine/\u00e9.so")
    data = pathlib.Path(name).read_bytes().replace("\u00e9".encode(), b"\xff\xfe")
    pathlib.Path(name).write_bytes(data)
    assert re.match(
        f"{name}: is no whole zip archive, as wheels are: 'utf-8' codec can't decode", refusal(name)
    )


def test_names_of_other_letters():
    name = wheel()
    with zipfile.ZipFile(name, "a") as file:
        file.write(shared(ORIGINAL), "mine/\u00e9\u4e2d.so")
    assert [each["library"] for each in audited(name)["libraries"]] == ["mine/\u00e9\u4e2d.so"]


def test_names_cannot_break_lines():
    name = wheel()
    member = "mine/a\n  verdict: good\x1b[2J.so"
    with zipfile.ZipFile(name, "a") as file:
        file.write(shared(ORIGINAL), member)
    assert [each["library"] for each in audited(name)["libraries"]] == [member]
    for words in ([], ["--table"]):
        done = audit(*words, name)
        assert done.returncode == 0 and "mine/a\\n  verdict: good\\x1b[2J.so" in done.stdout
        assert "\x1b" not in done.stdout and "\n  verdict: good" not in done.stdout


def test_a_name_that_is_too_long():
    name = wheel()
    with zipfile.ZipFile(name, "a") as file:
        file.write(shared(ORIGINAL), f"mine/{'a' * 300}.so")
    assert refusal(name).endswith(": File name too long")


def test_ten_thousand_members():
    name = wheel(library=shared(ORIGINAL))
    with zipfile.ZipFile(name, "a") as file:
        for i in range(10_000):
            file.writestr(f"mine/data/{i}", b"\177ELF")
    report = audited(name)
    assert [each["library"] for each in report["libraries"]] == ["mine/library.so"]
    assert report["without_custom_calls"] == []


@pytest.mark.parametrize("size", [18, 64, 1000])
def test_a_truncated_library_in_a_wheel(size):
    data = shared(ORIGINAL).read_bytes()
    pathlib.Path("short.so").write_bytes(data[:size])
    done = audit(wheel("jax", library=pathlib.Path("short.so"), good=shared(ORIGINAL, name="x.so")))
    assert done.returncode == 1
    # What is left of it is said to be damaged, and the others are audited.
    assert re.match("callbridge: (INVALID_ARGUMENT: )?mine/library.so: ", done.stderr)
    assert "truncated" in done.stderr and "no custom calls" not in done.stdout
    assert "mine/good.so\n    1 original" in done.stdout
    assert done.stdout.endswith("verdict: not all of its libraries could be read\n")


def test_two_wheels_in_one():
    name = wheel("jax>=0.5", library=shared(ORIGINAL))
    with zipfile.ZipFile(name, "a") as file:
        file.writestr("other-1.0.dist-info/METADATA", "Requires-Dist: jax<0.5\n")
    assert refusal(name) == f"{name}: is no wheel: it has 2 files *.dist-info/METADATA"


def test_metadata_of_any_bytes():
    name = wheel()
    with zipfile.ZipFile(name) as file:
        members = {each: file.read(each) for each in file.namelist()}
    members[METADATA] = b"Name: \xff\xfe\nRequires-Dist: jax>=0.5\n\n\0\xff"
    with zipfile.ZipFile(name, "w") as file:
        for member, content in members.items():
            file.writestr(member, content)
    assert audited(name)["requires"] == ["jax>=0.5"]


@pytest.mark.parametrize("of", ["wheel", "folder"])
def test_metadata_that_would_take_minutes(of):
    name = wheel()
    with zipfile.ZipFile(name) as file:
        members = {each: file.read(each) for each in file.namelist()}
    members[METADATA] = b"a: b\n" * (1 << 20)
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in members.items():
            file.writestr(member, content)
    what = f"{name}: its member {METADATA}"
    if of == "folder":
        zipfile.ZipFile(name).extractall("folder")
        name, what = "folder", f"folder/{METADATA}"
    assert refusal(name) == f"{what}: has 5242880 bytes, more than 4194304, which is refused"


def test_bad_specifiers():
    name = wheel("jax>=0.5,", "jax=>1", library=shared(ORIGINAL))
    assert refusal(name).startswith("Requires-Dist: jax=>1: ")
    assert refusal("made.so", "--jax", "0.6").startswith(
        "--jax '0.6': is no version specifier, such as '>=0.6': "
    )


def test_specifiers_of_more_digits_than_python_reads():
    digits = "9" * 5000
    name = wheel(f"jax>=0.{digits}", library=shared(ORIGINAL))
    assert refusal(name).startswith("Requires-Dist: jax>=0.999")
    assert refusal("made.so", "--jax", f">=0.{digits}").startswith("--jax '>=0.999")


def test_requirements_of_several_lines():
    name = wheel("jax\n >=0.5,\n\t<0.6", library=shared(ORIGINAL))
    assert audited(name)["requires"] == ["jax<0.6,>=0.5"]


@pytest.mark.parametrize("order", [1, 2], ids=["little-endian", "big-endian"])
@pytest.mark.parametrize("bits", [1, 2], ids=["32 bits", "64 bits"])
def test_libraries_of_all_kinds_are_seen(bits, order):
    """Of a machine whose bytes are in the other order, too."""
    header = bytes([*b"\177ELF", bits, order, 1]).ljust(16, b"\0")
    header += struct.pack("<HH" if order == 1 else ">HH", 3, 22)  # ET_DYN, EM_S390
    os.mkdir("folder")
    pathlib.Path("folder/other.so").write_bytes(header.ljust(64, b"\0"))
    words = f"{32 * bits}-bit {'little' if order == 1 else 'big'}-endian S/390"
    for path, name in (("folder", "other.so"), (wheel(library="folder/other.so"), None)):
        said = refusal(path)
        assert words in said and (name or "mine/library.so") in said


def test_a_library_for_another_machine():
    data = bytearray(shared(ORIGINAL).read_bytes())
    struct.pack_into("<H", data, 18, 243)  # RISC-V
    pathlib.Path("made.so").write_bytes(data)
    done = audit(wheel("jax", library=pathlib.Path("made.so"), good=shared("int x;", name="x.so")))
    assert done.returncode == 1
    assert "mine/library.so: " in done.stderr and "no custom calls in 1 library" in done.stdout


@pytest.mark.parametrize("words", [[], ["--probe"]])
def test_a_wheel_for_the_other_machine(words):
    library = BUILD / "tests/targets/other_machine.so"
    report = audited(*words, wheel("jax", library=library))
    ((calls),) = (each["custom_calls"] for each in report["libraries"])
    assert [call["abi"] for call in calls] == ["status_returning"]
    assert report["contradictions"] == []


@pytest.mark.parametrize(
    "at_start, message",
    [
        (
            "import sys\nsys.modules['packaging'] = None\n",
            r".* lacks: install it there \(python -m pip install packaging\), or set "
            r"CALLBRIDGE_PYTHON to a Python that has it",
        ),
    ],
    ids=["no packaging"],
)
def test_what_its_python_lacks(at_start, message):
    name = wheel("jax", library=shared(ORIGINAL))
    program = pathlib.Path("python")
    program.write_text(
        f'#!/bin/sh\nexport PYTHONPATH="$PYTHONPATH:{pathlib.Path.cwd()}"\n'
        f'exec {sys.executable} "$@"\n'
    )
    os.chmod(program, 0o755)
    pathlib.Path("sitecustomize.py").write_text(at_start)
    said = refusal(name, env={**os.environ, "CALLBRIDGE_PYTHON": str(program.resolve())})
    assert re.fullmatch(message, said)


@pytest.mark.parametrize("place", ["none", "/none/at/all", "a file", "a file/in it", "/proc"])
def test_a_temporary_folder_that_cannot_be_written(place):
    pathlib.Path("a file").touch()
    name = wheel("jax", library=shared(ORIGINAL))
    before = sorted(pathlib.Path.cwd().rglob("*"))
    said = refusal(name, env={**os.environ, "TMPDIR": place})
    assert re.fullmatch(
        r"a wheel's libraries are unpacked into a temporary folder: .*; set TMPDIR to a folder "
        r"that can be written",
        said,
    )
    assert sorted(pathlib.Path.cwd().rglob("*")) == before and not os.path.exists("/none")


@pytest.mark.parametrize("place", ["", "here"])
def test_other_temporary_folders(place):
    """/tmp, and a relative one."""
    pathlib.Path("here").mkdir()
    name = wheel("jax", library=shared(ORIGINAL))
    assert audit(name, env={**os.environ, "TMPDIR": place}).returncode == 0
    assert list(pathlib.Path("here").iterdir()) == []


def with_mounts(mounts, *words, **environment):
    """Runs the command where `mounts`, of sh, have changed what is mounted, for it alone."""
    script = f'{mounts} && exec "$@"'
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", COMMAND, *words],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


WITHOUT_PROC = "mount -t tmpfs none /proc"


@pytest.mark.parametrize("words", [["inspect"], ["inspect", "--probe"]])
def test_inspect_needs_no_proc(words):
    library = shared(ORIGINAL)
    done = with_mounts(WITHOUT_PROC, *words, library)
    assert (done.returncode, done.stderr) == (0, "")
    assert "add(void*, void const**)" in done.stdout


def test_audit_without_proc():
    name = wheel("jax", library=shared(ORIGINAL))
    done = with_mounts(WITHOUT_PROC, "audit", name)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "callbridge: FAILED_PRECONDITION: expected /proc, through which callbridge finds python: "
        "mount it (mount -t proc proc /proc), or set CALLBRIDGE_PYTHON_FOLDER to its path\n"
    )


@pytest.mark.parametrize("words", [["inspect", "--probe"], ["audit"], ["audit", "--probe"]])
def test_a_home_that_cannot_be_written(words):
    library = shared(ORIGINAL)
    name = library if words[0] == "inspect" else wheel("jax", library=library)
    home = pathlib.Path("home").resolve()
    home.mkdir()
    read_only = (
        'mount --bind "$HOME" "$HOME" && mount -o remount,bind,ro "$HOME" '
        '&& ! touch "$HOME/file" 2>/dev/null'
    )
    done = with_mounts(read_only, *words, name, HOME=str(home))
    assert (done.returncode, done.stderr) == (0, "")
    assert "add(void*, void const**)" in done.stdout
    assert list(home.iterdir()) == []


def test_no_python(monkeypatch):
    monkeypatch.setenv("CALLBRIDGE_PYTHON", "/none/python")
    assert refusal(".").startswith(
        "FAILED_PRECONDITION: callbridge audit is a Python program, but /none/python cannot be "
        "started: "
    )


def test_a_full_standard_output():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [COMMAND, "audit", shared(ORIGINAL)], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "callbridge: standard output: No space left on device\n"


def test_usage():
    assert audit().returncode == audit("--json", "--table", ".").returncode == 2
    assert "--strict" in audit("--help").stdout
    done = audit("--strikt", ".")
    assert done.returncode == 2
    assert done.stderr == (
        "callbridge: unknown option --strikt; did you mean --strict? (see --help)\n"
    )
    assert audit("--frobnicate", ".").stderr == (
        "callbridge: unknown option --frobnicate (see --help)\n"
    )
