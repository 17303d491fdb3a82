"""Calls the functions of newer JAXs that callbridge.resurrect makes anew, and prints what they do.

    lent_values_program.py [lent]

A line "NAME: VALUE" for each that this JAX has. "lent" imports callbridge.resurrect first, and
prints those that it made, and before them "untested NAME..." for those that have no call here.
"""

import os
import sys
import warnings

os.environ["XLA_FLAGS"] = (
    "--xla_force_host_platform_device_count=4 --xla_backend_optimization_level=0 "
    "--xla_llvm_disable_expensive_passes=true"
)
warnings.simplefilter("ignore")
LENT = sys.argv[1:] == ["lent"]
if LENT:
    import callbridge.resurrect

import dataclasses  # noqa: E402
import functools  # noqa: E402
import importlib  # noqa: E402

import jax  # noqa: E402
import jax.extend.core  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.interpreters import mlir  # noqa: E402
from jax.sharding import Mesh, PartitionSpec  # noqa: E402

# No two dimensions of a size, real and imaginary parts apart: what takes one for another shows.
cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 7
other = np.cos(cube)
complex_cube = (cube + 1j * other).astype(np.complex64)
mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("i", "j"))


def failing(call, *arguments, **keywords):
    """The class of what it raises; callbridge's own and XLA's are RuntimeErrors."""
    try:
        return shown(call(*arguments, **keywords))
    except Exception as error:
        return type(error).__name__


def shown(value):
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        value = np.asarray(value)
        rounded = value if value.dtype.kind not in "fc" else np.round(value, 3) + 0
        return str(value.dtype), value.shape, rounded.tolist()
    if isinstance(value, (list, tuple)):
        return [shown(part) for part in value]
    return value


def all_of(m, *calls):
    return [failing(call, m) for call in calls]


def products(name, *shapes):
    """Of conjugates, batches, and arrays that do not fit."""

    def call(m):
        function = getattr(m, name)
        pairs = [[a[shape] for a, shape in zip((complex_cube, complex_cube * 1j), shapes)]]
        pairs.append([a.real for a in pairs[0]])
        found = [failing(function, *pair) for pair in pairs]
        found.append(failing(function, cube[0, 0], cube[0, 0]))
        return [*found, *(failing(function, a[..., 1:], b) for a, b in pairs)]

    return call


def dot_products(m):
    found = [
        failing(m.vecdot, a, b, axis=axis)
        for a, b in ((complex_cube, complex_cube[::-1] * 1j), (cube, other))
        for axis in (0, 1, -1)
    ]
    for options in ({"preferred_element_type": np.int32}, {"precision": "highest"}):
        found.append(failing(m.vecdot, cube, np.flip(cube), **options))
    return [*found, failing(m.vecdot, cube, cube[0]), failing(m.vecdot, cube, cube[:, 1:], axis=1)]


def converted(m):
    bits = np.array([0, 1, 3], np.int32)
    found = [
        failing(m.astype, a, dtype, **options)
        for a in (cube[0, 0] / 3, bits, bits > 1)
        for dtype in ("float32", "int32", "bool", "complex64")
        for options in ({}, {"copy": True}, {"device": jax.devices()[1]})
    ]
    placed = m.astype(bits, "float32", device=jax.devices()[1])
    array = jnp.asarray(bits)
    return [*found, [d.id for d in placed.devices()], m.astype(array, "int32", copy=True) is array]


def joined(m):
    return [failing(m.concat, (cube, other), axis=axis) for axis in (0, 1, -1, None)]


# ---- Trees ---------------------------------------------------------------------------------------
tree = {"a": [1, (2, 3)], "b": None, "c": 4}


def broadcasts(m):
    is_pair = lambda value: isinstance(value, tuple)  # noqa: E731
    return all_of(
        m,
        lambda m: m.broadcast({"a": 5, "b": None, "c": 6}, tree),
        lambda m: m.broadcast(7, tree),
        lambda m: m.broadcast(7, tree, is_leaf=is_pair),
        lambda m: m.broadcast({"a": (8, 9), "b": None, "c": 6}, tree, is_leaf=is_pair),
        lambda m: m.broadcast({"x": 1}, tree),
    )


def reduced(m):
    """Of each number of leaves: the leaves are all there, in their order."""
    add = lambda a, b: a + b  # noqa: E731
    counts = [m.reduce_associative(add, list("abcdefghi"[:n]), identity="-") for n in range(10)]
    return counts + all_of(
        m,
        lambda m: m.reduce_associative(add, [*"abcde"]),
        lambda m: m.reduce_associative(add, []),
        lambda m: m.reduce_associative(
            add, [("a", "b"), ("c",)], is_leaf=lambda value: type(value) is tuple
        ),
    )  # fmt: skip


def registered_class(m):
    @dataclasses.dataclass
    class Fields:
        a: object
        b: object = dataclasses.field(metadata={"static": True})
        c: object = 3

    return m, Fields


def uses_of(m, made):
    leaves, structure = jax.tree_util.tree_flatten(made)
    again = jax.tree_util.tree_unflatten(structure, [2 * leaf for leaf in leaves])
    paths = [jax.tree_util.keystr(path) for path, _ in m.tree_flatten_with_path(made)[0]]
    return leaves, paths, repr(again)[repr(again).rindex(".") + 1 :]


def dataclasses_of(m):
    found = []
    for options in (
        {}, {"data_fields": ["a", "c"], "meta_fields": ["b"]},
        {"data_fields": ["c", "a"], "meta_fields": ["b"]}, {"data_fields": ["a"]},
        {"data_fields": ["a"], "meta_fields": ["b"]},
        {"data_fields": ["a", "b"], "meta_fields": ["c", "x"]},
        {"data_fields": ["a"], "meta_fields": ["b"], "drop_fields": ["c"]},
    ):  # fmt: skip
        _, made = registered_class(m)
        try:
            assert m.register_dataclass(made, **options) is made
            found.append(uses_of(m, made(4, "x", 5)))
        except (TypeError, ValueError) as error:
            found.append(type(error).__name__)
    found.append(failing(m.register_dataclass, type("Plain", (), {})))
    decorated = functools.partial(m.register_dataclass, data_fields=["a"], meta_fields=["b", "c"])
    return [*found, uses_of(m, decorated(registered_class(m)[1])(6, 7, 8))]


def static_of(m):
    @m.register_static
    @dataclasses.dataclass(frozen=True)
    class Kept:
        value: int

    leaves, structure = jax.tree_util.tree_flatten({"kept": Kept(3), "x": 1})
    traced = []
    jax.jit(lambda kept, x: traced.append(kept.value) or x)(Kept(5), 1.0)
    same = structure == jax.tree_util.tree_structure({"kept": Kept(3), "x": 1})
    return (
        leaves,
        traced,
        same,
        structure == jax.tree_util.tree_structure({"kept": Kept(4), "x": 1}),
    )


# ---- Functions of programs -----------------------------------------------------------------------


def mapped(m):
    spec = PartitionSpec
    rows = functools.partial(m.shard_map, mesh=mesh, in_specs=spec("i", "j"), out_specs=spec("i"))
    a = np.arange(12, dtype=np.float32).reshape(4, 3, order="F")[:, [0, 2]]
    return [
        shown(rows(lambda b: jax.lax.psum(b, "j"))(a)),
        shown(rows()(lambda b: jax.lax.psum(b * 2, "j"))(a)),
        shown(jax.jit(rows(lambda b: b + jax.lax.axis_index("i"), check_vma=False))(a)),
        shown(rows(lambda b: jax.lax.psum(b, "j"), axis_names={"i", "j"})(a)),
        failing(rows(lambda b: b), a),
    ]


def sizes_of_axes(m):
    seen = []

    def note(a):
        seen.append((m.axis_size("i"), m.axis_size("j"), m.axis_size(("i", "j"))))
        return a

    jax.vmap(jax.vmap(note, axis_name="j"), axis_name="i")(cube)
    return seen[0], failing(m.axis_size, "k")


def by_platform(m):
    times = lambda by: lambda a: a * by  # noqa: E731
    return [
        failing(jax.jit(lambda a: m.platform_dependent(a, **given)), np.float32(3))  # noqa: B023
        for given in (
            {"cpu": times(2), "default": times(5)},
            {"tpu": times(2), "default": times(5)},
            {"tpu": times(2), "cpu": times(3)},
            {"cuda": times(7), "rocm": times(8), "default": times(5)},
            {"tpu": times(2)},
        )
    ]


def platforms_of(_):
    seen = []
    primitive = jax.extend.core.Primitive("noted")
    primitive.def_abstract_eval(lambda a: a)

    def lower(context, operand):
        seen.extend(context.module_context.platforms)
        return [operand]

    mlir.register_lowering(primitive, lower)
    jax.jit(primitive.bind)(1.0)
    return seen


def zero_of(make):
    zeros = [make(a) for a in (cube, np.arange(3), 1.0)]
    return [(type(zero).__name__, zero.aval.shape, str(zero.aval.dtype)) for zero in zeros]


def derivative_rules(kind):
    """Arguments without a derivative by position and by name."""

    def call(m):
        found = []
        for options in (
            {"nondiff_argnames": ["power"]}, {"nondiff_argnums": [1]},
            {"nondiff_argnums": (1,), "nondiff_argnames": ("power",)},
        ):  # fmt: skip
            function = getattr(m, kind)(lambda a, power: a**power, **options)
            if kind == "custom_jvp":
                function.defjvp(lambda power, primals, tangents: (
                    primals[0] ** power, 100 * power * tangents[0]
                ))  # fmt: skip
            else:
                function.defvjp(
                    lambda a, power: (a**power, a), lambda power, a, ct: (100 * power * ct,)
                )
            found.append(shown(jax.grad(lambda a: function(a, 3))(2.0)))  # noqa: B023
        return found

    return call


def effects_of(m):
    one, two = m.GenericEffect("p"), m.GenericEffect("q")
    primitive = jax.extend.core.Primitive("kept")
    primitive.def_effectful_abstract_eval(lambda a: (a, {one}))
    mlir.register_lowering(primitive, lambda context, operand: [operand])
    kept = jax.make_jaxpr(lambda a: (primitive.bind(a), a)[1])(1.0)
    called = shown(jax.jit(primitive.bind)(2.0))
    return one == m.GenericEffect("p"), one != two, len({one, two, one}), len(kept.eqns), called


def typed(m):
    seen = []
    jax.jit(lambda a: (seen.append(m.typeof(a)), a)[1])(cube)
    return [(t.shape, str(t.dtype)) for t in (*seen, *map(m.typeof, (cube, np.int8(3), 1.0)))]


def with_paths(m):
    tree = {"b": [cube, 2], "a": (3.0,)}
    rows = [m.leaves_with_path(tree), m.flatten_with_path(tree)[0]]
    spelled = [[("".join(map(str, path)), shown(leaf)) for path, leaf in row] for row in rows]
    named = m.map_with_path(lambda path, leaf: "".join(map(str, path)), tree)
    return spelled, named["b"], named["a"]


def placed(name, *operands):
    """An array made on another device than the first."""

    def call(m):
        made = getattr(m, name)(*operands, device=jax.devices()[1])
        return made.shape, str(made.dtype), [device.id for device in made.devices()]

    return call


def meshes(c):
    types = jax.sharding.AxisType
    made = Mesh(np.array(jax.devices()[:2]), ("i",), axis_types=(types.Auto,))
    return made.axis_names, dict(made.shape), made == Mesh(np.array(jax.devices()[:2]), ("i",))


CASES = {
    "jax.tree.leaves_with_path": with_paths,
    "jax.tree.flatten_with_path": with_paths,
    "jax.tree.map_with_path": with_paths,
    "jax.tree_util.tree_broadcast": lambda m: broadcasts(jax.tree),
    "jax.tree_util.tree_reduce_associative": lambda m: reduced(jax.tree),
    "jax.numpy.empty_like": placed("empty_like", cube),
    "jax.numpy.eye": placed("eye", 3),
    "jax.numpy.linspace": placed("linspace", 0, 1, 5),
    "jax.numpy.fft.fftfreq": placed("fftfreq", 5),
    "jax.numpy.fft.rfftfreq": placed("rfftfreq", 5),
    "jax.sharding.Mesh.__init__": meshes,
    "jax.numpy.astype": converted,
    "jax.numpy.concat": joined,
    "jax.numpy.vecdot": dot_products,
    "jax.numpy.linalg.vecdot": dot_products,
    "jax.numpy.matvec": products("matvec", np.s_[:], np.s_[:, 0]),
    "jax.numpy.vecmat": products("vecmat", np.s_[:, :, 0], np.s_[:]),
    "jax.tree.broadcast": broadcasts,
    "jax.tree.reduce_associative": reduced,
    "jax.tree_util.register_dataclass": dataclasses_of,
    "jax.tree_util.register_static": static_of,
    "jax.shard_map": mapped,
    "jax.typeof": typed,
    "jax.lax.axis_size": sizes_of_axes,
    "jax.lax.platform_dependent": by_platform,
    "jax.interpreters.mlir.ModuleContext.platforms": platforms_of,
    "jax.interpreters.ad.Zero.from_primal_value": lambda c: zero_of(c.from_primal_value),
    "jax._src.ad_util.p2tz": lambda m: zero_of(m.p2tz),
    "jax._src.core.GenericEffect": effects_of,
    "jax.custom_vjp.__init__": lambda c: derivative_rules("custom_vjp")(jax),
    "jax.custom_jvp.__init__": lambda c: derivative_rules("custom_jvp")(jax),
}


def find(path):
    """A module, or a class in one."""
    try:
        return importlib.import_module(path)
    except ImportError:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)


names = [*CASES]
if LENT:
    import wrappers
    from callbridge.resurrect import _newer_names

    newer = {
        f"{module}.{entry.partition('=')[0]}"
        for table in (_newer_names.LENT, _newer_names.WRAPPED)
        for _, module, _, entries in table
        for entry in entries.split()
    }
    ours = {
        f"{name.module}.{name.name}"
        for name in callbridge.resurrect.names()
        if f"{name.module}.{name.name}" in newer and wrappers.is_ours(wrappers.value_of(name))
    }
    print("untested", *sorted(ours - CASES.keys()))
    names = [name for name in names if name in ours]
for name in names:
    owner = find(name.rpartition(".")[0])
    if hasattr(owner, name.rpartition(".")[2]):
        print(f"{name}: {shown(CASES[name](owner))}")
