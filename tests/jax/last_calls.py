"""A program that calls targets while its interpreter ends.

    last_calls.py TESTS WHO

TESTS is the folder tests/ of a build, or what has the same for a GPU. WHO calls them: "atexit", a
function that was registered before JAX was imported; "del", the __del__ of a global, of compiled
programs; "threads", daemon threads that are in calls (those that come out of one JAX itself aborts,
with any program); "lowering", daemon threads that make the opaques by which version 3 calls typed
handlers. It prints "called" and how many calls there were.
"""

import atexit
import sys
import threading

tests, who = sys.argv[1:]
calls = []


def call_all(calls=calls, print=print):
    for call, *operands in calls:
        call(*operands)
    print("called", len(calls), flush=True)


if who == "atexit":
    atexit.register(call_all)

import callbridge.jax  # noqa: E402
import jax  # noqa: E402
import numpy as np  # noqa: E402
from callbridge.jax._custom_call_op import VersionThreeConfig  # noqa: E402
from callbridge.jax._frozen_attributes import freeze  # noqa: E402
from callbridge.jax._runtimes import OWN_FFI_CALL, RUNTIME  # noqa: E402

callbridge.jax.load(f"{tests}/jax/uses.so")
callbridge.jax.load(f"{tests}/python/typed_targets.so")
custom_call = callbridge.jax.custom_call
vector = np.arange(3, dtype=np.float32)
attributes = {"factor": np.float32(2)}


def scale(prefer):
    call = custom_call("typed_of_known_type", "f32[3]", attributes=attributes, prefer=prefer)

    def checked(x, np=np):
        np.testing.assert_array_equal(call(x), [0, 2, 4])

    return call, checked


PATHS = [None, *(["version_3"] if RUNTIME.ffi_call == OWN_FFI_CALL else [])]


class Caller:
    def __init__(self, calls):
        self.calls = calls

    def __del__(self, call_all=call_all):
        call_all(self.calls)


if who == "atexit":
    calls += [(scale(path)[1], vector) for path in PATHS]
    assert custom_call("add_opaque", "f32[]", opaque=b"\2")(np.float32(1)) == 3
    calls.append((custom_call("add_opaque", "f32[]", opaque=b"\2"), np.float32(1)))
elif who == "del":
    operand = jax.device_put(vector)
    compiled = [jax.jit(scale(path)[0]).lower(operand).compile() for path in PATHS]
    for program in compiled:
        program(operand)  # JAX imports modules, which it cannot later
    caller = Caller([(program, operand) for program in compiled])
elif who == "threads":
    sleep = custom_call("sleep", "s32[]", has_side_effect=True)
    jitted = jax.jit(sleep)
    jitted(np.int32(0))
    for call in [sleep, jitted]:
        threading.Thread(target=call, args=[np.int32(30_000)], daemon=True).start()
    threading.Event().wait(0.3)
    print("called 2", flush=True)
elif who == "lowering":
    shape = jax.ShapeDtypeStruct((3,), np.float32)
    config = VersionThreeConfig(tuple(freeze({f"a{i}": i for i in range(1000)}).items()))

    def lower_for_ever(started):
        while True:
            config.opaque_for([shape], [shape])
            started.set()

    for _ in range(4):
        started = threading.Event()
        threading.Thread(target=lower_for_ever, args=(started,), daemon=True).start()
        started.wait()
    print("called 4", flush=True)
