"""What needs a process of its own: other modules, forks, threads, the end of the interpreter."""

import pytest
from this_torch_xla import CALLS_BY_VERSION_3, needs_version_3, torch_xla

CALL = """
load()
def squares(x=X):
    call = callbridge.torch.custom_call("square", lambda n, x: x)
    return call(xla(SIZE), xla(x)).cpu().tolist()
"""
EXPECTED = "[1.0, 4.0, 9.0, 16.0]"


def test_a_call(run_program):
    assert run_program(CALL + "print(squares())") == [EXPECTED]


def test_a_stripped_module(run_program, tmp_path):
    # The module of the environment is stripped in a copy, from which everything is imported.
    program = """
import ctypes, os, shutil, subprocess, sys
import importlib.util
found = importlib.util.find_spec("_XLAC").origin
copy = os.path.join(os.getcwd(), os.path.basename(found))
subprocess.run(["strip", "--strip-all", "-o", copy, found], check=True)
sys.path.insert(0, os.getcwd())
"""
    said = run_program(
        CALL
        + """
for _ in range(2):
    try:
        squares()
    except CallbridgeError as error:
        print(error)
print(callbridge.torch.custom_call("square_typed", lambda n, x: x)(SIZE, X).tolist())
""",
        before=program,
    )
    if not CALLS_BY_VERSION_3:  # its module exports the functions, so that stripping leaves them
        assert said == [EXPECTED]
        return
    symbol = "xla::CustomCallTargetRegistry::Global (_ZN3xla24CustomCallTargetRegistry6GlobalEv)"
    assert said[0] == said[1]
    assert said[0].startswith(
        f"FAILED_PRECONDITION: target 'square' on Host in PyTorch/XLA {torch_xla.__version__}: "
        f"the symbol tables of {tmp_path}/_XLAC"
    )
    assert symbol in said[0]
    assert "use torch_xla 2.9.0" in said[0]
    assert said[2] == EXPECTED


@needs_version_3
def test_a_name_that_xla_has_already(run_program):
    said = run_program(
        CALL
        + """
import ctypes
from callbridge._core import _c_api
from callbridge.torch import _xla_kernels
other = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p)
module = _xla_kernels.extension_module().encode()
_c_api.register_with_loaded_xla(module, b"square", b"Host", other)
for _ in range(2):
    try:
        squares()
    except CallbridgeError as error:
        print(error)
"""
    )
    assert len(said) == 2
    assert said[0].startswith("ALREADY_EXISTS: target 'square' on Host in PyTorch/XLA")


def test_a_name_twice(run_program):
    said = run_program(
        CALL
        + """
import ctypes
print(squares())
function = ctypes.CFUNCTYPE(None)(lambda: None)
try:
    callbridge.torch.register("square", function, abi="original")
except CallbridgeError as error:
    print(error.code)
print(squares())
"""
    )
    assert said == [EXPECTED, "ALREADY_EXISTS", EXPECTED]


def test_a_type_that_the_device_has_not(run_program):
    said = run_program(
        """
load()
call = callbridge.torch.custom_call("copy_typed", lambda x: x)
try:
    print(call(xla(torch.tensor([1, 2]))).cpu().tolist())
except CallbridgeError as error:
    print(error)
print(call(xla(torch.tensor([1.5]))).cpu().tolist())
""",
        XLA_USE_32BIT_LONG="1",
    )
    assert said[-2].startswith("UNIMPLEMENTED: target 'copy_typed'")
    assert "operands[0] is of torch.int64, but on the device of s32" in said[-2]
    assert said[-1] == "[1.5]"


def test_a_forked_process(run_program):
    said = run_program(
        CALL
        + """
import sys
print(squares(), flush=True)
child = os.fork()
if child == 0:
    try:
        squares()
    except CallbridgeError as error:
        print(error, flush=True)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), squares())
"""
    )
    assert said[0] == EXPECTED
    assert said[1].startswith("FAILED_PRECONDITION: this process was forked from one in which")
    assert said[2] == f"7 {EXPECTED}"


def test_forked_before_it_started(run_program):
    said = run_program(
        CALL
        + """
child = os.fork()
if child == 0:
    print(squares(), flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert said == [EXPECTED, "0"]


def test_threads(run_program):
    said = run_program(
        CALL
        + """
import threading
found = []
def run(i):
    for _ in range(5):
        found.append(squares() if i % 2 else squares(X + i)[0] == (1 + i) ** 2)
threads = [threading.Thread(target=run, args=(i,)) for i in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found), all(f is True or f == [1, 4, 9, 16] for f in found))
"""
    )
    assert said == ["30 True"]


def test_the_end_of_the_interpreter(run_program):
    said = run_program(
        CALL
        + """
import atexit
class Late:
    def __del__(self, done=[squares]):
        print("late", callbridge is not None)
late = Late()
atexit.register(lambda: print(squares()))
result = callbridge.torch.custom_call("copy_typed", lambda x: x)(xla(X))  # never waited for
print(squares())
"""
    )
    assert said[:2] == [EXPECTED, EXPECTED]


def test_pickling(run_program):
    said = run_program(
        """
import pickle
library = load()
again = pickle.loads(pickle.dumps(library))
print(again is library, len(pickle.dumps(xla(X))) > 0)
try:
    pickle.dumps(callbridge.torch.custom_call("square", lambda n, x: x))
except Exception as error:
    print(type(error).__name__)
"""
    )
    assert said[0].endswith("True")
    assert said[1] in ("TypeError", "PicklingError", "AttributeError")


@pytest.mark.parametrize(
    "order",
    ["callbridge.torch_xla", "torch_xla, callbridge.torch_xla", "callbridge.torch, torch_xla"],
)
def test_import_orders(run_program, order):
    said = run_program(
        "print(type(call(xla(X))).__name__, call(xla(X)).cpu().tolist())",
        before=f"""
import os
import {order}
import callbridge.torch
callbridge.torch.load(os.environ["CALLBRIDGE_BUILD"] + "/tests/jax/uses.so")
import torch
call = callbridge.torch.custom_call("copy_typed", lambda x: x)
call(torch.ones(2))
import callbridge.torch_xla
""",
    )
    assert said == ["Tensor [1.0, 2.0, 3.0, 4.0]"]
