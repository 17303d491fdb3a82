"""Targets that leave by what is no C++ exception, called from Python: the end of their thread, and
a panic of Rust's where rustc runs. Each in a process of its own."""

import os
import pathlib
import subprocess
import sys

import pytest

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"
CALLS = {
    "numpy": "callbridge.numpy.custom_call('leaves', 'f32[4]')(x)",
    "version_3": "jax.jit(callbridge.jax.custom_call('leaves', x, prefer='version_3'))(x)",
    "typed": "jax.jit(callbridge.jax.custom_call('leaves', x, prefer='typed'))(x)",
}
PROGRAM = """
import ctypes, sys, numpy as np
import {modules}
function = getattr(ctypes.CDLL({library!r}), {function!r})
callbridge.{face}.register("leaves", function, abi="original")
x = np.ones(4, np.float32)
try:
    {call}
except Exception as error:
    print(error)
"""


def run(how, library, function):
    face = "numpy" if how == "numpy" else "jax"
    program = PROGRAM.format(
        modules=f"callbridge.{face}" + (", jax" if face == "jax" else ""),
        library=library and str(library),
        function=function,
        face=face,
        call=CALLS[how],
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(PYTHON)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("how", CALLS)
def test_the_process_ends_with_words(how):
    """pthread_exit itself is the target. Python would wait for its lock forever."""
    done = run(how, None, "pthread_exit")
    assert done.returncode == -6  # SIGABRT
    assert "callbridge: a custom call's function ended its thread (pthread_exit" in done.stderr


@pytest.fixture(scope="module")
def panics(tmp_path_factory, rustc):
    """Where there is no rustc, tests/adapters/foreign_unwinding_test.cc raises by hand."""
    folder = tmp_path_factory.mktemp("rust")
    (folder / "panics.rs").write_text(
        "use std::os::raw::c_void;\n"
        '#[no_mangle] pub extern "C-unwind" fn panics(_: *mut c_void, _: *const *const c_void) {\n'
        '  panic!("no licence");\n'
        "}\n"
    )
    command = [
        rustc,
        "--crate-type",
        "cdylib",
        "-C",
        "panic=unwind",
        "-o",
        "panics.so",
        "panics.rs",
    ]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "panics.so"


@pytest.mark.parametrize("how", CALLS)
def test_a_rust_panic_is_an_error(how, panics):
    done = run(how, panics, "panics")
    assert done.returncode == 0, done.stderr
    assert "CustomCall failed: the target threw a Rust panic" in done.stdout
