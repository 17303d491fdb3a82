"""What callbridge.resurrect refuses, and what stays gone, each with an error that names it."""

import ctypes
import os

import callbridge
import callbridge.resurrect
import jax
import numpy as np
from callbridge._core._native_functions import make_capsule
from jax import core
from jax.interpreters import mlir, xla
from jax.lib import xla_client

ops = xla_client.ops
library = ctypes.CDLL(os.environ["OLD_PACKAGE_LIBRARY"])
refused = 0


def capsule(function):
    return make_capsule(ctypes.cast(getattr(library, function), ctypes.c_void_p).value)


class Refused:
    """Expects an error with all of `parts` in its text."""

    def __init__(self, error, *parts):
        self.error = error
        self.parts = parts

    def __enter__(self):
        pass

    def __exit__(self, kind, value, _):
        global refused
        assert kind is not None, f"no {self.error.__name__} with {self.parts}"
        assert issubclass(kind, self.error), (kind, value)
        assert all(part in str(value) for part in self.parts), (self.parts, str(value))
        refused += 1
        return True


# ---- What stays gone -----------------------------------------------------------------------------
with Refused(AttributeError, "no attribute 'no_such_name'"):
    core.no_such_name  # noqa: B018
with Refused(AttributeError, "xla_client.ops.Whilst", "CustomCallWithLayout", "DotGeneral"):
    ops.Whilst  # noqa: B018
with Refused(ModuleNotFoundError, "jax.experimental.djax"):
    import jax.experimental.djax  # noqa: F401
with Refused(AttributeError, "jax.core.TraceStack", "main traces", "set_current_trace"):
    core.TraceStack  # noqa: B018
with Refused(ImportError, "jax.core.TraceStack", "main traces", "set_current_trace"):
    from jax.core import TraceStack  # noqa: F401
with Refused(NotImplementedError, "new_main", "MyTrace", "set_current_trace"):
    core.new_main(type("MyTrace", (), {})).__enter__()
with Refused(NotImplementedError, "tokens", "a computation of one's own"):
    ops.AfterAll(xla_client.XlaBuilder("own"), [])
f32 = xla_client.Shape.array_shape(np.dtype("f4"), (3,))
own = xla_client.XlaBuilder("own")
with Refused(ValueError, "'own' is empty"):
    own.build()
first = ops.Parameter(own, 1, f32)
with Refused(ValueError, "has a parameter 1 already"):
    ops.Parameter(own, 1, f32)
with Refused(ValueError, "no parameter 0"):
    own.build(first)
other = xla_client.XlaBuilder("other")
with Refused(ValueError, "an operand is of another XlaBuilder"):
    ops.Add(ops.Parameter(other, 0, f32), first)
with Refused(ValueError, "the root is of another XlaBuilder"):
    other.build(first)
with Refused(TypeError, "'other' takes 1 operands, got 2"):
    other.build(other.program.last).run(1, 2)
with Refused(TypeError, "expected an XlaComputation", "function"):
    ops.While(lambda x: x, lambda x: x, first)
with Refused(NotImplementedError, "XlaBuilder.set_sharding", "with_sharding_constraint"):
    own.set_sharding(None)
with Refused(NotImplementedError, "XlaBuilder.setup_alias", "donate_argnums"):
    own.setup_alias([], 0, [])
with Refused(NotImplementedError, "XlaBuilder.set_frontend_attributes", "xla_metadata"):
    own.set_frontend_attributes(None)
with Refused(ImportError, "no_such_name"):
    from jax.config import no_such_name  # noqa: F401

# ---- Registration --------------------------------------------------------------------------------
register = xla_client.register_custom_call_target
register("added", capsule("add"))
register(b"added", capsule("add"))  # the same again
with Refused(callbridge.CallbridgeError, "ALREADY_EXISTS", "'added'"):
    register("added", capsule("nested_sum"))
with Refused(callbridge.CallbridgeError, "INVALID_ARGUMENT", "api_version=2"):
    register("other", capsule("add"), api_version=2)
register(b"\xff", capsule("add"))  # as XLA had names then: of any bytes
new = ctypes.pythonapi.PyCapsule_New
new.restype = ctypes.py_object
new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
name = ctypes.create_string_buffer(b"something else")
with Refused(callbridge.CallbridgeError, "INVALID_ARGUMENT", "something else"):
    register("other", new(1, ctypes.cast(name, ctypes.c_char_p), None))
with Refused(callbridge.CallbridgeError, "'typed'"):
    register("typed", capsule("add"), api_version=1)

# ---- Rules ---------------------------------------------------------------------------------------
x = np.ones(3, np.float32)


def run(rule, multiple_results=False):
    primitive = core.Primitive("refused")
    primitive.multiple_results = multiple_results
    primitive.def_abstract_eval(lambda a: (a,) if multiple_results else a)
    xla.translations[primitive] = rule
    return jax.jit(primitive.bind)(x)


with Refused(NotImplementedError, "XlaBuilder.build", "inside JAX's program"):
    run(lambda c, a: c.build(a))
with Refused(NotImplementedError, "XlaBuilder.is_constant", "inside JAX's program"):
    run(lambda c, a: c.is_constant(a))
with Refused(NotImplementedError, "ops.Parameter", "inside JAX's program"):
    run(lambda c, a: ops.Parameter(c, 0, f32))
with Refused(NotImplementedError, "ops.Map", "dimensions 0 to 0", "[]"):
    run(lambda c, a: ops.Map(c, [a], None, []))
with Refused(callbridge.CallbridgeError, "INVALID_ARGUMENT", "UTF-8"):
    run(lambda c, a: ops.CustomCall(c, b"\xff", [a], c.get_shape(a)))
with Refused(NotImplementedError, "aggregate_to_topk=False"):
    run(lambda c, a: ops.ApproxTopK(c, [a], [a], 1, 0, None, 0.9, False))
with Refused(TypeError, "a result of primitive refused is a tuple"):
    run(lambda c, a: ops.Tuple(c, [a]))
with Refused(TypeError, "GetTupleElement of f32[3]"):
    run(lambda c, a: ops.GetTupleElement(a, 0))
with Refused(ValueError, "'added' has 2 operands and the shapes of 1"):
    run(
        lambda c, a: ops.CustomCallWithLayout(c, b"added", [a, a], c.get_shape(a), [c.get_shape(a)])
    )
with Refused(NotImplementedError, "literal"):
    run(
        lambda c, a: ops.CustomCallWithAliasing(
            c, b"added", [a, a], c.get_shape(a), [c.get_shape(a)] * 2, literal=1
        )
    )
with Refused(callbridge.CallbridgeError, "'added'", "status_returning_unified", "original"):
    run(lambda c, a: ops.CustomCall(c, b"added", [a, a], c.get_shape(a)))
    run(
        lambda c, a: ops.CustomCall(
            c,
            b"added",
            [a, a],
            c.get_shape(a),
            api_version=ops.CustomCallApiVersion.API_VERSION_STATUS_RETURNING_UNIFIED,
        )
    )
with Refused(NotImplementedError, "'unserved' has both tuple operands and aliases"):
    run(
        lambda c, a: ops.CustomCallWithAliasing(
            c,
            b"unserved",
            [ops.Tuple(c, [a]), a],
            c.get_shape(a),
            [c.get_shape(ops.Tuple(c, [a])), c.get_shape(a)],
            output_operand_aliasing=[((), (1, ()))],
        )
    )
with Refused(NotImplementedError, "'unserved' has the result", "no nested tuples"):
    run(
        lambda c, a: ops.CustomCall(
            c, b"unserved", [a], c.get_shape(ops.Tuple(c, [ops.Tuple(c, [a])]))
        )
    )
with Refused(TypeError, "result_types or out_types"):
    mlir.custom_call("added")

# ---- A target that callbridge does not know is called as it was asked ----------------------------


def nobodys(c, a):
    return ops.CustomCall(
        c,
        b"nobodys",
        [ops.Tuple(c, [a, a]), a],
        c.get_shape(a),
        opaque=b"abc",
        has_side_effect=True,
        api_version=ops.CustomCallApiVersion.API_VERSION_STATUS_RETURNING,
    )


primitive = core.Primitive("nobodys")
primitive.def_abstract_eval(lambda a: a)
xla.translations[primitive] = nobodys
text = jax.jit(primitive.bind).lower(x).as_text()
for part in ("@nobodys", "tuple<tensor<3xf32>, tensor<3xf32>>", '"abc"', "api_version = 2"):
    assert part in text, text
with Refused(jax.errors.JaxRuntimeError, "nobodys"):
    jax.jit(primitive.bind)(x)
print(f"{refused} refused")
