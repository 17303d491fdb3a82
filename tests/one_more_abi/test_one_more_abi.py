"""An ABI that callbridge has not, in a second build of libcallbridge.so and the command that lists
it (CMakeLists.txt): from Python, in jax.jit, by the command and in a module.

The programs run in processes of their own: this one may have loaded the ordinary library.
"""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
FOLDER = BUILD / "tests/one_more_abi"
TARGETS = FOLDER / "counted_targets.so"
ABIS = "original, status_returning, status_returning_unified, typed_ffi"

BEGIN = f"""
import ctypes, sys
import numpy as np
import callbridge.library
from callbridge.library import CallbridgeError

TARGETS = {os.fspath(TARGETS)!r}
A, B = np.arange(4, dtype=np.float32), np.full(4, 10, np.float32)

def function_of(target):
    return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)(target.address)

def error_of(function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except Exception as error:
        return str(error)
    raise AssertionError("no error")
"""


def python(program, library=FOLDER / "libcallbridge.so"):
    environment = {
        **os.environ,
        "CALLBRIDGE_LIBRARY": os.fspath(library),
        # They know nothing of targets' ABIs but the typed one.
        "CALLBRIDGE_PROBE": os.fspath(BUILD / "callbridge-probe"),
        "PYTHONPATH": os.fspath(ROOT / "python"),
    }
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def command(*words, **environment):
    return subprocess.run(
        [FOLDER / "callbridge", *map(str, words)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def arrays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.arange(4, dtype=np.float32))
    np.save("b.npy", np.full(4, 10, np.float32))


# ---- Python -------------------------------------------------------------------------------------


def test_it_is_read_off_the_types():
    python(
        """
library = callbridge.library.load(TARGETS)
known = {target.name: (target.abi, target.evidence) for target in library.targets}
assert known["Sum"] == ("counted", "registered with its type"), known
assert known["Count"][0] == "counted" and "Count(void**, long)" in known["Count"][1], known
assert known["untold"][0] is None, known
"""
    )


def test_the_ordinary_build_does_not_know_it():
    python(
        """
library = callbridge.library.load(TARGETS)
assert [target.abi for target in library.targets] == [None] * 5
error = error_of(library.run, "untold", [A, B], "f32[4]", abi="counted")
assert error.endswith("expected one of 'original', 'status_returning', "
                      "'status_returning_unified', 'typed_ffi', got 'counted'"), error
""",
        LIBRARY,
    )


def test_it_is_called_by_library_run():
    python(
        """
library = callbridge.library.load(TARGETS)
np.testing.assert_array_equal(library.run("Sum", [A, (B, (A,))], "f32[4]"), 2 * A + B)
one, (two,) = library.run("Count", [A], "(f32[4],(f32[4]))")
assert one[0] == two[3] == 3
np.testing.assert_array_equal(library.run("untold", [A, B], "f32[4]", abi="counted"), A + B)
assert error_of(library.run, "Fail", [], "f32[4]").endswith(
    "CustomCall failed: the function returned 7")
assert "std::runtime_error: out of luck" in error_of(library.run, "Throw", [], "f32[4]")
error = error_of(library.run, "untold", [A, B], "f32[4]")
assert "'typed_ffi', 'counted'" in error, error
error = error_of(library.run, "Sum", [A, B], "f32[4]", abi="original")
assert "is 'counted'" in error, error
"""
    )


def test_it_is_called_by_callbridge_numpy():
    python(
        """
import callbridge.numpy
callbridge.numpy.load(TARGETS)
np.testing.assert_array_equal(callbridge.numpy.custom_call("Sum", "f32[4]")(A, B), A + B)
function = function_of(callbridge.library.load(TARGETS).target("untold"))
callbridge.numpy.register("mine", function, abi="counted")
np.testing.assert_array_equal(callbridge.numpy.custom_call("mine", "f32[4]")((A, B), A), 2 * A + B)
"""
    )


@pytest.mark.parametrize("path", ["version_3", "typed"])
def test_it_is_called_in_jax_jit(path):
    pytest.importorskip("jax")
    python(
        f"""
import jax, jax.numpy as jnp
import callbridge.jax
from callbridge.jax import custom_call

callbridge.jax.load(TARGETS)
F32x4 = jax.ShapeDtypeStruct((4,), jnp.float32)
both = {{"prefer": {path!r}}}
total = jax.jit(custom_call("Sum", F32x4, **both))
np.testing.assert_array_equal(total(A, B), A + B)
np.testing.assert_array_equal(total(A, B, A, A), 3 * A + B)
np.testing.assert_array_equal(total((A, (B,)), A), 2 * A + B)
one, (two,) = jax.jit(custom_call("Count", (F32x4, (F32x4,)), **both))(A)
assert one[0] == two[3] == 3
assert "the function returned 7" in error_of(jax.jit(custom_call("Fail", F32x4, **both)))
assert "out of luck" in error_of(jax.jit(custom_call("Throw", F32x4, **both)))
function = function_of(callbridge.library.load(TARGETS).target("untold"))
callbridge.jax.register("mine", function, abi="counted")
np.testing.assert_array_equal(jax.jit(custom_call("mine", F32x4, **both))(A, B), A + B)
assert "gets bytes and no attributes" in error_of(
    custom_call, "Sum", F32x4, attributes={{"n": 1}}, **both)
"""
    )


# ---- The command --------------------------------------------------------------------------------


def test_it_is_called_by_callbridge_run(arrays):
    done = command("run", TARGETS, "Sum", "(a.npy,b.npy)", "--result", "f32[4]")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == "Sum on Host: counted (registered with its type)\nresult{} f32[4] 10 11 12 13\n"
    )
    done = command("run", TARGETS, "untold", "a.npy", "--result", "f32[4]", "--abi", "counted")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("untold on Host: counted (declared by --abi)\n")
    done = command("run", TARGETS, "Fail", "--result", "f32[4]")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the function returned 7" in done.stderr


def test_the_command_lists_it():
    assert f"{ABIS} or counted" in " ".join(command("run", "--help").stdout.split())
    done = command("run", TARGETS, "Sum", "--result", "f32[4]", "--abi", "count")
    assert f"{ABIS}, counted" in done.stderr
    done = command("inspect", TARGETS)
    assert "Sum(void**, long)" in done.stdout
    assert "counted on Host" in done.stdout


def test_it_is_called_by_a_module(arrays):
    pathlib.Path("m.hlo").write_text(
        "HloModule m\n\nENTRY e {\n  a = f32[4]{0} parameter(0)\n  b = f32[4]{0} parameter(1)\n"
        '  ROOT s = f32[4]{0} custom-call(a, b), custom_call_target="Sum"\n}\n'
    )
    done = command(
        "run",
        "m.hlo",
        "a.npy",
        "b.npy",
        "--library",
        TARGETS,
        CALLBRIDGE_MODULE=os.fspath(BUILD / "callbridge-module"),
        LD_LIBRARY_PATH=os.fspath(FOLDER),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "10 11 12 13" in done.stdout
