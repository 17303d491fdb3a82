"""Calls of what an older JAX is lent for trees, meshes and transformations of functions, by the
names that they are calls of."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import ad_util
from jax._src import core as private_core
from jax.interpreters import mlir
from jax.sharding import Mesh, PartitionSpec
from lent_arrays import failing, signed, x

# ---- Trees ---------------------------------------------------------------------------------------
tree = {"a": [1, (2, 3)], "b": None, "c": 4}


def broadcasts(broadcast):
    is_pair = lambda value: isinstance(value, tuple)  # noqa: E731
    return [
        failing(broadcast, {"a": 5, "b": None, "c": 6}, tree),
        failing(broadcast, 7, tree),
        failing(broadcast, 7, tree, is_leaf=is_pair),
        failing(broadcast, {"a": (8, 9), "b": None, "c": 6}, tree, is_leaf=is_pair),
        failing(broadcast, {"x": 1}, tree),
    ]


def reduced(reduce):
    """Of each number of leaves: the leaves are all there, in their order."""
    add = lambda a, b: a + b  # noqa: E731
    counts = [reduce(add, list("abcdefghi"[:n]), identity="-") for n in range(10)]
    is_tuple = lambda value: type(value) is tuple  # noqa: E731
    return counts + [
        failing(reduce, add, [*"abcde"]),
        failing(reduce, add, []),
        failing(reduce, add, [("a", "b"), ("c",)], is_leaf=is_tuple),
    ]


def class_of_fields():
    @dataclasses.dataclass
    class Fields:
        a: object
        b: object = dataclasses.field(metadata={"static": True})
        c: object = 3

    return Fields


def uses_of(made):
    leaves, structure = jax.tree_util.tree_flatten(made)
    again = jax.tree_util.tree_unflatten(structure, [2 * leaf for leaf in leaves])
    flat = jax.tree_util.tree_flatten_with_path(made)[0]
    paths = [jax.tree_util.keystr(path) for path, _ in flat]
    return leaves, paths, repr(again)[repr(again).rindex(".") + 1 :]


def registered(register):
    found = []
    for options in (
        {}, {"data_fields": ["a", "c"], "meta_fields": ["b"]},
        {"data_fields": ["c", "a"], "meta_fields": ["b"]}, {"data_fields": ["a"]},
        {"data_fields": ["a"], "meta_fields": ["b"], "drop_fields": ["c"]},
    ):  # fmt: skip
        made = class_of_fields()
        try:
            assert register(made, **options) is made
            found.append(uses_of(made(4, "x", 5)))
        except TypeError as error:
            found.append(type(error).__name__)
    found.append(failing(register, type("Plain", (), {})))
    decorated = functools.partial(register, data_fields=["a"], meta_fields=["b", "c"])
    return [*found, uses_of(decorated(class_of_fields())(6, 7, 8))]


def registered_of_other_fields(register):
    """Of fields that are not all of its own, or not its own."""
    return [
        failing(lambda: register(class_of_fields(), **fields).__name__)  # noqa: B023
        for fields in (
            {"data_fields": ["a"], "meta_fields": ["b"]},
            {"data_fields": ["a", "b"], "meta_fields": ["c", "x"]},
        )
    ]


def static(register):
    @register
    @dataclasses.dataclass(frozen=True)
    class Kept:
        value: int

    structure_of = jax.tree_util.tree_structure
    leaves, structure = jax.tree_util.tree_flatten({"kept": Kept(3), "x": 1})
    traced = []
    jax.jit(lambda kept, x: traced.append(kept.value) or x)(Kept(5), 1.0)
    alike = [structure == structure_of({"kept": Kept(n), "x": 1}) for n in (3, 4)]
    return leaves, traced, alike


def static_field(static):
    class Fields:
        a: object
        b: object = static(default="add")
        c: object = static(default=2, metadata={"unit": "m"})
        d: object = static(default=3, metadata={"static": False})

    made = jax.tree_util.register_dataclass(dataclasses.dataclass(Fields))
    return [
        uses_of(made(1)),
        [dict(field.metadata) for field in dataclasses.fields(made)[1:]],
        failing(static, 1),
    ]


def with_paths(of):
    tree = {"b": [signed, 2], "a": (3.0,)}
    rows = [of.leaves_with_path(tree), of.flatten_with_path(tree)[0]]
    spelled = [[("".join(map(str, path)), leaf) for path, leaf in row] for row in rows]
    named = of.map_with_path(lambda path, leaf: "".join(map(str, path)), tree)
    return spelled, named["b"], named["a"]


# ---- Meshes and layouts --------------------------------------------------------------------------


def square():
    return Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("i", "j"))


def auto():
    return {"axis_types": (jax.sharding.AxisType.Auto,)}


def one_device(**keywords):
    return jax.make_mesh((1,), ("i",), devices=jax.devices("cpu")[:1], **keywords)


def made_meshes():
    return [
        one_device().shape_tuple,
        one_device(**auto()).shape_tuple,
        # Refused where there are none.
        failing(lambda: one_device(axis_types=(jax.sharding.AxisType.Auto,) * 2).shape_tuple),
    ]


def typed_meshes():
    made = Mesh(np.array(jax.devices()[:2]), ("i",), **auto())
    return made.axis_names, dict(made.shape), made == Mesh(np.array(jax.devices()[:2]), ("i",))


def in_the_mesh(enter):
    with enter(one_device(**auto())):
        spec = PartitionSpec("i")
        moved = jax.jit(lambda a: lax.with_sharding_constraint(a * 2, spec))(x)
        out = jax.shard_map(lambda a: lax.psum(a, "i"), in_specs=spec, out_specs=spec)(x)
        return [moved, out]


def layouts():
    from jax.experimental.layout import Format, Layout

    order = Layout(major_to_minor=(1, 0))
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    made = Format(order, sharding)
    return [
        order.major_to_minor,
        [order == Layout((1, 0)), order == Layout((0, 1))],
        made.layout.major_to_minor,
        [isinstance(order, Layout), isinstance(made, Format), isinstance(made, int)],
    ]


def layouts_by_name():
    from jax.experimental.layout import Format, Layout

    order = Layout(major_to_minor=(1, 0))
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    made = Format(layout=order, sharding=sharding)
    return [made == Format(order, sharding), made.layout.major_to_minor]


def serialized_shardings():
    from jax.extend import sharding as of

    square_of_four = of.get_op_sharding_from_serialized_proto(b"")
    square_of_four.type = type(square_of_four).Type.OTHER
    square_of_four.tile_assignment_dimensions = [2, 2]
    square_of_four.tile_assignment_devices = [0, 2, 1, 3]
    text = square_of_four.SerializeToString()
    hlo = of.get_hlo_sharding_from_serialized_proto(text)
    again = of.get_op_sharding_from_serialized_proto(of.get_serialized_proto_from_hlo_sharding(hlo))
    return [
        hlo.tile_assignment_dimensions(),
        hlo.tile_assignment_devices(),
        again.type == square_of_four.type,
        of.GSPMDSharding(jax.devices()[:4], hlo).shard_shape((4, 6)),
    ]


# ---- Transformations -----------------------------------------------------------------------------


def mapped(f):
    spec = PartitionSpec("i")
    return jax.shard_map(f, mesh=one_device(**auto()), in_specs=spec, out_specs=spec)(x)


def mapped_by_axes(shard_map):
    spec = PartitionSpec
    rows = functools.partial(shard_map, mesh=square(), in_specs=spec("i", "j"), out_specs=spec("i"))
    a = np.arange(12, dtype=np.float32).reshape(4, 3, order="F")[:, [0, 2]]
    return [
        rows(lambda b: lax.psum(b, "j"))(a),
        rows()(lambda b: lax.psum(b * 2, "j"))(a),
        jax.jit(rows(lambda b: b + lax.axis_index("i"), check_vma=False))(a),
        rows(lambda b: lax.psum(b, "j"), axis_names={"i", "j"})(a),
        failing(rows(lambda b: b), a),
    ]


def sizes_of_axes(axis_size):
    seen = []

    def note(a):
        seen.append((axis_size("i"), axis_size("j"), axis_size(("i", "j"))))
        return a

    jax.vmap(jax.vmap(note, axis_name="j"), axis_name="i")(signed)
    return seen[0], failing(axis_size, "k")


def by_platform(platform_dependent):
    times = lambda by: lambda a: a * by  # noqa: E731
    return [
        failing(jax.jit(functools.partial(platform_dependent, **given)), np.float32(3))
        for given in (
            {"cpu": times(2), "default": times(5)},
            {"tpu": times(2), "default": times(5)},
            {"tpu": times(2), "cpu": times(3)},
            {"cuda": times(7), "rocm": times(8), "default": times(5)},
            {"tpu": times(2)},
        )
    ]


def platforms():
    seen = []
    primitive = private_core.Primitive("noted")
    primitive.def_abstract_eval(lambda a: a)

    def lower(context, operand):
        seen.extend(context.module_context.platforms)
        return [operand]

    mlir.register_lowering(primitive, lower)
    jax.jit(primitive.bind)(1.0)
    return seen


def zeros(make):
    made = [make(a) for a in (signed, np.arange(3), 1.0)]
    return [(type(zero).__name__, zero.aval.shape, str(zero.aval.dtype)) for zero in made]


def derivative_rules(kind):
    """Arguments without a derivative by position and by name."""
    found = []
    for options in (
        {"nondiff_argnames": ["power"]}, {"nondiff_argnums": [1]},
        {"nondiff_argnums": (1,), "nondiff_argnames": ("power",)},
    ):  # fmt: skip
        function = kind(lambda a, power: a**power, **options)
        if kind is jax.custom_jvp:
            function.defjvp(lambda power, primals, tangents: (
                primals[0] ** power, 100 * power * tangents[0]
            ))  # fmt: skip
        else:
            function.defvjp(
                lambda a, power: (a**power, a), lambda power, a, ct: (100 * power * ct,)
            )
        found.append(jax.grad(lambda a: function(a, 3))(2.0))  # noqa: B023
    return found


def effects(kind):
    one, two = kind("p"), kind("q")
    primitive = private_core.Primitive("kept")
    primitive.def_effectful_abstract_eval(lambda a: (a, {one}))
    mlir.register_lowering(primitive, lambda context, operand: [operand])
    kept = jax.make_jaxpr(lambda a: (primitive.bind(a), a)[1])(1.0)
    called = jax.jit(primitive.bind)(2.0)
    return one == kind("p"), one != two, len({one, two, one}), len(kept.eqns), called


def types(typeof):
    seen = []
    jax.jit(lambda a: (seen.append(typeof(a)), a)[1])(signed)
    return [(t.shape, str(t.dtype)) for t in (*seen, *map(typeof, (signed, np.int8(3), 1.0)))]


def error_of(convert):
    """What a tracer raises, which a program catches by one of these classes."""
    kinds = jax.errors.TracerBoolConversionError, jax.errors.ConcretizationTypeError
    try:
        jax.jit(convert)(1.0)
    except kinds[0] as error:
        return [type(error).__module__, type(error).__name__, isinstance(error, kinds[1])]
    except kinds[1] as error:
        return [isinstance(error, kinds[0])]


def primitive(name):
    from jax.extend.core import primitives

    return getattr(primitives, name)


def of_structures():
    tree = {"b": (1, 2), "a": [3]}
    leaves, structure = jax.tree.flatten(tree)
    pairs = jax.tree.structure((0, 0))
    return [
        leaves,
        jax.tree.structure(tree) == structure,
        jax.tree.unflatten(structure, [5, 6, 7]),
        jax.tree.transpose(structure, pairs, {"b": ((1, 2), (3, 4)), "a": [(5, 6)]}),
    ]


CALLS = {
    # ---- Trees -------------------------------------------------------------------------------
    "jax.tree.broadcast": lambda: broadcasts(jax.tree.broadcast),
    "jax.tree_util.tree_broadcast": lambda: broadcasts(jax.tree_util.tree_broadcast),
    "jax.tree.reduce_associative": lambda: reduced(jax.tree.reduce_associative),
    "jax.tree_util.tree_reduce_associative": lambda: reduced(jax.tree_util.tree_reduce_associative),
    "jax.tree.leaves_with_path jax.tree.flatten_with_path jax.tree.map_with_path": lambda: (
        with_paths(jax.tree)
    ),
    "jax.tree.all jax.tree.leaves jax.tree.map jax.tree.reduce": lambda: [
        jax.tree.all({"a": (1, 0)}),
        jax.tree.leaves({"b": (1, 0), "a": 3}),
        jax.tree.map(lambda a, b: a - b, {"a": (1, 2)}, {"a": (3, 5)}),
        jax.tree.reduce(lambda a, b: a * 10 + b, (1, (2, 3)), 7),
    ],
    "jax.tree.flatten jax.tree.structure jax.tree.unflatten jax.tree.transpose": of_structures,
    "jax.tree_util.register_dataclass": lambda: registered(jax.tree_util.register_dataclass),
    "jax.tree_util.register_dataclass(of other fields)": lambda: registered_of_other_fields(
        jax.tree_util.register_dataclass
    ),
    "jax.tree_util.register_static": lambda: static(jax.tree_util.register_static),
    "jax.tree.static": lambda: static_field(jax.tree.static),
    # ---- Meshes and layouts ------------------------------------------------------------------
    "jax.make_mesh jax.sharding.AxisType": made_meshes,
    "jax.sharding.Mesh.__init__ jax.sharding.Mesh.__new__": typed_meshes,
    "jax.set_mesh": lambda: in_the_mesh(jax.set_mesh),
    "jax.experimental.layout.Format jax.experimental.layout.Layout": layouts,
    "jax._src.layout.Layout.__init__": layouts_by_name,
    "jax.extend.sharding.get_hlo_sharding_from_serialized_proto "
    "jax.extend.sharding.get_op_sharding_from_serialized_proto "
    "jax.extend.sharding.get_serialized_proto_from_hlo_sharding": serialized_shardings,
    # ---- Transformations ---------------------------------------------------------------------
    "jax.lax.pcast": lambda: mapped(lambda a: lax.pcast(a * 2, (), to="varying")),
    "jax.shard_map": lambda: mapped_by_axes(jax.shard_map),
    "jax.typeof": lambda: types(jax.typeof),
    "jax.lax.axis_size": lambda: sizes_of_axes(lax.axis_size),
    "jax.lax.platform_dependent": lambda: by_platform(lax.platform_dependent),
    "jax.interpreters.mlir.ModuleContext.platforms": platforms,
    "jax._src.ad_util.p2tz": lambda: zeros(ad_util.p2tz),
    "jax._src.core.GenericEffect": lambda: effects(private_core.GenericEffect),
    "jax.custom_vjp.__init__": lambda: derivative_rules(jax.custom_vjp),
    "jax.custom_jvp.__init__": lambda: derivative_rules(jax.custom_jvp),
    "jax.jit": lambda: jax.jit(static_argnames="n")(lambda a, n: a * n)(x, n=3),
    "jax.vmap(sum_match)": lambda: jax.vmap(jnp.sin, sum_match=False)(x),
    # ---- Others ------------------------------------------------------------------------------
    "jax.errors.TracerBoolConversionError jax.core.UnshapedArray._bool": lambda: [
        error_of(lambda a: bool(a)),
        error_of(lambda a: float(a)),
    ],
    "jax.process_indices": lambda: jax.process_indices(),
    "jax.extend.core.primitives.jit_p": lambda: primitive("jit_p").multiple_results,
    "jax.extend.core.primitives.sin_p": lambda: primitive("sin_p").name,
    "jax.dlpack.is_supported_dtype": lambda: jax.dlpack.is_supported_dtype("float32"),
    "jax.distributed.is_initialized": lambda: jax.distributed.is_initialized(),
}
