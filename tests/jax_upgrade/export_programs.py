"""Programs that call untyped targets, exported by an older JAX, and what it computed with them.

    export_programs.py TARGETS FOLDER

TARGETS is targets.so, whose functions this JAX calls by itself, at their own addresses. For each
program FOLDER gets NAME.npz, operands and results; NAME.mlir, StableHLO text; NAME.mlirbc, MLIR's
bytecode of it; NAME.vhlo, the portable artifact; and NAME.exported, where JAX has jax.export.
"""

import io
import pathlib
import sys

import callbridge.library
import jax
import numpy as np
from callbridge._core._native_functions import make_capsule
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

try:
    from jax.extend.core import Primitive
except ImportError:
    from jax.core import Primitive
try:
    import jax.export
except ImportError:
    pass

VERSION = tuple(int(number) for number in jax.__version__.split(".")[:3])
HAS_EXPORT = hasattr(jax, "export")
# XLA:CPU's that pass tuple operands as documented; later ones crash.
HAS_TUPLE_OPERANDS = VERSION < (0, 4, 38)

F32 = (np.float32, ())
F32x4 = (np.float32, (4,))
X = np.arange(4, dtype=np.float32) / 3


class Call:
    """One custom call. Operands are numbers of the program's arguments, or tuples of such."""

    def __init__(self, target, version, operands, result, opaque=b"", alias=None):
        self.target, self.version, self.operands = target, version, operands
        self.result, self.opaque, self.alias = result, opaque, alias

    def emit(self, arguments):
        operands = [_tuple(operand, arguments) for operand in self.operands]
        attributes = {
            "call_target_name": ir.StringAttr.get(self.target),
            "backend_config": ir.StringAttr.get(self.opaque),
            "has_side_effect": ir.BoolAttr.get(False),
            "called_computations": ir.ArrayAttr.get([]),
        }
        if self.version is not None:
            attributes["api_version"] = _i32(self.version)
        if self.alias is not None:
            attributes["output_operand_aliases"] = ir.ArrayAttr.get(
                [
                    stablehlo.OutputOperandAlias.get(
                        output_tuple_indices=[],
                        operand_index=self.alias,
                        operand_tuple_indices=[],
                    )
                ]
            )
        call = stablehlo.CustomCallOp.build_generic(
            results=[_type(self.result)], operands=operands, attributes=attributes
        )
        return _leaves(call.results[0], self.result)


def _i32(value):
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


def _type(form):
    if isinstance(form, list):
        return ir.TupleType.get_tuple([_type(element) for element in form])
    dtype, shape = form
    return ir.RankedTensorType.get(shape, mlir.dtype_to_ir_type(np.dtype(dtype)))


def _tuple(operand, arguments):
    if isinstance(operand, int):
        return arguments[operand]
    elements = [_tuple(element, arguments) for element in operand]
    type_ = ir.TupleType.get_tuple([element.type for element in elements])
    return stablehlo.TupleOp.build_generic(
        results=[type_], operands=elements, attributes={}
    ).results[0]


def _leaves(value, form):
    if not isinstance(form, list):
        return [value]
    leaves = []
    for i, element in enumerate(form):
        part = stablehlo.GetTupleElementOp.build_generic(
            results=[_type(element)], operands=[value], attributes={"index": _i32(i)}
        ).results[0]
        leaves += _leaves(part, element)
    return leaves


def _forms(form):
    return [leaf for element in form for leaf in _forms(element)] if type(form) is list else [form]


ALL_BYTES = bytes(range(256))
U64x2 = (np.uint64, (2,))
# Name: the calls, the last of which gives the results, and the operands.
PROGRAMS = {
    "arrays_1": (
        [Call("example", 1, [0, 1], (np.float32, (2048,)))],
        [np.linspace(-1, 1, 128, dtype=np.float32), np.linspace(0, 9, 2048, dtype=np.float32)],
    ),
    # As calls are that say no version.
    "arrays": ([Call("untold_double", None, [0], F32)], [np.float32(1.5)]),
    "arrays_2": ([Call("refuse_negative", 2, [0], F32)], [np.float32(1.5)]),
    "alias_2": ([Call("refuse_negative", 2, [0], F32, alias=0)], [np.float32(2.5)]),
    "opaque_3": ([Call("digest_opaque", 3, [], U64x2, ALL_BYTES)], []),
    "opaque_1": ([Call("untold_double", 1, [0], F32, ALL_BYTES)], [np.float32(1.5)]),
    "empty_opaque_3": ([Call("digest_opaque", 3, [], U64x2)], []),
    "tuple_of_one_1": ([Call("single_result", 1, [0], [F32])], [np.float32(2.25)]),
}
if HAS_TUPLE_OPERANDS:
    PROGRAMS.update(
        tuples_1=(
            [Call("nested", 1, [[0, [1, 2]], 3], [F32x4, F32x4])],
            [X, X + 1, X * 3, X - 2],
        ),
        empty_tuple_1=(
            [Call("empty_and_single", 1, [[], [0]], F32)],
            [np.float32(2.25)],
        ),
    )


def make_primitive(name, calls):
    primitive = Primitive(name)
    primitive.multiple_results = True
    forms = _forms(calls[-1].result)

    @primitive.def_abstract_eval
    def abstract_eval(*arguments):
        return [jax.core.ShapedArray(shape, np.dtype(dtype)) for dtype, shape in forms]

    def lower(ctx, *arguments):
        for call in calls:
            results = call.emit(arguments)
        return results

    mlir.register_lowering(primitive, lower)
    return primitive


def register(library):
    """With this JAX, as its users did."""
    from jaxlib import xla_client

    for target in library.targets:
        if target.platform == "Host":
            xla_client.register_custom_call_target(
                target.name, make_capsule(target.address), platform="cpu"
            )


def bytecode(module):
    output = io.BytesIO()
    module.operation.write_bytecode(output)
    return output.getvalue()


def portable_artifact(module):
    version = stablehlo.get_current_version()
    if VERSION < (0, 4, 38):
        from jaxlib import xla_extension

        return xla_extension.mlir.serialize_portable_artifact(bytecode(module), version)
    return stablehlo.serialize_portable_artifact(module, version)


def export(folder, name, function, targets, operands):
    jitted = jax.jit(function)
    results = jitted(*operands)
    np.savez(
        folder / f"{name}.npz",
        **{f"operand{i}": x for i, x in enumerate(operands)},
        **{f"result{i}": x for i, x in enumerate(results)},
    )
    module = jitted.lower(*operands).compiler_ir("stablehlo")
    (folder / f"{name}.mlir").write_text(str(module))
    (folder / f"{name}.mlirbc").write_bytes(bytecode(module))
    (folder / f"{name}.vhlo").write_bytes(portable_artifact(module))
    if HAS_EXPORT:
        checks = [jax.export.DisabledSafetyCheck.custom_call(target) for target in targets]
        exported = jax.export.export(jitted, disabled_checks=checks)(*operands)
        (folder / f"{name}.exported").write_bytes(exported.serialize())


def export_polymorphic(folder):
    """The first 8 bytes of f32[b], and their sum with b in the program."""
    call = Call("copy_bytes", 3, [0], (np.uint8, (8,)), (8).to_bytes(8, "little"))
    primitive = make_primitive("polymorphic", [call])

    def function(x):
        return primitive.bind(x)[0], x * x.shape[0]

    x = np.arange(6, dtype=np.float32) / 3
    (shape,) = (jax.export.symbolic_shape("b"),)
    checks = [jax.export.DisabledSafetyCheck.custom_call("copy_bytes")]
    exported = jax.export.export(jax.jit(function), disabled_checks=checks)(
        jax.ShapeDtypeStruct(shape, np.float32)
    )
    (folder / "polymorphic.exported").write_bytes(exported.serialize())
    first, product = jax.jit(function)(x)
    np.savez(folder / "polymorphic.npz", operand0=x, result0=first, result1=product)


def export_sharded(folder):
    """With shardings in the form of before 2026, which later JAX does not write."""
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    primitive = make_primitive("sharded", [Call("refuse_negative", 2, [0], (np.float32, (1,)))])
    jitted = jax.jit(lambda x: primitive.bind(x)[0], in_shardings=sharding)
    checks = [jax.export.DisabledSafetyCheck.custom_call("refuse_negative")]
    exported = jax.export.export(jitted, disabled_checks=checks)(np.ones(1, np.float32))
    (folder / "sharded.with_shardings").write_bytes(exported.serialize())


def main(targets, folder):
    jax.config.update("jax_enable_x64", True)
    folder = pathlib.Path(folder)
    library = callbridge.library.load(targets)
    register(library)
    for name, (calls, operands) in PROGRAMS.items():
        primitive = make_primitive(name, calls)

        def function(*arguments, primitive=primitive):
            # Something of JAX's own around the call.
            return [
                jax.numpy.concatenate([x.ravel(), x.ravel() + x.ravel()])
                for x in primitive.bind(*arguments)
            ]

        export(folder, name, function, [call.target for call in calls], operands)
    if HAS_EXPORT:
        export_polymorphic(folder)
        export_sharded(folder)
    (folder / "jax_version.txt").write_text(jax.__version__)


if __name__ == "__main__":
    main(*sys.argv[1:])
