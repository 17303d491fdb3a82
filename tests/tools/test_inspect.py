"""`callbridge inspect`, the real executable on files that are made here."""

import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
PROBED = BUILD / "tests/targets/probed.so"

# A custom call that leaves a trace whenever any code of its file runs.
TRACES = """
#include <stdio.h>
#include <stdlib.h>
static void leave_trace() { fclose(fopen("trace", "w")); }
__attribute__((constructor)) static void construct() { leave_trace(); exit(7); }
extern "C" void ifunc() __attribute__((ifunc("resolve")));
extern "C" void (*resolve())() { leave_trace(); exit(8); }
void target(void* out, const void** in) { ifunc(); }
extern "C" void _init_custom() { leave_trace(); }
"""

TARGETS = """
#include <string>
namespace xla { struct CustomCallTargetRegistry {
  static CustomCallTargetRegistry* Global();
  void Register(const std::string&, void*, const std::string&);
}; }
struct XlaCustomCallStatus_;
extern "C" void XlaCustomCallStatusSetFailure(XlaCustomCallStatus_*, const char*, size_t);
void plain(void* out, const void** in) {}
static void with_status(void* out, void** in, XlaCustomCallStatus_* status) {
  XlaCustomCallStatusSetFailure(status, "no", 2);
}
static const bool registered = [] {
  auto* registry = xla::CustomCallTargetRegistry::Global();
  registry->Register("plain", reinterpret_cast<void*>(plain), "Host");
  registry->Register("with_status", reinterpret_cast<void*>(with_status), "Host");
  return true;
}();
"""

MODULE = """
struct PyObject; struct PyType; extern "C" PyType PyCapsule_Type;
extern "C" PyObject* PyCapsule_New(void*, const char*, void*);
static void kernel(void* out, void** in) {}
extern "C" PyObject* PyInit_example() {
  return PyCapsule_New(reinterpret_cast<void*>(kernel), "xla._CUSTOM_CALL_TARGET", nullptr);
}
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def compile_cxx(source, *options, output="made.so"):
    pathlib.Path("source.cc").write_text(source)
    subprocess.run(["g++", "-fPIC", "source.cc", "-o", output, *options], check=True)
    return output


def shared(source, *options, output="made.so"):
    return compile_cxx(source, "-shared", *options, output=output)


def command(*words):
    return subprocess.run(
        [COMMAND, "inspect", *map(str, words)], capture_output=True, text=True, timeout=120
    )


def text(*words):
    done = command(*words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def inspected(*words):
    """The JSON object of one file."""
    (found,) = json.loads(text("--json", *words))
    return found


def functions(found):
    return {
        f["name"].partition("(")[0]: f["abi"]["Host"] or f["abi"]["gpu"] for f in found["functions"]
    }


def test_text():
    shared(TARGETS)
    assert re.sub(r" at 0x[0-9a-f]+", "", text("made.so")) == (
        "made.so: shared library\n"
        + "".join(
            f"  {'needs' if i == 0 else '':10}  {line}\n"
            for i, line in enumerate(needs_lines("made.so"))
        )
        + """\
  strings     libstdc++'s new string ABI (std::__cxx11)
  registry    xla::CustomCallTargetRegistry::Global(): imported, provided by callbridge
              xla::CustomCallTargetRegistry::Register(std::string const&, void*, std::string const&): imported, provided by callbridge
  status      XlaCustomCallStatusSetFailure: imported, provided by callbridge
  functions   plain(void*, void const**), exported: original on Host
              with_status(void*, void**, XlaCustomCallStatus_*): status_returning on Host
  verdict     callbridge can load it; it registers its own targets
  next        callbridge run made.so  # lists its targets; loading it runs its constructors
              callbridge.jax.load('made.so')  # in Python: registers its targets with JAX
"""  # noqa: E501
    )


def needs_lines(path):
    paths = {library["name"]: library["path"] for library in inspected(path)["libraries"]}
    return [f"{name} => {paths[name]}" for name in inspected(path)["needed"]]


def test_no_code_of_the_file_runs():
    shared(TRACES, "-Wl,-init,_init_custom")
    compile_cxx(TRACES.replace("ifunc();", "") + "int main() { leave_trace(); }", output="program")
    for path in ("made.so", "program"):
        assert functions(inspected(path)) == {"target": "original"}
    assert not pathlib.Path("trace").exists()
    # The traces are left where code does run.
    assert subprocess.run(["./program"]).returncode == 7
    assert pathlib.Path("trace").exists()


def test_old_strings():
    assert inspected(shared(TARGETS, "-D_GLIBCXX_USE_CXX11_ABI=0"))["string_abi"] == "old"
    assert inspected(shared(TARGETS))["string_abi"] == "new"
    assert inspected(shared("void f(void*, const void**) {}"))["string_abi"] == "not_seen"


def test_what_is_missing():
    shared("void lost() {}", "-Wl,-soname,libgone.so.1", output="libgone.so.1")
    source = (
        TARGETS
        + "extern void lost(); extern int nowhere(std::string);"
        + "void g() { lost(); nowhere(std::string()); }"
    )
    shared(source, "libgone.so.1")
    pathlib.Path("libgone.so.1").unlink()
    found = inspected("made.so")
    assert {"name": "libgone.so.1", "path": None, "replaced_by_callbridge": False} in found[
        "libraries"
    ]
    providers = {u["name"]: u["provider"] for u in found["unresolved"]}
    assert providers["nowhere(std::string)"] == providers["lost()"] == "none"
    assert providers["XlaCustomCallStatusSetFailure"] == "callbridge"
    assert found["verdict"]["outcome"] == "does_not_load"
    assert "ld.so does not find libgone.so.1" in found["verdict"]["text"]
    shown = text("made.so")
    assert "libgone.so.1 => not found" in shown
    assert re.search(r"missing +lost\(\)\n +nowhere\(std::string\)\n", shown)


def test_private_copy_of_the_status_function():
    source = TARGETS.replace("size_t);", "size_t) {}").replace(
        'extern "C"', 'extern "C" __attribute__((visibility("hidden")))'
    )
    assert inspected(shared(source))["status"] == [
        {"name": "XlaCustomCallStatusSetFailure", "place": "a private copy"}
    ]


def test_object_files_and_archives():
    compile_cxx(TARGETS, "-c", output="made.o")
    subprocess.run(["ar", "rc", "libmade.a", "made.o"], check=True)
    whole = "-Wl,--whole-archive libmade.a -Wl,--no-whole-archive"
    for path, command_line in {
        "made.o": "g++ -shared -o made.so made.o",
        "libmade.a": f"g++ -shared -o libmade.so {whole}",
    }.items():
        found = inspected(path)
        assert functions(found) == {"plain": "original", "with_status": "status_returning"}
        assert found["verdict"]["outcome"] == "must_be_linked"
        assert found["verdict"]["next"][0] == command_line
        subprocess.run(command_line.split(), check=True)
        after = inspected(command_line.split()[3])
        assert functions(after) == functions(found)
        assert after["verdict"]["outcome"] == "loads"


def test_python_module():
    found = inspected(shared(MODULE))
    assert found["python_modules"] == ["example"]
    assert {u["provider"] for u in found["unresolved"]} == {"python"}
    assert found["verdict"]["outcome"] == "python_module"
    assert found["verdict"]["next"][0].startswith("import example")
    assert "callbridge.jax.register(name, capsule, abi='original')" in found["verdict"]["next"][1]


def test_functions_that_nobody_registers():
    found = inspected(shared("void f(void*, const void**) {}"))
    assert found["verdict"]["outcome"] == "loads_only"
    assert found["verdict"]["next"][0].startswith(
        "callbridge.jax.register('NAME', ctypes.CDLL('made.so')['_Z1fPvPPKv'], abi='original')"
    )


def test_stripped_and_empty_libraries():
    found = inspected(shared(TARGETS, "-s"))
    assert found["stripped"]
    assert functions(found) == {"plain": "original"}
    assert "stripped: static functions have no names here" in text("made.so")
    nothing = inspected(shared("int x;"))
    assert nothing["verdict"] == {
        "outcome": "no_custom_calls",
        "text": "no custom call found in it",
        "next": [],
    }


def test_probe():
    found = inspected("--probe", PROBED)
    verdicts = {p["symbol"]: p["verdict"] for p in found["probed"]}
    assert verdicts["answers_query"] == verdicts["refuses_everything"] == "typed"
    assert verdicts["returns"] == "unverified"
    assert verdicts["aborts"] == verdicts["never_returns"] == "not_typed"
    (line,) = found["verdict"]["next"]
    assert line.startswith("jax.ffi.register_ffi_target('NAME', jax.ffi.pycapsule(ctypes.CDLL(")
    assert inspected(PROBED)["probed"] == []
    (line,) = inspected(PROBED)["verdict"]["next"]
    assert line.startswith(f"callbridge inspect --probe {PROBED}  #")
    assert "--probe finds out" in text(PROBED)


def test_probe_asks_what_may_be_a_handler():
    """Functions of other types are not called, and of files that are not loaded, none."""
    source = """
        #include <stdio.h>
        void untyped(void*, const void**) { fclose(fopen("called", "w")); }
        extern "C" const char* mention() { return "XLA_FFI_Error"; }
        extern "C" void* XLA_FFI_handler(void*) { return nullptr; }
    """
    found = inspected("--probe", shared(source))
    assert "untyped" in functions(found)
    assert "_Z7untypedPvPPKv" not in {probed["symbol"] for probed in found["probed"]}
    assert not pathlib.Path("called").exists()
    compile_cxx(source, "-c", output="made.o")
    assert inspected("--probe", "made.o")["probed"] == []


# A handler as Rust and version scripts leave it: without a name by which others find it.
HIDDEN_HANDLER = """
#include "callbridge/typed_ffi/c_api.h"
extern "C" __attribute__((visibility("hidden"))) XLA_FFI_Error* hidden(XLA_FFI_CallFrame* frame) {
  for (auto* one = frame->extension_start; one != nullptr; one = one->next) {
    if (one->type != XLA_FFI_Extension_Metadata) continue;
    auto* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(one)->metadata;
    metadata->api_version.major_version = 0;
    metadata->api_version.minor_version = 1;
  }
  return nullptr;
}
extern "C" const char* mention() { return "XLA_FFI_CallFrame"; }
extern "C" void* capsule() { return reinterpret_cast<void*>(hidden); }
"""


def test_a_handler_without_an_exported_name_is_not_suggested_by_one():
    """ctypes.CDLL(...)['function at 0x1130'] finds nothing, nor does ...['hidden']."""
    included = ["-std=c++17", "-I", ROOT / "include"]
    for options in [], ["-s"]:
        found = inspected("--probe", shared(HIDDEN_HANDLER, *included, *options))
        (typed,) = [probed for probed in found["probed"] if probed["verdict"] == "typed"]
        assert re.fullmatch(r"function at 0x[0-9a-f]+( \(hidden\))?", typed["symbol"])
        assert not typed["has_symbol"]
        assert not [line for line in found["verdict"]["next"] if "hidden" in line or "0x" in line]
    source = HIDDEN_HANDLER.replace('visibility("hidden")', 'visibility("default")')
    found = inspected("--probe", shared(source, *included))
    assert "ctypes.CDLL('made.so')['hidden']" in found["verdict"]["next"][0]


def test_several_files_and_failures():
    shared(TARGETS)
    pathlib.Path("text.so").write_text("hello")
    done = command("text.so", "made.so", "nowhere.so")
    assert done.returncode == 1
    assert done.stdout.startswith("made.so: shared library\n")
    assert done.stderr == (
        'callbridge: INVALID_ARGUMENT: text.so: is text: it begins with "hello"; a shared library '
        "(.so) is needed\n"
        "callbridge: NOT_FOUND: nowhere.so: cannot be opened: No such file or directory\n"
    )
    assert command().returncode == 2


def test_names_cannot_break_lines():
    path = pathlib.Path(shared('extern "C" void a_verdict(); void g() { a_verdict(); }'))
    path.write_bytes(path.read_bytes().replace(b"a_verdict", b"a\nverdict"))
    assert "  missing     a\\nverdict\n" in text(path)


def test_a_file_for_another_machine():
    other = BUILD / "tests/targets/other_machine.so"
    found = inspected(other)
    assert {found["machine"], inspected(shared(TARGETS))["machine"]} == {"x86-64", "aarch64"}
    assert text(other).startswith(f"{other}: shared library for {found['machine']}\n")
    assert functions(found) == {"divide": "status_returning"}
    assert found["libraries"] == []
    assert {symbol["provider"] for symbol in found["unresolved"]} == {"callbridge"}
    assert found["verdict"]["outcome"] == "does_not_load"
    # It is not opened: the error names both machines.
    run = subprocess.run([COMMAND, "run", other], capture_output=True, text=True)
    assert run.returncode == 1
    assert re.search(
        f"other_machine.so: was built for 64-bit little-endian {found['machine']}; "
        r"this process runs 64-bit little-endian (x86-64|aarch64) code\n$",
        run.stderr,
    )
