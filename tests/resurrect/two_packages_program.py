"""Two packages bring one name: what each is told, and that the first one's calls stay right.

two_packages_program.py LIBRARY CASE...: LIBRARY is of the handler suite. A case is
FIRST-SECOND-WHEN, each kind "typed" or "untyped", and WHEN "pending" or "started", before or after
JAX's backend starts. With "without" as the first case, callbridge.resurrect is not imported. Prints
what registering the second function, and starting the backend, raise.
"""

import ctypes
import os
import sys

import jax
import numpy as np
import registering
from registering import like

path, *cases = sys.argv[1:]
if cases[0] == "without":
    del cases[0]
else:
    import callbridge.resurrect  # noqa: F401
from jaxlib import xla_client  # noqa: E402

typed = registering.Library(path)
untyped = ctypes.CDLL(os.environ["OLD_PACKAGE_LIBRARY"])
SECOND = {"typed": "copy_bytes", "untyped": "nested_sum"}
x, y = like(1, 2, 3), like(10, 20, 30)


def address_of(function):
    return ctypes.cast(getattr(untyped, function), ctypes.c_void_p).value


def register(name, kind, function):
    """What a package does when it is imported."""
    if kind == "typed":
        xla_client.register_custom_call_target(name, typed.handler(function), "cpu", 1)
        return
    address = address_of(function)
    made = registering.capsule(address, b"xla._CUSTOM_CALL_TARGET")
    xla_client.register_custom_call_target(name, made, "cpu")


def tell(step, function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        line = str(error).splitlines()[0]
        for function in ("add", SECOND["untyped"]):
            line = line.replace(f"{address_of(function):#x} ", f"{function} ")
        print(step, type(error).__name__, line)


def register_both(name):
    first, second, _ = name.split("-")
    register(name, first, "add")
    register(name, first, "add")
    tell(f"{name}:", register, name, second, SECOND[second])


def by_version_2(target, _):
    def lower(context, *operands):
        from jax.interpreters import mlir

        return mlir.custom_call(
            target,
            result_types=[ir.RankedTensorType.get((3,), ir.F32Type.get())],
            operands=operands,
            api_version=2,
            backend_config="",
        ).results

    return lower


def call(name):
    is_typed = name.startswith("typed")
    add = registering.caller(registering.by_mlir if is_typed else by_version_2, name, x)
    np.testing.assert_array_equal(add(x, y), x + y, name)


from jaxlib.mlir import ir  # noqa: E402

for case in cases:
    if case.endswith("pending"):
        register_both(case)
try:
    jax.devices()
except RuntimeError as error:
    print("start:", str(error).splitlines()[0])
else:
    for case in cases:
        if case.endswith("started"):
            register_both(case)
    if "callbridge.resurrect" in sys.modules:
        for case in cases:
            call(case)
print("end")
