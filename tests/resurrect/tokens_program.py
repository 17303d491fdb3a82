"""tokens_program.py LIBRARY [late]: typed calls with tokens, one behind the other by them.

late: callbridge.resurrect is imported after JAX gave the handler to XLA. Prints what the
calls return, or the error.
"""

import ctypes
import sys

import numpy as np

library, late = sys.argv[1], sys.argv[2:] == ["late"]
if not late:
    import callbridge.resurrect  # noqa: F401

import jax  # noqa: E402
from callbridge._core._error import CallbridgeError  # noqa: E402
from jax._src import core, effects  # noqa: E402
from jax.interpreters import mlir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402


def capsule(function):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    return make(ctypes.cast(function, ctypes.c_void_p).value, b"xla._CUSTOM_CALL_TARGET", None)


def register(name, function):
    if late and not hasattr(jax, "ffi"):
        from jaxlib import xla_client

        xla_client.register_custom_call_target(name, capsule(function), "cpu", 1)
    else:
        jax.ffi.register_ffi_target(name, capsule(function), platform="cpu")


class Order(effects.Effect):
    def __str__(self):
        return "Order"


ORDER = Order()
for kind in ("ordered", "lowerable", "control_flow_allowed"):
    getattr(effects, f"{kind}_effects").add_type(Order)

count_p = core.Primitive("count")
count_p.def_effectful_abstract_eval(lambda x: (core.ShapedArray(x.shape, x.dtype), {ORDER}))


def lower(context, x):
    before = context.tokens_in.get(ORDER)
    is_list = isinstance(before, (tuple, list))
    (token,) = before if is_list else (before,)
    call = mlir.custom_call(
        "count",
        result_types=[stablehlo.TokenType.get(), x.type],
        operands=[token, x],
        api_version=4,
        has_side_effect=True,
        backend_config={},
    )
    after, y = call.results
    context.set_tokens_out(mlir.TokenSet({ORDER: (after,) if is_list else after}))
    return [y]


mlir.register_lowering(count_p, lower, platform="cpu")


def counted(x):
    first = count_p.bind(x)
    second = count_p.bind(x)
    last = jax.lax.fori_loop(0, 3, lambda _, y: count_p.bind(y), x)
    return first, second, last


register("count", ctypes.CDLL(library).CountCallsHandler)
if late:
    jax.devices()  # XLA has the handler from now on
    import callbridge.resurrect  # noqa: F401
x = np.array([0, 7], np.float32)
try:
    print([np.asarray(y).tolist() for y in jax.jit(counted)(x)])
except CallbridgeError as error:
    print(error)
