"""Registers an untyped function as a typed handler, by every function of JAX: no crash.

not_typed_program.py LIBRARY: old_package.so
"""

import sys

import jax
import numpy as np
import registering

library = registering.Library(sys.argv[1])
has_queue = hasattr(registering.xla_client, "_custom_callback")
if has_queue:
    registering.bound_before("pended before", library.handler("add"), "cpu", 1)

import callbridge.jax  # noqa: E402
import callbridge.resurrect  # noqa: E402, F401


def refusal(function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except callbridge.CallbridgeError as error:
        return str(error)
    raise AssertionError(f"{function} took it")


def wanted(name):
    address = library.address("add")
    said = refusal(callbridge.jax.register, name, address, "cpu", "typed_ffi")
    assert said.startswith("INVALID_ARGUMENT") and "is not a typed FFI handler" in said, said
    return said


def refuse_all(when):
    for how, register in registering.registrars().items():
        for form, fn in {"one": library.handler("add"), "dict": by_stage}.items():
            name = f"{form} by {how} {when}"
            said = refusal(register, name, fn)
            assert said == wanted(name), (said, wanted(name))


by_stage = {"execute": library.handler("add")}
refuse_all("before the backend")
x = np.ones(3, np.float32)
np.testing.assert_array_equal(jax.jit(lambda a: a + 1)(x), 2 * x)  # the backend starts
refuse_all("after it")

if has_queue:
    for how, lowering in registering.lowerings().items():
        call = registering.caller(lowering, "pended before", x)
        for _ in range(2):
            said = refusal(call, x, x)
            assert said == wanted("pended before"), (how, said)
print("not typed: ok")
