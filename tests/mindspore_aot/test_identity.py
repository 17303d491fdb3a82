"""An AOT operator is a function of a file, and not a text: which file a name means is looked up
each time, and what the file holds, headers included."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import textwrap
import threading

import callbridge.jax
import callbridge.library
import callbridge.numpy
import jax
import numpy as np
import pytest
from callbridge._core import _library_files
from callbridge.library import CallbridgeError

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

PARAMETERS = "int, void** p, int*, int64_t**, const char**, void*, void*"
# Code writes a number. Fill keeps its operand, and Look writes what Fill kept.
SOURCE = f"""\
#include <cstdint>
static float kept = -1;
extern "C" int Code({PARAMETERS}) {{ *(float*)p[1] = NUMBER; return 0; }}
extern "C" int Fill({PARAMETERS}) {{ *(float*)p[1] = kept = *(float*)p[0]; return 0; }}
extern "C" int Look({PARAMETERS}) {{ *(float*)p[1] = kept; return 0; }}
"""
X = np.float32([7])


def source(number):
    return SOURCE.replace("NUMBER", str(number))


def compiled(path, number):
    """Compiles the source to the library at `path`, which a linker makes anew."""
    path.with_suffix(".cpp").write_text(source(number))
    command = ["g++", "-shared", "-fPIC", "-o", f"{path}.new", path.with_suffix(".cpp")]
    subprocess.run(command, check=True)
    return pathlib.Path(f"{path}.new")


def in_library(target):
    library = callbridge.library.load(target)
    return lambda x: library.run(target, [x], "f32[1]")


def jitted(target):
    return jax.jit(callbridge.jax.custom_call(target, "f32[1]"))


FACES = {
    "library": in_library,
    "numpy": lambda target: callbridge.numpy.custom_call(target, "f32[1]"),
    "jax": lambda target: callbridge.jax.custom_call(target, "f32[1]"),
    "jit": jitted,
}


@pytest.fixture(params=FACES)
def call(request):
    """Makes a function of an operator's name."""
    return FACES[request.param]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working folder, with two folders. The same relative names come again in each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "a")
    return tmp_path


# ---- One name, another function -----------------------------------------------------------------


def edited(folder):
    path = folder / "a/code.cc"
    path.write_text(source(1))
    yield "./code.cc"
    path.write_text(source(2))
    yield "./code.cc"


def edited_in_one_tick(folder):
    """Neither the size nor the times tell."""
    path = folder / "a/code.cc"
    path.write_text(source(1))
    status = path.stat()
    yield "./code.cc"
    path.write_text(source(2))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    yield "./code.cc"


def replaced(folder):
    path = folder / "a/code.cc"
    path.write_text(source(1))
    yield str(path)
    (folder / "new").write_text(source(2))
    os.rename(folder / "new", path)
    yield str(path)


def another_folder(folder):
    for number, name in ((1, "a"), (2, "b")):
        (folder / name / "code.cc").write_text(source(number))
    yield "code.cc"
    os.chdir("../b")
    yield "code.cc"


def a_header_edited(folder):
    (folder / "a/code.cc").write_text('#include "number.h"\n' + source("N"))
    for number in (1, 2):
        (folder / "a/number.h").write_text(f"#define N {number}\n")
        yield "code.cc"


def a_header_that_comes_before_another(folder):
    """Which one is found first depends on the working folder, as for MindSpore."""
    (folder / "b/code.cc").write_text("#include <number.h>\n" + source("N"))
    (folder / "b/number.h").write_text("#define N 1\n")
    yield "../b/code.cc"
    (folder / "a/number.h").write_text("#define N 2\n")
    yield "../b/code.cc"


def a_link_to_another_file(folder):
    for number, name in ((1, "one.cc"), (2, "two.cc")):
        (folder / name).write_text(source(number))
        (folder / "a/code.cc").unlink(missing_ok=True)
        (folder / "a/code.cc").symlink_to(folder / name)
        yield "code.cc"


def a_link_to_another_folder(folder):
    for number, name in ((1, "a"), (2, "b")):
        (folder / name / "code.cc").write_text(source(number))
        (folder / "link").unlink(missing_ok=True)
        (folder / "link").symlink_to(name)
        yield "../link/code.cc"


def an_equal_source_beside_another_header(folder):
    for number, name in ((1, "a"), (2, "b")):
        (folder / name / "code.cc").write_text('#include "number.h"\n' + source("N"))
        (folder / name / "number.h").write_text(f"#define N {number}\n")
        yield f"../{name}/code.cc"


def a_link_beside_another_header(folder):
    (folder / "a/code.cc").write_text('#include "number.h"\n' + source("N"))
    (folder / "b/code.cc").symlink_to("../a/code.cc")
    for number, name in ((1, "a"), (2, "b")):
        (folder / name / "number.h").write_text(f"#define N {number}\n")
        yield f"../{name}/code.cc"


def built_in_place(folder):
    path = folder / "a/code.so"
    for number in (1, 2):
        new = compiled(path, number)
        shutil.copyfile(new, path)  # the same file as before, written to
        os.utime(path, (1, 1))
        yield "./code.so"


def built_and_renamed(folder):
    path = folder / "a/code.so"
    for number in (1, 2):
        os.rename(compiled(path, number), path)
        yield "./code.so"


def a_text_that_depends_on_lines(folder):
    path = folder / "a/code.cc"
    for number in (1, 2):
        path.write_text("\n" * (number - 1) + source("__builtin_LINE() - 2"))
        yield "code.cc"


def a_line_in_a_raw_string(folder):
    """It looks as what the preprocessor says of lines."""
    for number in (1, 2):
        text = f'R"(\n# {number}\n)"[3] - 48'
        (folder / "a/code.cc").write_text(source(text))
        yield "code.cc"


def a_file_of_the_assembler(folder):
    text = 'asm(".globl n\\n n: .incbin \\"n.bin\\"\\n .text"); extern "C" const char n;\n'
    (folder / "a/code.cc").write_text(text + source("n"))
    for number in (1, 2):
        (folder / "a/n.bin").write_bytes(bytes([number]))
        yield "code.cc"


CHANGES = [
    edited,
    edited_in_one_tick,
    replaced,
    another_folder,
    a_header_edited,
    a_header_that_comes_before_another,
    a_link_to_another_file,
    a_link_to_another_folder,
    an_equal_source_beside_another_header,
    a_link_beside_another_header,
    built_in_place,
    built_and_renamed,
    a_text_that_depends_on_lines,
    a_line_in_a_raw_string,
    a_file_of_the_assembler,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_is_called_is_what_the_file_holds(folder, call, change):
    paths = change(folder)
    first = call(f"{next(paths)}:Code")
    assert first(X) == 1
    second = call(f"{next(paths)}:Code")
    assert second(X) == 2
    assert first(X) == 1  # keeps what it was made with
    assert list(paths) == []


def test_an_edit_that_is_taken_back(folder, call):
    path = folder / "a/code.cc"
    for number in (1, 2, 1, 2, 3):
        path.write_text(source(number))
        assert call("code.cc:Code")(X) == number
        assert call("./code.cc:Code")(X) == number


def test_load_takes_what_the_file_holds(folder):
    path = folder / "a/code.cc"
    for module in (callbridge.jax, callbridge.numpy):
        libraries = []
        for number in (1, 2):
            path.write_text(source(number))
            libraries.append(module.load("code.cc:Code"))
            assert module.load("code.cc:Code") is libraries[-1]
            assert module.custom_call("code.cc:Code", "f32[1]")(X) == number
        for number, library in enumerate(libraries, 1):
            assert library.run("code.cc:Code", [X], "f32[1]") == number


def test_the_command(folder):
    command = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", "")).parent / "callbridge"
    np.save("x.npy", X)
    for number in (1, 2):
        (folder / "a/code.cc").write_text(source(number))
        arguments = ["run", "code.cc:Code", "x.npy", "--result", "f32[1]"]
        done = subprocess.run([command, *arguments], capture_output=True, text=True)
        assert f"result{{}} f32[1] {number}\n" in done.stdout, done


# ---- Other names, one function ------------------------------------------------------------------


def spellings(folder, suffix):
    name = f"code{suffix}"
    path = folder / "a" / name
    (folder / "a/~").mkdir()
    (folder / "a/x:y").mkdir()
    (folder / "folder").symlink_to("a")
    (folder / "b/link").symlink_to(path)
    os.rename(folder / "b/link", folder / f"b/link{suffix}")
    (folder / f"b/hard{suffix}").hardlink_to(path)
    (folder / f"a/~/{name}").symlink_to(path)
    (folder / f"a/x:y/{name}").symlink_to(path)
    return [
        name,
        f"./{name}",
        f".//./{name}",
        str(path),
        f"../a/{name}",
        f"../b/../a/{name}",
        f"../folder/{name}",
        f"../folder/../a/{name}",
        f"../b/link{suffix}",
        f"../b/hard{suffix}",
        f"~/{name}",
        f"x:y/{name}",
    ]


@pytest.mark.parametrize(
    "suffix, face", [(".cc", "jit"), (".cc", "library"), (".so", "jax"), (".so", "numpy")]
)
def test_every_spelling_is_one_copy_of_the_file(folder, suffix, face):
    call = FACES[face]
    path = folder / "a" / f"code{suffix}"
    if suffix == ".cc":
        path.write_text(source(1))
    else:
        os.rename(compiled(path, 1), path)
    names = spellings(folder, suffix)
    for i, (name, other) in enumerate(zip(names, [*names[1:], names[0]])):
        assert call(f"{name}:Code")(X) == 1, name
        assert call(f"{name}:Fill")(X + i) == 7 + i
        assert call(f"{other}:Look")(X) == 7 + i, (name, other)
    # Across the faces too.
    for face in FACES.values():
        assert face("code" + suffix + ":Look")(X) == 7 + i


def test_a_copy_is_another_file(folder, call):
    for name in ("a", "b"):
        (folder / name / "code.cc").write_text(source(1))
    assert call("code.cc:Fill")(X) == 7
    assert call("../b/code.cc:Look")(X) == -1
    os.chdir("../b")
    assert call("code.cc:Look")(X) == -1
    assert call("../a/code.cc:Look")(X) == 7


def test_a_comment_is_no_content(folder, call):
    path = folder / "a/code.cc"
    path.write_text(source(1))
    assert call("code.cc:Fill")(X) == 7
    path.write_text("// A comment.\n\n" + source(1))
    assert call("code.cc:Look")(X) == 7


def test_a_name_of_another_function_stays(folder):
    """A text that register() was given is that function's, whatever files there are."""
    (folder / "a/code.cc").write_text(source(1))
    for module in (callbridge.jax, callbridge.numpy):
        handler = module.load("code.cc:Code").targets[0].address
        name = f"named_by_{module.__name__}.cc:Code"
        module.register(name, handler, abi="typed_ffi")
        (folder / "a" / name.partition(":")[0]).write_text(source(2))
        stages = module.load("code.cc:Code").targets[0].stages
        assert stages and module.custom_call("code.cc:Code", "f32[1]")(X) == 1
        with pytest.raises(CallbridgeError, match="registered at") as raised:
            module.load(name)
        assert raised.value.code == "ALREADY_EXISTS"


# ---- Bad files ----------------------------------------------------------------------------------


def test_a_file_that_has_gone(folder, call):
    path = folder / "a/code.cc"
    path.write_text(source(1))
    first = call("code.cc:Code")
    path.unlink()
    missing = r"code\.cc: cannot be opened: No such file"
    with pytest.raises(CallbridgeError, match=missing) as raised:
        call("code.cc:Code")
    assert raised.value.code == "NOT_FOUND"
    assert first(X) == 1
    path.write_text(source(2))
    assert call("code.cc:Code")(X) == 2


@pytest.mark.parametrize("name", ["no/code.cc", "~nobody/code.cc", "code.cc/code.cc", "a\0b.cc"])
def test_no_such_file(folder, call, name):
    (folder / "a/code.cc").write_text(source(1))
    with pytest.raises(CallbridgeError) as raised:
        call(f"{name}:Code")
    assert raised.value.code in ("NOT_FOUND", "INVALID_ARGUMENT")


def test_an_error_is_of_the_users_line_and_a_good_source_after_it(folder, call):
    path = folder / "a/code.cc"
    for number in (1, 2):
        path.write_text(source(number))
        assert call("code.cc:Code")(X) == number
        path.write_text(source("no_such_name"))
        message = r"Compilation error in compiling code\.cc: g\+\+(.|\n)*/code\.cc:3:.*no_such_name"
        with pytest.raises(CallbridgeError, match=message) as raised:
            call("code.cc:Code")
        assert raised.value.code == "INVALID_ARGUMENT"


def test_what_is_compiled_is_what_was_hashed(folder, call, monkeypatch):
    """The source is edited whenever it was preprocessed."""
    compiler = shutil.which("g++")
    path = folder / "a/code.cc"
    (folder / "bin").mkdir()
    script = folder / "bin/g++"
    script.write_text(
        f'#!/bin/sh\n{compiler} "$@" || exit\n'
        f"case \" $* \" in *' -E '*) cp {folder}/next.cc {path};; esac\n"
    )
    script.chmod(0o755)
    path.write_text(source(1))
    (folder / "next.cc").write_text(source(2))
    with monkeypatch.context() as context:
        context.setenv("PATH", f"{folder}/bin:{os.environ['PATH']}")
        assert call("code.cc:Code")(X) == 1
        assert path.read_text() == source(2)
        assert call("code.cc:Code")(X) == 2
    path.write_text(source(1))
    assert call("code.cc:Code")(X) == 1


# ---- Threads and processes ----------------------------------------------------------------------


def test_threads(folder):
    path = folder / "a/code.cc"

    def work(make, name, found):
        found.append(float(make(f"{name}:Code")(X)[0]))

    for number in (1, 2):
        path.write_text(source(number))
        found = []
        threads = [
            threading.Thread(target=work, args=(make, name, found))
            for make in FACES.values()
            for name in ("code.cc", str(path))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [number] * len(threads)
    assert callbridge.numpy.custom_call("code.cc:Fill", "f32[1]")(X) == 7
    assert jitted("./code.cc:Look")(X) == 7


PROGRAM = """
import sys, callbridge.numpy, numpy as np
print(callbridge.numpy.custom_call("code.cc:Code", "f32[1]")(np.float32([1]))[0])
"""


def test_processes(folder):
    path = folder / "a/code.cc"
    path.write_text(source(5))
    command = [sys.executable, "-c", PROGRAM]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in processes] == ["5.0\n"] * 3
    assert len(list((folder / "cache/callbridge/aot").iterdir())) == 1


def test_an_operator_travels_by_its_name_and_content(folder):
    (folder / "a/code.cc").write_text('#include "number.h"\n' + source("N"))
    (folder / "a/number.h").write_text("#define N 1\n")
    library = callbridge.library.load("./code.cc:Code")
    program = """
        import pickle, sys, numpy as np
        library, target = pickle.load(sys.stdin.buffer)
        print(library.path, target.name, library.run("./code.cc:Code", [np.float32([1])], "f32[1]"))
    """
    sent = pickle.dumps((library, library.targets[0]))

    def read():
        command = [sys.executable, "-c", textwrap.dedent(program)]
        return subprocess.run(command, input=sent, cwd="/", capture_output=True)

    assert read().stdout == b"./code.cc:Code ./code.cc:Code [1.]\n", read()
    assert pickle.loads(sent)[0] is library
    (folder / "a/number.h").write_text("#define N 2\n")
    assert b"FAILED_PRECONDITION: %s/code.cc:Code has other content" % os.getcwdb() in read().stderr
    assert pickle.loads(sent)[0] is library


def test_an_export_of_an_edited_operator_finds_it_in_another_process(folder):
    export = pytest.importorskip("jax.export", reason="this jax has no jax.export")
    path = folder / "a/code.cc"
    for number in (1, 2):
        path.write_text(source(number))
        call = jitted("code.cc:Code")
        assert call(X) == number
    content = callbridge.jax.load("code.cc:Code").targets[0]._content
    name = _library_files.identity("code.cc:Code", content)
    checks = [export.DisabledSafetyCheck.custom_call(name)]
    exported = export.export(call, disabled_checks=checks)(jax.ShapeDtypeStruct((1,), np.float32))
    (folder / "program").write_bytes(exported.serialize())
    program = """
        import callbridge.jax, jax.export, numpy as np, pathlib
        callbridge.jax.load("code.cc:Code")
        program = jax.export.deserialize(pathlib.Path("../program").read_bytes())
        print(program.call(np.float32([7])))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "[2.]\n", done
    # Of another content it is another function, which the program does not get.
    path.write_text(source(3))
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and name in done.stderr, done
