"""JAX programs with untyped custom calls, run and dumped by the XLA of this Python's jaxlib.

  XLA_FLAGS="--xla_dump_to=FOLDER ..." dumped_programs.py LIBRARY FOLDER

LIBRARY is tests/targets/described_calls.cc, whose targets jaxlib calls at their own addresses.
Leaves in FOLDER, beside what XLA dumps, <program>.operand<i>.npy and <program>.result<i>.npy; of
types that such files cannot name, <program>.operand<i>.<type>.npy.
"""

import ctypes
import pathlib
import sys

import callbridge.library
import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
import scenarios
from jax._src import core
from jax._src.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

LIBRARY, FOLDER = sys.argv[1:]
# The XLA of later ones hands no tuples to untyped targets.
HAS_TUPLES = jaxlib.__version__ == "0.4.30"
# XLA's names of the types of less than a byte, which targets get packed, and what
# described_calls.cc calls them.
PACKED = {"int4": ("s4", "n"), "uint4": ("u4", "n"), "int2": ("s2", "c"), "uint2": ("u2", "c")}
PACKED["float4_e2m1fn"] = ("f4e2m1fn", "n")
KINDS = {"float32": "f", "float16": "h", "bfloat16": "b", "bool": "p"}
_CAPSULE_NAME = b"xla._CUSTOM_CALL_TARGET"


def register():
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    library = callbridge.library.load(LIBRARY)
    for target in library.targets:
        if target.abi != "typed_ffi":
            capsule = new_capsule(target.address, _CAPSULE_NAME, None)
            xla_client.register_custom_call_target(target.name, capsule, platform="cpu")
    return library


def described(tree):
    """A tree of arrays, as described_calls.cc wants it described."""
    if type(tree) is tuple:
        return f"({''.join(described(element) for element in tree)})"
    kind = KINDS.get(str(tree.dtype))
    if str(tree.dtype) in PACKED:
        return f"{PACKED[str(tree.dtype)][1]}{tree.size};"
    if kind is None:
        return f"i{tree.size * np.dtype(tree.dtype).itemsize};"
    return f"{kind}{tree.size};"


call_p = core.Primitive("described_call")
call_p.multiple_results = True


@call_p.def_abstract_eval
def _(*operands, results, **_):
    return [core.ShapedArray(leaf.shape, leaf.dtype) for leaf in results]


def mlir_type(array):
    return ir.RankedTensorType.get(array.shape, mlir.dtype_to_ir_type(np.dtype(array.dtype)))


def lowering(
    context, *operands, version, opaque, operand_tree, results, has_side_effect, aliases, columns
):
    operands = list(operands)

    def layouts(leaves):
        return [tuple(range(len(leaf.shape))) for leaf in leaves] if columns else None

    def put_together(tree):
        if type(tree) is not tuple:
            return operands.pop(0)
        return stablehlo.TupleOp([put_together(element) for element in tree]).result

    return mlir.custom_call(
        f"described_{version}",
        result_types=[mlir_type(result) for result in results],
        operands=[put_together(tree) for tree in operand_tree],
        backend_config=opaque,
        api_version=version,
        has_side_effect=has_side_effect,
        operand_output_aliases=dict(aliases),
        operand_layouts=layouts(context.avals_in),
        result_layouts=layouts(results),
    ).results


mlir.register_lowering(call_p, lowering, platform="cpu")


def call(version, operands, results, has_side_effect=False, aliases=(), columns=False):
    """`operands` may be trees. `aliases` are numbers of an operand and a result each. All arrays
    are column-major if `columns`."""
    in_place = {output for _, output in aliases}
    leaves = [("=" if i in in_place else "") + described(leaf) for i, leaf in enumerate(results)]
    text = leaves[0] if len(leaves) == 1 else f"({''.join(leaves)})"
    parts = [described(operand) for operand in operands]
    text = f"{'!' if has_side_effect else ''}{''.join(parts)}>{text}."
    if version < 3:
        operands = (jnp.frombuffer(text.encode(), jnp.uint8), *operands)
        aliases = tuple((operand + 1, output) for operand, output in aliases)
        text = ""
    shapes = jax.tree_util.tree_map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), operands)
    return call_p.bind(
        *scenarios.leaves(tuple(operands)),
        version=version,
        opaque=text,
        operand_tree=shapes,
        results=results,
        has_side_effect=has_side_effect,
        aliases=aliases,
        columns=columns,
    )


def array(dtype, *shape):
    return jax.ShapeDtypeStruct(shape, dtype)


@jax.jit
def arithmetic_between(x, y):
    (a,) = call(1, (x, y), (array(jnp.float32, 4),))
    b, c = call(2, (a * 2 + x, x), (array(jnp.float32, 4), array(jnp.uint8, 3)), aliases=((0, 0),))
    (d,) = call(3, (b, c, y), (array(jnp.int16, 2, 3),), has_side_effect=True)
    return -b, jax.jit(lambda z: (z + 1) * z)(d), jnp.broadcast_to(c, (2, 3))


@jax.jit
def of_many_types(x, y):
    types = (jnp.bfloat16, jnp.float16, jnp.bool_, jnp.uint32, jnp.int8)
    results = call(3, (x, y), tuple(array(dtype, 2, 2) for dtype in types))
    return tuple(call(2, tuple(results), (array(jnp.float32, 2), array(jnp.int32, 0, 3))))


@jax.jit
def tuples(x, y):
    a, b, c = call(
        1, ((x, (y,)), x), (array(jnp.float32, 4), array(jnp.int32, 2), array(jnp.bool_, 3))
    )
    return call(3, ((a, (b, c)), y), (array(jnp.float32), array(jnp.int32, 2, 3)))


@jax.jit
def of_packed_elements(x, y, z):
    types = (jnp.int4, jnp.uint4, jnp.int2, jnp.uint2, jnp.float4_e2m1fn)
    shapes = tuple(array(dtype, 4, 2) for dtype in types)
    results = call(3, (x, y, z, jnp.ones((2, 2), jnp.float32)), shapes, columns=True)
    constant = np.array([1, -2, 7, -8, 5]).astype(jnp.int4)
    (a,) = call(1, (*results, constant), (array(jnp.int4, 4, 2),))
    b, c = call(2, (a, results[3]), (array(jnp.int4, 4, 2), array(jnp.uint2, 5)), aliases=((0, 0),))
    (d,) = call(1, (jnp.broadcast_to(b.reshape(8), (3, 8)), y), (array(jnp.int2, 3),), columns=True)
    return *results, a, b, c, d


ROW = np.arange(4, dtype=np.float32) - 1
TABLE = np.arange(6, dtype=np.int32).reshape(2, 3) * 1000
PROGRAMS = {arithmetic_between: (ROW, TABLE), of_many_types: (ROW, TABLE)}
if HAS_TUPLES:
    PROGRAMS[tuples] = (ROW, TABLE)
else:
    PROGRAMS[of_packed_elements] = (
        np.arange(-7, 8).reshape(3, 5).astype(jnp.int4),
        np.arange(7).astype(jnp.uint4),
        np.resize([1, -2, 0], 9).astype(jnp.int2),
    )


def file_type(operand):
    name, _ = PACKED.get(str(operand.dtype), ("", 0))
    return f".{name}" if name else ""


def main():
    library = register()
    folder = pathlib.Path(FOLDER)
    for program, operands in PROGRAMS.items():
        for i, operand in enumerate(operands):
            np.save(folder / f"{program.__name__}.operand{i}{file_type(operand)}.npy", operand)
        for i, leaf in enumerate(jax.tree_util.tree_leaves(program(*operands))):
            np.save(folder / f"{program.__name__}.result{i}.npy", np.asarray(leaf))
    del library


main()
