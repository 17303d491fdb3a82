"""What `callbridge audit` says."""

import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest
from audited_wheels import (
    BUILD,
    CACHE,
    HEADERS,
    ORIGINAL,
    ROOT,
    TYPED,
    audit,
    audited,
    handlers,
    only_call,
    shared,
    wheel,
)

pytestmark = pytest.mark.usefixtures("in_a_folder_of_its_own")


def test_untyped_functions_run_on_all():
    report = audited(wheel("jax>=0.4.20", library=shared(ORIGINAL)))
    call = only_call(report)
    assert (call["abi"], call["names"]) == ("original", ["add(void*, void const**)"])
    assert call["through_callbridge"] == "" and report["contradictions"] == []
    assert report["requires"] == ["jax>=0.4.20"]


def test_a_function_of_a_gpu_alone():
    function = "struct CUstream_st; void f(CUstream_st*, void**, const char*, unsigned long) {}"
    assert only_call(audited(wheel("jax", library=shared(function))))["abi"] == "original on GPU"


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
    # They have no names to count.
    assert "\n    typed_ffi, XLA FFI's version is unknown" in audit(library).stdout


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
    said = audit("--probe", "made.so", "--jax", "<0.9.1,>=0.6").stdout.splitlines()
    said = [line for line in said if line.startswith("  admitted, and fails natively: ")]
    assert len(said) == len({*said}) < len(report["contradictions"])


def test_releases_that_fail_surely_beside_some_that_may():
    """One run of releases is certain to fail if one of them is. No rows of today are like that."""
    from callbridge._audit import _releases, _report
    from packaging.specifiers import SpecifierSet

    answers = [("0.5.0 to 0.5.9", True, True), ("0.6.0 to 0.6.9", True, False),
               ("0.7.0 to 0.7.9", False, False), ("0.8.0", True, False)]  # fmt: skip
    rows = [
        {"releases": f"jaxlib {releases}", "minor": minor, "has_metadata": True,
         "accepts": [accepts], "keeps_state": [keeps]}
        for minor, (releases, accepts, keeps) in enumerate(answers)
    ]  # fmt: skip
    call = {"abi": "typed_ffi", "api_version": "0.0", "headers": None, "adapts": False,
            "makes_state": True}  # fmt: skip
    spans = _releases.spans_of(rows)
    native = _report._native(call, spans, rows)
    assert [str(span.first) for span in native] == ["0.5.0"]
    for admitted, certain in [
        (">=0.6,<0.7", [False]),
        (">=0.7,<0.8", [True]),
        (">=0.6,<0.8", [True]),
        (">=0.7", [True]),
        (">=0.8", [False]),
        (">=0.5,<0.6", []),
    ]:
        requirements = _releases.Requirements((admitted,), (SpecifierSet(admitted),))
        found = _report._contradictions(call, spans, native, requirements, rows)
        assert [wrong["certain"] for wrong in found] == certain, admitted


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


def test_a_library_that_ends_each_process_that_opens_it():
    crash = "[[gnu::constructor]] static void crash() { __builtin_trap(); }"
    libraries = {"bad": shared(TYPED + crash), "good": shared(TYPED, name="good.so")}
    bad, good = audited("--probe", wheel("jax", **libraries))["libraries"]
    (call,) = bad["custom_calls"]
    assert call["evidence"] == "its file cannot be opened: callbridge-probe ended by SIGILL"
    (call,) = good["custom_calls"]
    assert call["evidence"] == "returned without an answer, which proves nothing"


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
            "whose address is taken: gave no answer without what is missing here: ",
        ),
        (
            'extern "C" int nowhere(); static const char* mention() { nowhere(); '
            'return "XLA_FFI_CallFrame XLA_FFI_Metadata"; } const char* (*taken)() = mention;',
            ["-s"],
            "whose address is taken: gave no answer without what is missing here: ",
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
        (["JAX>=0.5", "JaxLib"], ["JAX>=0.5", "JaxLib"]),
        (["jaxlib>=0.5; python_version > '3'", "jax"], ["jaxlib>=0.5", "jax"]),
        (["jax>=0.5; extra == 'gpu'", "jax-cuda12-plugin", "jaxtyping"], ["jax>=0.5"]),
    ],
)
def test_requirements(requires, texts):
    assert audited(wheel(*requires, library=shared(ORIGINAL)))["requires"] == texts


def test_what_one_requirement_leaves_another_may_not():
    name = wheel("jax>=0.5", f"jaxlib>={HEADERS[-1]}", library=handlers(HEADERS[-1]))
    assert audited("--probe", name)["contradictions"] == []


@pytest.mark.parametrize(
    "requirement, admits",
    [
        ("jax>0.6,<0.7", "0.6.1"),
        ("jax>0.6.1,<0.6.3", "0.6.2"),
        ("jax>0.6,<0.6.5", "0.6.1 to 0.6.4"),
        ("jax>=0.6,<0.6.1", "0.6"),
        ("jax>0.6,<0.6.1", None),
        ("jax==0.7", "0.7"),
        ("jax==0.7.*", "0.7 to 0.7.1"),
        ("jax~=0.7.0", "0.7.0 to 0.7.1"),
        ("jax>0.4.37,<0.5,!=0.4.38", "0.4.39"),
    ],
)
def test_releases_between_those_that_a_requirement_names(requirement, admits):
    """Which exist is not known, so that those beside the named ones count."""
    wrong = audited("--probe", wheel(requirement, library=handlers(HEADERS[-1])))["contradictions"]
    assert {each["admits"] for each in wrong} == ({admits} if admits else set())


def test_a_table():
    done = audit(
        "--table", wheel("jax", library=shared(ORIGINAL), other=shared("int x;", name="x.so"))
    )
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and {line.count("|") for line in lines} == {6}
    assert lines[2].startswith("| mine/library.so | 1 original | ")
    barred = audit("--table", wheel("jax", **{"a|b": shared(ORIGINAL)})).stdout.splitlines()[2]
    assert barred.startswith("| mine/a\\|b.so | ") and barred.count(" | ") == 4
    # Each kind of call has what it alone fails on.
    rows = audit("--table", "--probe", wheel("jax>=0.8.1", library=stateful(2, 7))).stdout
    fails = sorted(row.split(" | ")[-1] for row in rows.splitlines()[2:])
    assert fails[0] == "- |" and fails[1].startswith("0.9.1 to ") and len(fails) == 2


def test_a_folder_and_a_file():
    with zipfile.ZipFile(wheel("jax>=0.5", library=shared(ORIGINAL))) as file:
        file.extractall("unpacked")
    # What another project requires that it has a copy of.
    other = pathlib.Path("unpacked/mine/b-1.dist-info/METADATA")
    other.parent.mkdir(parents=True)
    other.write_text("Metadata-Version: 2.1\nName: b\nVersion: 1\nRequires-Dist: jax<0.5\n")
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
