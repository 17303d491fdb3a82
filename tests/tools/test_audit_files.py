"""Which libraries `callbridge audit` finds, and what it makes of what inspects them, which is made
up. In this process."""

import errno
import json
import os
import pathlib
import sys
import zipfile

import pytest
from audited_wheels import METADATA, WHEEL

pytest.importorskip("packaging")

from callbridge import _audit  # noqa: E402
from callbridge._audit import _files  # noqa: E402
from callbridge._core import _c_api, _output  # noqa: E402
from callbridge._core._error import CallbridgeError  # noqa: E402

pytestmark = pytest.mark.usefixtures("in_a_folder_of_its_own")


def header(kind=3, order=1):
    return b"\177ELF\2" + bytes([order, 1]).ljust(11, b"\0") + kind.to_bytes(2, "little")


LIBRARY = header()


def found_in(path):
    with _files.shared_libraries(str(path)) as found:
        contents = {name: path.read_bytes() for name, path in found.libraries.items()}
        return contents, found.metadata, found.not_followed


def refusal(path):
    with pytest.raises(_files.AuditError) as refused:
        found_in(path)
    return str(refused.value)


def wheel(members, metadata="Name: a\n", name="a.whl"):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in members.items():
            file.writestr(member, content)
        file.writestr(WHEEL, "")
        file.writestr(METADATA, metadata)
    return name


# ---- Libraries


@pytest.mark.parametrize(
    "content, is_library",
    [
        (LIBRARY, True),
        (LIBRARY + b"more", True),
        (LIBRARY[:17], False),
        (header(kind=1), False),
        (header(kind=2), False),
        (header(kind=4), False),
        (header(kind=3 << 8), False),
        (header(kind=3 << 8, order=2), True),
        (header(kind=3, order=2), False),
        (LIBRARY.replace(b"ELF", b"elf"), False),
        (b"", False),
    ],
)
def test_what_is_a_library(content, is_library):
    os.mkdir("folder")
    pathlib.Path("folder/a").write_bytes(content)
    expected = {"a": content} if is_library else {}
    assert found_in("folder") == (expected, None, [])
    assert found_in(wheel({"a": content})) == (expected, "Name: a\n", [])


def test_the_order_is_that_of_names():
    for name in ("b/z.so", "b/a.so", "a/c/d.so", "a/b.so", "c.so"):
        pathlib.Path("folder", name).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path("folder", name).write_bytes(LIBRARY)
    pathlib.Path("folder/link.so").symlink_to("c.so")
    pathlib.Path("folder/a.b").symlink_to("b")
    libraries, _, links = found_in("folder")
    assert list(libraries) == ["c.so", "a/b.so", "a/c/d.so", "b/a.so", "b/z.so"]
    assert links == ["a.b", "link.so"]


def test_a_file_is_a_library_a_wheel_or_neither():
    pathlib.Path("a").write_bytes(header(kind=2))
    assert found_in("a") == ({"a": header(kind=2)}, None, [])
    assert list(found_in(wheel({"a.so": LIBRARY}, name="archive"))[0]) == ["a.so"]
    pathlib.Path("text.whl").write_text("text")
    assert refusal("text.whl").startswith("text.whl: is no whole zip archive")
    pathlib.Path("text").write_text("text")
    assert refusal("text") == "text: is no wheel, no folder and no ELF file"
    assert refusal("a\0b") == "a\0b: embedded null byte"


def test_libraries_of_a_wheel_are_whole_and_gone_at_the_end():
    content = LIBRARY + os.urandom((1 << 20) + 1)
    with _files.shared_libraries(wheel({"a/c/b.so": content})) as found:
        (path,) = found.libraries.values()
        assert path.read_bytes() == content
        assert path.is_relative_to(os.environ["TMPDIR"])
    assert not path.exists()


@pytest.mark.parametrize(
    "number, advice",
    [(errno.ENOSPC, "; set TMPDIR to a folder with room"),
     (errno.EDQUOT, "; set TMPDIR to a folder with room"), (errno.EIO, "")],
)  # fmt: skip
def test_where_there_is_no_room(monkeypatch, number, advice):
    whole = _files._contents

    def contents(archive, member):
        if member.filename == METADATA:
            yield from whole(archive, member)
            return
        yield b"begun"
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(_files, "_contents", contents)
    said = refusal(wheel({"a.so": LIBRARY}))
    assert said.startswith(f"a.whl: its member a.so cannot be unpacked into {os.environ['TMPDIR']}")
    assert said.endswith(f": {os.strerror(number)}{advice}")


# ---- Limits


def test_how_much_a_wheel_may_grow():
    path = wheel({})
    members = zipfile.ZipFile(path).infolist()
    most = (64 << 20) + 100 * os.path.getsize(path) - sum(one.file_size for one in members)
    large = zipfile.ZipInfo("large")
    large.file_size = most
    _files._check(path, [*members, large])
    large.file_size += 1
    with pytest.raises(_files.AuditError, match="more than 100 times as many"):
        _files._check(path, [*members, large])


@pytest.mark.parametrize("size, is_refused", [(4 << 20, False), ((4 << 20) + 1, True)])
def test_how_much_metadata_may_be(size, is_refused):
    metadata = "Name: a\n".ljust(size)
    archive = wheel({}, metadata)
    pathlib.Path("folder/a.dist-info").mkdir(parents=True)
    pathlib.Path("folder/a.dist-info/METADATA").write_text(metadata)
    for path in (archive, "folder"):
        if is_refused:
            assert f"has {size} bytes, more than {4 << 20}, which is refused" in refusal(path)
        else:
            assert found_in(path)[1] == metadata


def test_metadata_of_a_folder_is_that_of_one_project():
    for name in ("a", "b"):
        pathlib.Path(f"folder/{name}.dist-info").mkdir(parents=True)
    pathlib.Path("folder/a.dist-info/METADATA").write_bytes(b"Name: \xe4\xc3\xa4")
    pathlib.Path("folder/b.dist-info/METADATA").mkdir()
    assert found_in("folder")[1] == "Name: \ufffd\xe4"
    pathlib.Path("folder/b.dist-info/METADATA").rmdir()
    pathlib.Path("folder/b.dist-info/METADATA").touch()
    assert found_in("folder")[1] is None


@pytest.mark.parametrize("function, path", [("scandir", "folder"), ("open", "folder/a.so")])
def test_what_cannot_be_read_in_a_folder_is_named(monkeypatch, function, path):
    os.mkdir("folder")
    pathlib.Path("folder/a.so").write_bytes(LIBRARY)

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    if function == "open":
        monkeypatch.setitem(vars(_files), "open", refuse)
    else:
        monkeypatch.setattr(os, function, refuse)
    assert refusal("folder") == f"{path}: Permission denied"


# ---- The command


def inspect(path, probes):
    """Inspects a file by its content."""
    kind = pathlib.Path(path).read_bytes()[18:].decode()
    if kind == "fails":
        raise CallbridgeError("INVALID_ARGUMENT", f"{path}: is bad: callbridge: it is")
    name = "inspected, asked" if probes else "inspected"
    function = {"name": name, "symbol": "f", "abi": {"Host": "original", "gpu": None}}
    return json.dumps(
        {"functions": [function], "untyped_functions": [], "operators": [], "probed": [],
         "mentions_typed_ffi": False, "contains_xla": False, "not_asked": 0, "typed_headers": None,
         "has_capsules": False, "registry": [],
         "stripped": False, "refusal": "is cut" if kind == "cut" else None}
    )  # fmt: skip


ROW = {"minor": 0, "releases": "jaxlib 0.0", "has_metadata": False, "accepts": [True],
       "keeps_state": [True]}  # fmt: skip


@pytest.fixture
def run(monkeypatch):
    """Returns the status of a run, what it printed, and its errors."""
    monkeypatch.setattr(_c_api, "inspect", inspect)
    monkeypatch.setattr(_c_api, "ffi_runtime_versions", lambda: json.dumps([ROW]))

    def run(*words):
        printed, told = [], []
        monkeypatch.setattr(_output, "print_bytes", printed.append)
        monkeypatch.setattr(_output, "tell", told.append)
        return _audit.main(*words), b"".join(printed).decode(), told

    return run


def library(name, kind=""):
    pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(name).write_bytes(LIBRARY + kind.encode())
    return name


def test_each_form(run):
    status, text, told = run(library("a.so"))
    assert (status, told) == (0, [])
    assert text.startswith("a.so\n  a.so\n    1 original (the type in its symbol): inspected\n")
    assert run("--probe", "a.so")[1].splitlines()[2].endswith("): inspected, asked")
    assert run("--table", "a.so")[1].startswith("| library |")
    report = json.loads(run("a.so", "--json", "--jax", ">=0")[1])
    assert (report["path"], report["requires"]) == ("a.so", ["jax>=0"])
    assert (report["errors"], report["probed"]) == ([], False)
    assert json.loads(run("--json", "--probe", "a.so")[1])["probed"] is True
    assert run("--json", "a.so")[1].endswith("}\n")
    assert run("a.so", "--strict", "--jax=>=0")[0] == 0
    os.mkdir("empty")
    assert run("empty") == (0, "empty\n  verdict: it has no custom calls\n", [])
    os.mkdir("other")
    assert "\n  \\udcff.so\n" in run(os.path.dirname(library("other/\udcff.so")))[1]


def test_libraries_that_fail_are_named_as_users_know_them(run):
    for kind in ("good", "fails", "cut"):
        library(f"folder/{kind}.so", kind)
    status, text, told = run("folder", "--json")
    errors = ["cut.so: is cut", "INVALID_ARGUMENT: fails.so: is bad: callbridge: it is"]
    assert status == 1 and told == [f"callbridge: {one}" for one in errors]
    report = json.loads(text)
    assert report["errors"] == errors
    assert [one["library"] for one in report["libraries"]] == ["cut.so", "good.so"]
    assert "verdict: not all of its libraries could be read" in run("folder")[1]
    # Where nothing could be read, nothing is printed.
    status, text, told = run("folder/fails.so")
    assert (status, text) == (1, "") and len(told) == 1


def test_only_strict_makes_a_contradiction_a_failure(run, monkeypatch):
    contradiction = {"library": "a", "admits": "1", "certain": True, "error": "e"}
    from callbridge._audit import _report

    report_of = _report.report_of
    monkeypatch.setattr(
        _report,
        "report_of",
        lambda *all: {**report_of(*all), "contradictions": [contradiction]},
    )
    library("a.so")
    assert [run("a.so", *strict)[0] for strict in ([], ["--strict"])] == [0, 1]
    monkeypatch.undo()


def test_only_packaging_may_be_missing(run, monkeypatch):
    monkeypatch.delattr(_audit, "_report", raising=False)
    monkeypatch.setitem(sys.modules, "callbridge._audit._report", None)
    with pytest.raises(ImportError, match="_report"):
        run(".")


def test_errors_of_the_command(run):
    assert run("none") == (1, "", ["callbridge: none: No such file or directory"])
    assert run(library("a.so"), "--jax", "6\n")[2][0].startswith("callbridge: --jax '6\\n': is no")


# ---- The command line


@pytest.mark.parametrize(
    "words, says",
    [
        ([], "PATH is required"),
        (["--json", "--table"], "PATH is required"),
        (["--table", "--json", "a.so"], "--json excludes --table"),
        (["a.so", "--jax"], "--jax: 1 required SPECIFIER missing"),
        (["--jax=a", "--jax", "b", "a.so"], "--jax: At Most 1 required but received 2"),
        (["a.so", "b.so"], "The following argument was not expected: b.so"),
        (["a.so", "--js"], "unknown option --js; did you mean --json?"),
        (["-x", "a", "b", "-"], "unknown option -x"),
        (["a", "b", "-"], "The following arguments were not expected: - b"),
        (["--", "a.so", "--json"], "The following argument was not expected: --json"),
        (["--probe", "-x\ny", "a"], "unknown option -x\\ny"),
    ],
)
def test_what_is_wrong_with_it(capfd, words, says):
    with pytest.raises(SystemExit) as ended:
        _audit.main(*words)
    assert ended.value.code == 2
    assert capfd.readouterr() == ("", f"callbridge: {says} (see --help)\n")


def test_a_word_may_be_a_path_or_a_text(run):
    assert run("--", library("--json"))[1].startswith("--json\n")
    assert run(library("-1"))[1].startswith("-1\n")
    assert run("a.so", "--jax", "--strict")[2] == run("a.so", "--jax=--strict")[2]
    assert run(library("a.so"), "--jax=")[:2] == run("a.so")[:2]


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["a", "b", "--nope", "--help"]])
def test_help(capfd, words):
    with pytest.raises(SystemExit) as ended:
        _audit.main(*words)
    assert ended.value.code == 0
    shown, told = capfd.readouterr()
    assert told == ""
    for part in ("PATH REQUIRED", "--jax SPECIFIER", *_audit._FLAGS, "Exit status: 0 on success"):
        assert part in shown
