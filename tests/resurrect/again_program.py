"""Registers handlers again: under resurrect, entered twice, after it has ended, and from threads.

again_program.py LIBRARY
"""

import sys
import threading

import callbridge.resurrect
import jax
import numpy as np
import registering
from registering import like, xla_client

library = registering.Library(sys.argv[1])
x = like(1, 2, 3)


def xlas(name):
    handler = xla_client.custom_call_targets("Host")[name]
    return registering.address_in(handler["execute"] if isinstance(handler, dict) else handler)


def register(name, symbol="add"):
    xla_client.register_custom_call_target(name, library.handler(symbol), "cpu", 1)


def check(name):
    add = registering.caller(registering.by_mlir_with(callbridge.resurrect), name, x)
    np.testing.assert_array_equal(add(x, x), 2 * x)


# ---- While it pends, and after the backend has started -------------------------------------------
register("pends")
register("pends")
jax.devices()
register("pends")
first = xlas("pends")
is_wrapped = first != library.address("add")

# ---- Entered twice, and left ---------------------------------------------------------------------
with callbridge.resurrect.revived():
    with callbridge.resurrect.revived():
        register("inside")
    register("inside")
assert callbridge.resurrect.names() == ()
for name in ("pends", "inside"):
    for register_again in registering.registrars().values():
        register_again(name, library.handler("add"))
    assert xlas(name) == first, name
check("inside")
check("pends")

# What is new is XLA's own affair again. Handlers of the oldest headers end the process there.
refused = None
expected = first
if library.has("counter_type_info"):
    try:
        register("left")
    except Exception as error:
        refused = str(error)
    else:
        expected = library.address("add")
        assert xlas("left") == expected
    assert refused is None or is_wrapped
    if refused is not None:
        assert "registration for left" in refused, refused

# And once more; what was refused is taken now, and what was taken stays.
with callbridge.resurrect.revived():
    register("left")
    assert xlas("left") == expected
    # Another function of that name is refused by XLA, with its own sentence.
    try:
        register("inside", "copy_bytes")
    except Exception as error:
        assert "CallbridgeError" not in repr(type(error)), error
    else:
        raise AssertionError("no error")
    assert xlas("inside") == first

    # ---- Two threads, which also enter and leave -------------------------------------------------
    failures = []

    def work(number):
        try:
            for i in range(20):
                with callbridge.resurrect.revived():
                    register(f"thread {i}")
                    check(f"thread {i}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures

    # ---- Left while a call is traced and lowered -------------------------------------------------
leaving = callbridge.resurrect.revived()
leaving.__enter__()
register("traced")


def lower_and_leave(target, attributes):
    rule = registering.by_mlir_with(callbridge.resurrect)(target, attributes)

    def lower(context, *operands):
        leaving.__exit__(None, None, None)
        return rule(context, *operands)

    return lower


np.testing.assert_array_equal(registering.caller(lower_and_leave, "traced", x)(x, x), 2 * x)
assert callbridge.resurrect.names() == ()
print("again: ok")
