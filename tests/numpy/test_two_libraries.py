"""Two callbridges in one process, as a wheel and a system's library of another version are."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from callbridge._calls import _bound_calls
from callbridge._core import _c_api

LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
VERSION = _c_api.version()
OTHER_VERSION = b"0.9.9"
PROGRAM = """\
import ctypes

def load_other():
    other = ctypes.CDLL({other!r}, {mode})
    other.callbridge_version.restype = ctypes.c_char_p
    return other

{first}
import callbridge.numpy, numpy
from callbridge._calls import _bound_calls
{last}
callbridge.numpy.load({targets!r})
x = numpy.ones(128, numpy.float32), numpy.ones(2048, numpy.float32)
print(callbridge.numpy.custom_call("add_repeated", "f32[2048]")(*x).sum())
print(_bound_calls.EXTENSION is not None)

# The other one works too.
library = ctypes.c_void_p()
assert not other.callbridge_library_load({targets!r}.encode(), ctypes.byref(library))
other.callbridge_library_target_count.restype = ctypes.c_size_t
print(other.callbridge_library_target_count(library), other.callbridge_version().decode())
try:
    from callbridge._calls import _c_module
except ImportError as error:
    print(error)
"""


@pytest.fixture
def other(tmp_path):
    path = tmp_path / "libcallbridge.so.0"
    content = LIBRARY.read_bytes()
    # What is before it is no part of a text: the end of another one, or of other data.
    version = re.compile(rb"(?<![!-~])" + re.escape(VERSION) + rb"\0")
    changed, count = version.subn(OTHER_VERSION + b"\0", content)
    assert count == 1
    path.write_bytes(changed)
    return path


def run(other, built, mode="0", **order):
    texts = {"first": "", "last": "", **{place: "other = load_other()" for place in order}}
    targets = str(built.parent / "examples/first_light.so")
    program = PROGRAM.format(other=str(other), mode=mode, targets=targets, **texts)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("mode", ["0", "ctypes.RTLD_GLOBAL"])
def test_the_other_one_first(other, built, mode):
    """The module in C would be bound to the other one by its name."""
    done = run(other, built, mode, first=True)
    assert done.stdout.splitlines() == [
        "4096.0",
        "False",
        f"4 {OTHER_VERSION.decode()}",
        f"{other} was loaded before {LIBRARY}, and libcallbridge_client.so, which runs HLO "
        "modules, would call it: import callbridge first, or load one callbridge alone",
    ]
    if _bound_calls.EXTENSION is not None:
        assert (
            f"RuntimeWarning: {other} was loaded before {LIBRARY}, and callbridge_python would "
            "call it: calls go by ctypes and take longer; import callbridge first, or load one "
            "callbridge alone\n"
        ) in done.stderr


@pytest.mark.parametrize("mode", ["0", "ctypes.RTLD_GLOBAL"])
def test_the_other_one_last(other, built, mode):
    done = run(other, built, mode, last=True)
    is_there = str(_bound_calls.EXTENSION is not None)
    assert done.stdout.splitlines() == ["4096.0", is_there, f"4 {OTHER_VERSION.decode()}"]
    assert done.stderr == ""
