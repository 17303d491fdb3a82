"""Registers a typed handler that answers in this process alone, by the functions that JAX has.

trampoline_program.py TRAMPOLINE SUITE: libraries. The suite runs on every XLA as it is.
"""

import ctypes
import sys

import numpy as np
import registering

trampoline = ctypes.CDLL(sys.argv[1])
library = registering.Library(sys.argv[2])
jaxs = {"ffi": getattr(registering.ffi(), "register_ffi_target", None)}
import callbridge.resurrect  # noqa: E402, F401

registrars = registering.registrars()
jaxs.update((how, registrars[how]) for how in ("xla_client", "bound before", "extension module"))
trampoline.SetHandler(ctypes.c_void_p(library.address("add")))
address = ctypes.cast(trampoline.Trampoline, ctypes.c_void_p).value
x = registering.like(1, 2, 3)
for how, register in jaxs.items():
    if register is not None:
        register(f"by {how}", registering.capsule(address))
        add = registering.caller(registering.by_mlir, f"by {how}", x)
        np.testing.assert_array_equal(add(x, 2 * x), 3 * x, how)
print("trampoline: ok")
