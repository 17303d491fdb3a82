"""Registers untyped functions by functions that JAX has, and lowers calls of them by names that JAX
has: right, and in silence. Prints by which path they went.

  untyped_program.py FILE: where standard error goes
"""

import ctypes
import os
import sys

import jax
import numpy as np
import registering
from registering import i32, like, xla_client

errors = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR, 0o600)
os.dup2(errors, 2)

from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

library = ctypes.CDLL(os.environ["OLD_PACKAGE_LIBRARY"])


def capsule(function):
    address = ctypes.cast(getattr(library, function), ctypes.c_void_p).value
    return registering.capsule(address, b"xla._CUSTOM_CALL_TARGET")


registering.bound_before("pended before", capsule("add"), "cpu")
import callbridge.resurrect  # noqa: E402
from callbridge.jax import _registry  # noqa: E402
from callbridge.jax._runtimes import RUNTIME  # noqa: E402
from jax._src.interpreters import mlir as jaxs_mlir  # noqa: E402
from jax.interpreters import mlir  # noqa: E402

library_add = registering.address_in(capsule("add"))
x, y = like(1, 2, 3), like(10, 20, 30)
targets = ["pended before", "xla_client"]
xla_client.register_custom_call_target("xla_client", capsule("add"), platform="cpu")
if hasattr(registering.ffi(), "register_ffi_target"):
    registering.ffi().register_ffi_target("ffi", capsule("add"), platform="cpu", api_version=0)
    targets.append("ffi")
for name in ("halve_positive", "nested_sum", "opaque_of", "tuple_of_one"):
    xla_client.register_custom_call_target(f"raw_{name}", capsule(name), platform="cpu")
jax.devices()
xla_client.register_custom_call_target("after the backend", capsule("add"), platform="cpu")
targets.append("after the backend")


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.POINTER(ctypes.c_float)))
def of_no_file(out, operands):
    """a + b, f32[3], as what a program compiles when it runs."""
    result = ctypes.cast(out, ctypes.POINTER(ctypes.c_float))
    for i in range(3):
        result[i] = operands[0][i] + operands[1][i]


made = ctypes.cast(of_no_file, ctypes.c_void_p).value
xla_client.register_custom_call_target(
    "of no file", registering.capsule(made, b"xla._CUSTOM_CALL_TARGET"), platform="cpu"
)
targets.append("of no file")


def lowered_by(build, result):
    primitive = registering.Primitive("untyped")
    primitive.def_abstract_eval(lambda *_: jax.core.ShapedArray(result.shape, result.dtype))

    def lower(context, *operands):
        aval = context.avals_out[0]
        type_ = ir.RankedTensorType.get(aval.shape, mlir.dtype_to_ir_type(aval.dtype))
        made = build([type_], list(operands))
        return made if isinstance(made, list) else made.results

    mlir.register_lowering(primitive, lower)
    return jax.jit(lambda *operands: primitive.bind(*operands))


def by_jax(target, version, config=""):
    def build(types, operands):
        return jaxs_mlir.custom_call(
            target,
            result_types=types,
            operands=operands,
            api_version=version,
            backend_config=config,
        )

    return build


def by_builder(target, version, config=b""):
    def build(types, operands):
        return stablehlo.CustomCallOp.build_generic(
            results=types,
            operands=operands,
            attributes={
                "call_target_name": ir.StringAttr.get(target),
                "has_side_effect": ir.BoolAttr.get(False),
                "called_computations": ir.ArrayAttr.get([]),
                "backend_config": ir.StringAttr.get(config),
                "api_version": i32(version),
            },
        )

    return build


is_forced = _registry.prefers_typed() and RUNTIME.has_instantiate
is_left_alone = not RUNTIME.has_instantiate


def by(target):
    """The name of a call of version 1 or 2. XLA keeps one untyped function a name."""
    return target if is_forced or is_left_alone else f"{target} by callbridge"


def is_typed(text):
    return "mhlo.backend_config" in text or "api_version = 4" in text


ways = [by_builder] + [by_jax] * hasattr(jaxs_mlir, "custom_call")
texts = []
for target in targets:
    for way in ways:
        for version in (1, 2):
            add = lowered_by(way(target, version), x)
            np.testing.assert_array_equal(add(x, y), x + y)
            texts.append(add.lower(x, y).as_text())
            assert f"@{by(target)}" in texts[-1] or f'@"{by(target)}"' in texts[-1], texts[-1]
opaque = lowered_by(by_builder("raw_opaque_of", 3, b"\0\xffopaque"), np.zeros(8, np.uint8))
assert opaque().tobytes() == b"\0\xffopaque"
halve = lowered_by(by_builder("raw_halve_positive", 2), np.float32(0))
assert halve(np.float32(3)) == 1.5
try:
    halve(np.float32(-3)).block_until_ready()
except Exception as error:
    assert "it is negative" in str(error), error
else:
    raise AssertionError("no error")


def nested(types, operands):
    """Of ((a, (b,)), c), which ends the process where XLA flattens tuples."""
    a, b, c = operands
    inner = stablehlo.TupleOp.build_generic(
        results=[ir.TupleType.get_tuple([b.type])], operands=[b]
    ).results[0]
    outer = stablehlo.TupleOp.build_generic(
        results=[ir.TupleType.get_tuple([a.type, inner.type])], operands=[a, inner]
    ).results[0]
    return by_builder("raw_nested_sum", 2)(types, [outer, c])


def table_of_one(types, operands):
    made = by_builder("raw_tuple_of_one", 1)([ir.TupleType.get_tuple(types)], operands).results[0]
    return list(
        stablehlo.GetTupleElementOp.build_generic(
            results=types, operands=[made], attributes={"index": i32(0)}
        ).results
    )


if RUNTIME.has_instantiate:
    z = like(7, 8, 9)
    np.testing.assert_array_equal(lowered_by(nested, x)(x, y, z), x + 10 * y + 100 * z)
    np.testing.assert_array_equal(lowered_by(table_of_one, x)(x), x + 1)

# XLA has the function itself too, so that artifacts that call it by its version go on to do so.
raw = xla_client.custom_call_targets("Host")
for target in targets:
    if is_forced:
        assert isinstance(raw[target], dict), target  # the typed one is listed
    else:
        assert registering.address_in(raw[target]) in (library_add, made)

# A program that goes elsewhere, or to other platforms too, calls the target by its own name: what
# it disables JAX's check for, and what both platforms have.
if RUNTIME.has_instantiate:
    from jax import export

    for version in (1, 2):
        add = lowered_by(by_builder("xla_client", version), x)
        checks = [export.DisabledSafetyCheck.custom_call("xla_client")]
        exported = export.export(add, disabled_checks=checks)(x, y)
        assert "@xla_client(" in exported.mlir_module(), exported.mlir_module()
        assert is_typed(exported.mlir_module())
        np.testing.assert_array_equal(exported.call(x, y), x + y)
        assert f'@"{by("xla_client")}"' in add.lower(x, y).as_text() or is_forced
        elsewhere = add.trace(x, y).lower(lowering_platforms=("cpu", "cuda")).as_text()
        assert "@xla_client(" in elsewhere and is_typed(elsewhere), elsewhere

# A name that XLA has another typed handler of is left alone, as are jaxlib's own.
x64 = np.eye(2, dtype=np.float32)
assert "callbridge" not in jax.jit(jax.numpy.linalg.cholesky).lower(x64).as_text()

typed = [is_typed(text) for text in texts]
assert all(typed) or not any(typed), texts
assert all(typed) == is_forced
for text in texts:
    assert ("api_version = 3" in text) == (not is_forced and not is_left_alone), text
text = opaque.lower().as_text()
assert ("callbridge_site" in text) == is_forced, text

said = os.pread(errors, 1 << 20, 0).decode()
assert "API_VERSION" not in said and "custom call" not in said.lower(), said

# Outside, JAX's own calls reach the function by its version, as those of artifacts do.
with callbridge.resurrect.revived():
    pass
assert not callbridge.resurrect.names()
for target in targets:
    add = lowered_by(by_builder(target, 2), x)
    assert "api_version = 2" in add.lower(x, y).as_text()
    np.testing.assert_array_equal(add(x, y), x + y)
# And of these newer XLAs complain: what is asserted above can be seen.
is_said = "API_VERSION" in os.pread(errors, 1 << 20, 0).decode()
path = "typed" if is_forced else "left alone" if is_left_alone else "version 3"
print(path, "said" if is_said else "not said", "ok")
