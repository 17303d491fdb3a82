"""Runs targets in XLA:GPU, and counts: a process of its own for each part.

    command_buffers_program.py on|off LIBRARY      its targets are declared compatible, or not
    command_buffers_program.py typed LIBRARY...    typed handlers

Prints a line of JSON for each check: what was found, for test_command_buffers.py to compare.
"""

import ctypes
import json
import pathlib
import sys

import callbridge.jax
import jax
import numpy as np

_, PART, *LIBRARIES = sys.argv
SIZE = 100
VECTOR = jax.ShapeDtypeStruct((SIZE,), np.float32)
X = np.arange(SIZE, dtype=np.float32)
FORBIDDEN = ("waits", "waits_and_reports", "allocates")
EVADING = ("uses_default_stream", "copies_synchronously")

driver = ctypes.CDLL("libcuda.so.1")
has_standin = hasattr(driver, "standin_calls")


def graph_launches():
    """0 on a device, whose driver does not count."""
    return driver.standin_calls(b"cuGraphLaunch", None) if has_standin else 0


def tell(check, **found):
    print(json.dumps({"check": check, **found}), flush=True)


def equal(got, expected):
    """Bit for bit, in trees."""
    if isinstance(expected, tuple):
        return isinstance(got, tuple) and all(map(equal, got, expected))
    return np.asarray(got).tobytes() == np.asarray(expected).tobytes()


class Runs:
    """What happens in runs of one program."""

    def __init__(self, library):
        self.library = library
        self.found = []

    def counts(self):
        result = self.library.run("take_counts", [], jax.ShapeDtypeStruct((2,), np.int32))
        return [int(count) for count in result]

    def run(self, function, *operands, expected):
        """Returns the result. Appends what happened: calls, those while capturing, graphs launched,
        and whether the result is right or the error."""
        self.counts()
        before = graph_launches()
        result = None
        try:
            result = jax.block_until_ready(function(*operands))
            right = equal(result, expected)
        except Exception as error:
            right = f"{type(error).__name__}: {error}"
        self.found.append([*self.counts(), graph_launches() - before, right])
        return result


def jitted(name, result=VECTOR, **options):
    return jax.jit(callbridge.jax.custom_call(name, result, **options))


# The same buffers in each run: the result is in the operand's, which is donated.
def in_place(name, **options):
    call = callbridge.jax.custom_call(name, VECTOR, input_output_aliases={0: 0}, **options)
    return jax.jit(call, donate_argnums=0)


def targets(library):
    """Each of those that may be captured, on other buffers in each run, then in place."""
    calls = {
        "add_one": (jitted("add_one"), lambda x: x + 1),
        "add_size": (jitted("add_size", opaque=b"\0\xff three"), lambda x: x + 8),
        "copy": (jitted("copy"), lambda x: x),
        "fail": (jitted("fail"), lambda x: x),
    }
    for name, (call, expected) in calls.items():
        runs = Runs(library)
        kept = []  # so that each run has other buffers
        for i in range(5):
            operand = jax.device_put(X + i)
            kept += [operand, runs.run(call, operand, expected=expected(X + i))]
        tell(name, runs=runs.found)
    runs = Runs(library)
    swap = jitted("swap", (VECTOR, (VECTOR,)))
    for i in range(3):
        operand = (jax.device_put(X), (jax.device_put(X * i),))
        runs.run(swap, operand, expected=(X * i + 1, (X + 2,)))
    tell("swap", runs=runs.found)
    runs = Runs(library)
    add = in_place("add_one")
    x = jax.device_put(X)
    for i in range(8):
        x = runs.run(add, x, expected=X + i + 1)
    tell("in place", runs=runs.found)


def program(library):
    """Several calls in one program, and a loop. Both devices."""
    one = callbridge.jax.custom_call("add_one", VECTOR)
    copy = callbridge.jax.custom_call("copy", VECTOR)
    for device in jax.devices():
        runs = Runs(library)
        chain = jax.jit(lambda x: one(one(copy(one(x)))), donate_argnums=0)
        kept = []
        for i in range(4):
            x = jax.device_put(X + i, device)
            kept.append(runs.run(chain, x, expected=X + i + 3))
        tell(f"chain on {device.id}", runs=runs.found)


def forbidden(library):
    """Each of what a capture forbids, and then a good target: the process goes on."""
    good = jitted("add_one")
    for name in FORBIDDEN:
        runs = Runs(library)
        call = jitted(name)
        for _ in range(4):
            runs.run(call, jax.device_put(X), expected=X + 1)
        tell(name, runs=runs.found)
        runs = Runs(library)
        for _ in range(3):
            runs.run(good, jax.device_put(X), expected=X + 1)
        tell(f"after {name}", runs=runs.found)


def evading(library):
    """What no driver refuses, since XLA's streams do not wait for the default stream."""
    add = in_place("add_one")
    for name in EVADING:
        runs = Runs(library)
        call = jitted(name)
        x = jax.device_put(X)
        for i in range(6):
            x = jax.block_until_ready(add(x))
            # Not kept, so that the next result is in the same buffer.
            runs.run(call, x, expected=X + i + (2 if name == "uses_default_stream" else 1))
        tell(name, runs=runs.found)


def failures(library):
    """A failure that a target reports, and that is not the capture's."""
    runs = Runs(library)
    call = jitted("fail", opaque=b"no convergence")
    for _ in range(4):
        runs.run(call, jax.device_put(X), expected=X)
    tell("its own failure", runs=runs.found)
    runs = Runs(library)
    good = jitted("add_one")
    for _ in range(3):
        runs.run(good, jax.device_put(X), expected=X + 1)
    tell("after its own failure", runs=runs.found)


def version_three(library):
    """By version 3: XLA's own flag names the target on the releases that have it."""
    runs = Runs(library)
    call = jitted("add_one", prefer="version_3")
    for _ in range(4):
        runs.run(call, jax.device_put(X), expected=X + 1)
    tell("version 3", runs=runs.found)


def typed(path):
    """A library's typed handlers: with a trait of their own, or by their user's word."""
    handlers = ctypes.CDLL(path)
    library = pathlib.Path(path).name
    for name, compatible in (
        ("with", False),
        ("without", True),
        ("without", False),
        ("elsewhere", True),
        ("elsewhere_with", False),
    ):
        if not hasattr(handlers, name):
            continue
        registered = f"{library}: {name}, {compatible}"
        function = getattr(handlers, name)
        callbridge.jax.register(
            registered, function, "CUDA", "typed_ffi", command_buffer_compatible=compatible
        )
        call = jitted(registered)
        runs = []
        for _ in range(3):
            before = graph_launches()
            try:
                right = equal(jax.block_until_ready(call(jax.device_put(X))), X)
            except Exception as error:
                right = f"{type(error).__name__}: {error}"
            runs.append([graph_launches() - before, right])
        tell(registered, runs=runs)


if PART == "typed":
    for path in LIBRARIES:
        typed(path)
else:
    library = callbridge.jax.load(LIBRARIES[0], command_buffer_compatible=PART == "on")
    targets(library)
    program(library)
    forbidden(library)
    evading(library)
    failures(library)
    if PART == "off":
        version_three(library)
