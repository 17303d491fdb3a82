"""`callbridge audit`: wheels that this file zips, from libraries of the build and of g++."""

import json
import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", pathlib.Path.home() / ".cache/callbridge"))
HEADERS = (BUILD / "tests/ffi_releases.txt").read_text().split()
WHEEL = "mine-1.0.dist-info/WHEEL"
METADATA = "mine-1.0.dist-info/METADATA"
ORIGINAL = "void add(void* out, const void** in) { (void)out; (void)in; }"
# As XLA's headers have it, so that the symbol is a typed handler's.
TYPED = """
struct XLA_FFI_Error;
struct XLA_FFI_CallFrame;
XLA_FFI_Error* handle(XLA_FFI_CallFrame*) { return nullptr; }
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALLBRIDGE_PYTHON", sys.executable)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    yield
    # Whatever happened, nothing of it is left.
    if temporary.is_dir():
        assert list(temporary.iterdir()) == []


def audit(*words, **more):
    return subprocess.run(
        [COMMAND, "audit", *words], capture_output=True, text=True, timeout=120, **more
    )


def audited(*words):
    done = audit("--json", *words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return json.loads(done.stdout)


def refusal(*words, **more):
    done = audit(*words, **more)
    assert (done.returncode, done.stdout) == (1, ""), done
    (line,) = done.stderr.splitlines()
    assert line.startswith("callbridge: ")
    return line.removeprefix("callbridge: ")


def shared(source, *words, name="made.so"):
    pathlib.Path("made.cc").write_text(source)
    subprocess.run(["g++", "-shared", "-fPIC", *words, "-o", name, "made.cc"], check=True)
    return pathlib.Path(name)


def handlers(release):
    """The suite of handlers, built with XLA's headers of a release."""
    return BUILD / f"tests/typed_ffi/suite/suite_{release}.so"


def wheel(*requires, name="mine-1.0-py3-none-any.whl", **libraries):
    metadata = "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n"
    metadata += "".join(f"Requires-Dist: {each}\n" for each in requires)
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as file:
        for member, path in libraries.items():
            file.write(path, f"mine/{member}.so")
        file.writestr("mine/__init__.py", "raise SystemExit('ran')\n")
        file.writestr(WHEEL, "Wheel-Version: 1.0\n")
        file.writestr(METADATA, metadata)
    return name


def only_call(report):
    ((call,),) = (library["custom_calls"] for library in report["libraries"])
    return call


# ---- What it says


def test_untyped_functions_run_on_all():
    report = audited(wheel("jax>=0.4.20", library=shared(ORIGINAL)))
    call = only_call(report)
    assert (call["abi"], call["names"]) == ("original", ["add(void*, void const**)"])
    assert call["through_callbridge"] == "" and report["contradictions"] == []
    assert report["requires"] == ["jax>=0.4.20"]


def test_a_typed_handler_without_a_probe_is_unknown():
    report = audited(wheel("jax>=0.5", library=shared(TYPED)))
    call = only_call(report)
    assert (call["abi"], call["api_version"], call["native"]) == ("typed_ffi", None, None)
    assert report["contradictions"] == []
    done = audit("mine-1.0-py3-none-any.whl")
    assert "unknown, --probe asks" in done.stdout
    assert done.stdout.endswith("  verdict: no contradiction is seen, but not all could be told\n")


@pytest.mark.parametrize("release", HEADERS)
def test_genuine_handlers(release):
    report = audited("--probe", wheel(library=handlers(release)), "--jax", ">=0.4.13")
    minor = expected_minor(release)
    ((calls),) = (library["custom_calls"] for library in report["libraries"])
    versions = {call["api_version"] for call in calls if call["api_version"]}
    assert versions == {f"0.{minor}"}
    assert report["contradictions"]
    for call in calls:
        if call["api_version"]:
            first, _, last = call["native"].partition(" to ")
            assert numbers(first) <= numbers(release) <= numbers(last or first)


def expected_minor(release):
    """What the genuine headers say."""
    folder = CACHE / "jaxlib-headers" / release
    (header,) = folder.rglob("ffi/api/c_api.h")
    return re.search(r"define XLA_FFI_API_MINOR (\d+)", header.read_text())[1]


def numbers(release):
    return [int(part) for part in release.split(".")]


@pytest.mark.parametrize("release", HEADERS)
def test_what_bytes_tell_is_what_a_probe_finds(release):
    told = {
        call["api_version"]
        for library in audited(wheel(library=handlers(release)))["libraries"]
        for call in library["custom_calls"]
        if call["abi"] == "typed_ffi"
    }
    minor = expected_minor(release)
    assert told == ({"0.0"} if minor == "0" else {None})


@pytest.mark.parametrize("name", ["exported", "suite_ours"])
def test_bytes_of_our_handlers_are_not_taken_for_others(name):
    report = audited(BUILD / f"tests/typed_ffi/suite/{name}.so")
    for call in report["libraries"][0]["custom_calls"]:
        assert call["api_version"] is None


def test_stripped_handlers_are_found_by_a_probe():
    library = shutil.copy(handlers(HEADERS[-1]), "stripped.so")
    # A Python module exports its initialization alone.
    subprocess.run(["objcopy", "--strip-all", library], check=True)
    report = audited("--probe", library)
    versions = [call["api_version"] for call in report["libraries"][0]["custom_calls"]]
    assert f"0.{expected_minor(HEADERS[-1])}" in versions


# As XLA's headers have it. Of two handlers one makes state; its type is registered or not.
STATEFUL = """
#include "callbridge/typed_ffi/c_api.h"

static XLA_FFI_Error* refuse(const XLA_FFI_Api* api) {
  XLA_FFI_Error_Create_Args wrong = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr,
                                     "XLA_FFI_CallFrame", XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return api->XLA_FFI_Error_Create(&wrong);
}
static XLA_FFI_Error* answer(XLA_FFI_CallFrame* frame, long type_id) {
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE) return refuse(frame->api);
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  if (extension == nullptr) return nullptr;
  extension->metadata->api_version.major_version = 0;
  extension->metadata->api_version.minor_version = MINOR;
  if (MINOR < 2) return nullptr;
  if (type_id < 0) return refuse(frame->api);
  extension->metadata->state_type_id.type_id = type_id;
  return nullptr;
}
XLA_FFI_Error* make(XLA_FFI_CallFrame* frame) { return answer(frame, STATE); }
XLA_FFI_Error* take(XLA_FFI_CallFrame* frame) { return answer(frame, 0); }
"""


def stateful(minor, state):
    text = STATEFUL.replace("MINOR", str(minor)).replace("STATE", str(state))
    pathlib.Path("made.cc").write_text(text)
    include = ["-I", ROOT / "include"]
    made = ["-std=c++17", "-shared", "-fPIC", "-o", "made.so", "made.cc"]
    subprocess.run(["g++", *include, *made], check=True)
    return pathlib.Path("made.so")


def by_name(report):
    return {name: call for each in report["libraries"] for call in each["custom_calls"]
            for name in call["names"]}  # fmt: skip


@pytest.mark.parametrize("state", [7, -1], ids=["registered", "not registered"])
def test_a_handler_that_makes_state(state):
    report = audited("--probe", wheel("jax>=0.8.1", library=stateful(2, state)))
    calls = by_name(report)
    make, take = calls["make(XLA_FFI_CallFrame*)"], calls["take(XLA_FFI_CallFrame*)"]
    assert (make["makes_state"], take["makes_state"]) == (True, False)
    # The rows of runtime_versions.h whose state is that of XLA FFI 0.2: one.
    assert make["native"].startswith("0.8.1 to 0.9.")
    assert "pass a null state" in make["notes"][0]
    assert ", 0.9.1 to " in make["through_callbridge"]
    assert take["native"].startswith("0.8.1 to 0.1")
    (note,) = take["notes"]
    assert re.fullmatch(
        r"if it has state, not surely on 0\.9\.1 to [\d.]+: cannot tell, another handler of the "
        "library makes state",
        note,
    )
    (wrong,) = report["contradictions"]
    assert wrong["admits"].startswith("0.9.1 to ") and wrong["makes_state"] is True
    assert wrong["certain"] is False and "which ends the process" in wrong["error"]
    done = audit("--strict", "--probe", "mine-1.0-py3-none-any.whl")
    assert done.returncode == 1
    assert "  admitted, and may fail natively: jaxlib 0.9.1 to " in done.stdout
    # Those that keep its state are no contradiction, and others are certain.
    within = audit("--strict", "--probe", "made.so", "--jax", ">=0.8.1,<0.9.1")
    assert within.returncode == 0
    assert within.stdout.endswith("its custom calls run natively on all that it admits\n")
    report = audited("--probe", "made.so", "--jax", "<0.9.1,>=0.6")
    assert {wrong["certain"] for wrong in report["contradictions"]} == {True}


def test_handlers_without_state_have_no_note():
    report = audited("--probe", wheel("jax>=0.8.1", library=stateful(2, 0)))
    (call,) = {id(call): call for call in by_name(report).values()}.values()
    assert (call["makes_state"], call["notes"], len(call["names"])) == (False, [], 2)
    assert report["contradictions"] == [] and report["unknown"] is False
    done = audit("--probe", "mine-1.0-py3-none-any.whl")
    assert done.stdout.endswith("its custom calls run natively on all that it admits\n")


def test_state_on_rows_that_keep_it_has_no_note():
    calls = by_name(audited("--probe", stateful(3, 7)))
    assert {call["makes_state"] for call in calls.values()} == {True, False}
    assert {call["native"].split()[0] for call in calls.values()} == {"0.9.1"}
    assert [call["notes"] for call in calls.values()] == [[], []]


def test_headers_that_do_not_report_state():
    report = audited("--probe", wheel("jax>=0.5", library=stateful(1, 7)))
    (call,) = {id(call): call for call in by_name(report).values()}.values()
    assert call["makes_state"] is None and report["unknown"] is True
    assert re.fullmatch(
        r"if it has state, not surely on 0\.8\.1 to [\d.]+: cannot tell, its headers do not report "
        "it",
        call["notes"][0],
    )
    assert audited("--probe", "made.so", "--jax", ">=0.5,<0.8")["unknown"] is False


def test_functions_that_were_not_asked():
    library = stateful(2, 0)
    # A name that tells no type, and no others.
    text = pathlib.Path("made.cc").read_text()
    pathlib.Path("made.cc").write_text(
        text.replace("XLA_FFI_Error* take", 'extern "C" XLA_FFI_Error* take')
    )
    command = ["g++", "-s", "-std=c++17", "-shared", "-fPIC", "-I", ROOT / "include", "-o", library]
    subprocess.run([*command, "made.cc"], check=True)
    for call in by_name(audited("--probe", library)).values():
        assert call["notes"][0].endswith("cannot tell, functions without a symbol were not asked")


# Rust's and C's handlers have no type in their names, and a version script hides them.
HIDDEN = """
extern "C" __attribute__((visibility("hidden"))) XLA_FFI_Error* hidden(XLA_FFI_CallFrame* frame) {
  return answer(frame, 0);
}
static void typed_by_its_name(int) { __builtin_trap(); }
extern "C" void* capsules(int i) {
  return i == 0 ? reinterpret_cast<void*>(hidden) : reinterpret_cast<void*>(typed_by_its_name);
}
"""


def test_a_hidden_handler_of_a_file_with_symbols_is_found_by_a_probe():
    text = STATEFUL[: STATEFUL.index("XLA_FFI_Error* make")].replace("MINOR", "3")
    library = shared(text + HIDDEN, "-std=c++17", "-I", str(ROOT / "include"))
    assert "hidden" not in subprocess.check_output(["nm", "-D", library], text=True)
    assert only_call(audited(library))["api_version"] is None
    call = only_call(audited("--probe", library))
    assert call["api_version"] == "0.3" and call["native"].startswith("0.9.1 to ")
    (name,) = call["names"]
    assert re.fullmatch(r"function at 0x[0-9a-f]+ \(hidden\)", name)


@pytest.mark.parametrize(
    "source, words, says",
    [
        (TYPED, [], "(returned without an answer, which proves nothing)"),
        (
            'extern "C" const char* mention() { return "XLA_FFI_CallFrame XLA_FFI_Metadata"; }',
            [],
            "(the probe found no handler among the functions that it may ask: those that are "
            "exported without a type, and others whose address is taken: ",
        ),
        (
            'extern "C" int nowhere(); extern "C" const char* mention() { nowhere(); '
            'return "XLA_FFI_CallFrame XLA_FFI_Metadata"; }',
            [],
            "whose address is taken: its file cannot be opened: ",
        ),
        (
            'extern "C" int nowhere(); static const char* mention() { nowhere(); '
            'return "XLA_FFI_CallFrame XLA_FFI_Metadata"; } const char* (*taken)() = mention;',
            ["-s"],
            "whose address is taken: its file cannot be opened: ",
        ),
    ],
    ids=["no answer", "none found", "not opened", "nothing exported"],
)
def test_what_a_probe_could_not_tell(source, words, says):
    library = shared(source, *words)
    assert "unknown, --probe asks" in audit(library).stdout
    for table in ([], ["--table"]):
        done = audit("--probe", *table, library)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert "--probe asks" not in done.stdout and "unknown" in done.stdout
    assert says in audit("--probe", library).stdout


def test_handlers_of_our_headers_run_on_all_that_have_typed_ffi():
    report = audited("--probe", BUILD / "tests/typed_ffi/suite/suite_ours.so")
    for call in by_name(report).values():
        if call["api_version"] is not None:
            assert call["adapts"] is True and call["notes"] == []
            assert call["native"].startswith("0.4.30 to ")
    done = audit("--probe", BUILD / "tests/typed_ffi/suite/suite_ours.so")
    assert ", adapts to the runtime" in done.stdout


def test_strict():
    name = wheel("jax>=0.4.30", library=handlers(HEADERS[-1]))
    assert audit(name).returncode == audit("--strict", name).returncode == 0  # unknown
    assert audit("--probe", name).returncode == 0
    done = audit("--strict", "--probe", name)
    assert done.returncode == 1 and done.stderr == ""
    assert "admitted, and fails natively: jaxlib 0.4.30" in done.stdout
    assert "the handler's API version" in done.stdout
    newest = HEADERS[-1]
    assert audit("--strict", "--probe", name, "--jax", f">={newest}").returncode == 0


@pytest.mark.parametrize(
    "requires, texts",
    [
        ([], []),
        (["numpy"], []),
        (["jax"], ["jax"]),
        (["jax (>=0.5)"], ["jax>=0.5"]),
        (["jaxlib>=0.5; python_version > '3'", "jax"], ["jaxlib>=0.5", "jax"]),
        (["jax>=0.5; extra == 'gpu'", "jax-cuda12-plugin", "jaxtyping"], ["jax>=0.5"]),
    ],
)
def test_requirements(requires, texts):
    assert audited(wheel(*requires, library=shared(ORIGINAL)))["requires"] == texts


def test_what_one_requirement_leaves_another_may_not():
    name = wheel("jax>=0.5", f"jaxlib>={HEADERS[-1]}", library=handlers(HEADERS[-1]))
    assert audited("--probe", name)["contradictions"] == []


def test_a_table():
    done = audit(
        "--table", wheel("jax", library=shared(ORIGINAL), other=shared("int x;", name="x.so"))
    )
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and {line.count("|") for line in lines} == {6}
    assert lines[2].startswith("| mine/library.so | 1 original | ")


def test_a_folder_and_a_file():
    with zipfile.ZipFile(wheel("jax>=0.5", library=shared(ORIGINAL))) as file:
        file.extractall("unpacked")
    report = audited("unpacked")
    assert report["requires"] == ["jax>=0.5"]
    assert [each["library"] for each in report["libraries"]] == ["mine/library.so"]
    report = audited("unpacked/mine/library.so")
    assert report["requires"] is None and report["contradictions"] == []


def test_links_of_a_folder_are_not_followed():
    folder = pathlib.Path("folder")
    folder.mkdir()
    library = shared(ORIGINAL).resolve()
    (folder / "elsewhere.so").symlink_to(library)
    (folder / "again").symlink_to(".")
    (folder / "broken.so").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.so")
    report = audited("folder")
    assert report["libraries"] == []
    assert sorted(report["not_followed"]) == ["again", "broken.so", "elsewhere.so"]


def test_without_custom_calls():
    report = audited(wheel("jax", library=shared("int x;")))
    assert report["libraries"] == [] and report["without_custom_calls"] == ["mine/library.so"]
    assert "it has no custom calls" in audit("mine-1.0-py3-none-any.whl").stdout


def test_nothing_of_the_wheel_runs():
    source = (
        ORIGINAL
        + """
#include <cstdio>
[[gnu::constructor]] static void run() { std::fclose(std::fopen("ran", "w")); }
"""
    )
    audited(wheel("jax", library=shared(source)))
    assert not pathlib.Path("ran").exists()


# ---- Bad input


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
        # Where TMPDIR is none that can be written, Python tries others.
        (
            "import tempfile\ntempfile.tempdir = '/none'\n",
            r"a wheel's libraries are unpacked into a temporary folder: .*; set TMPDIR to a folder "
            r"that can be written",
        ),
        (
            "import sys\nsys.modules['packaging'] = None\n",
            r".* has not got: install it there \(python -m pip install packaging\), or set "
            r"CALLBRIDGE_PYTHON to a Python that has it",
        ),
    ],
    ids=["no temporary folder", "no packaging"],
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
        "callbridge: FAILED_PRECONDITION: expected /proc, through which callbridge finds "
        "callbridge: mount it (mount -t proc proc /proc), or set CALLBRIDGE_COMMAND to its path\n"
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
