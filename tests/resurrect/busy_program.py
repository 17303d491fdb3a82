"""callbridge.resurrect imported by threads at once, left by one while another traces, and forked.

busy_program.py imported|left|forked
"""

import ctypes
import importlib
import os
import sys
import threading
import time

import jax
import numpy as np
import registering
from at_once import at_once
from registering import like

library = ctypes.CDLL(os.environ["OLD_PACKAGE_LIBRARY"])
address = ctypes.cast(library.add, ctypes.c_void_p).value
x, y = like(1, 2, 3), like(10, 20, 30)


def old_package(name, while_lowered=lambda: None):
    """What one did: a name that JAX removed, and a rule that calls its function by version 2."""
    from jax.interpreters import mlir
    from jax.lib import xla_client

    made = registering.capsule(address, b"xla._CUSTOM_CALL_TARGET")
    xla_client.register_custom_call_target(name, made, platform="cpu")
    custom_call, type_of = mlir.custom_call, mlir.aval_to_ir_type

    def rule(target, _):
        def lower(context, *operands):
            while_lowered()
            return custom_call(
                target,
                result_types=[type_of(context.avals_out[0])],
                operands=operands,
                api_version=2,
                backend_config="",
            ).results

        return lower

    return registering.caller(rule, name, x)


def check(function):
    for _ in range(3):
        np.testing.assert_array_equal(function(x, y), x + y)


def imported():
    found = []

    def begin(number):
        resurrect = importlib.import_module("callbridge.resurrect")
        found.append((resurrect, resurrect.names()))
        check(old_package(f"of thread {number}"))
        with resurrect.revived():
            check(old_package(f"of thread {number}, inside"))

    at_once(*[lambda i=i: begin(i) for i in range(4)])
    assert len(found) == 4 and len(set(found)) == 1 and found[0][1]


def left():
    """The names go while a rule of the package runs; what it has bound goes on."""
    import callbridge.resurrect

    is_lowering, has_left = threading.Event(), threading.Event()

    def wait():
        is_lowering.set()
        assert has_left.wait(60)

    inside = callbridge.resurrect.revived()
    inside.__enter__()
    add = old_package("left", wait)

    def leave():
        assert is_lowering.wait(60)
        inside.__exit__(None, None, None)
        assert not callbridge.resurrect.names()
        has_left.set()

    at_once(lambda: check(add), leave)
    with callbridge.resurrect.revived():
        check(old_package("left", wait))


def forked():
    """While other threads enter and leave: children have all locks.

    They register nothing with XLA: the lock of jaxlib's own registry may be held in children.
    """
    import callbridge.resurrect

    jax.devices()
    is_over = threading.Event()

    def work():
        while not is_over.is_set():
            with callbridge.resurrect.revived():
                assert callbridge.resurrect.names()

    def fork():
        try:
            for i in range(15):
                child = os.fork()
                if child == 0:
                    with callbridge.resurrect.revived():
                        old_package(f"of child {i}")
                        os._exit(7 if callbridge.resurrect.names() else 1)
                check_ends(child)
        finally:
            is_over.set()

    with callbridge.resurrect.revived():
        pass
    at_once(fork, work, work)


def check_ends(child):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 7, status
            return
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("a child hangs")


{"imported": imported, "left": left, "forked": forked}[sys.argv[1]]()
print(f"{sys.argv[1]}: ok")
