"""Asks values of JAX for the attributes that went or came, and prints "CLASS.ATTRIBUTE: VALUE".

Without argument: as JAX has them. With "restored": under callbridge.resurrect.
"""

import pathlib
import sys
import types
import warnings

warnings.simplefilter("ignore")
RESTORED = sys.argv[1:] == ["restored"]
if RESTORED:
    import callbridge.resurrect  # noqa: F401

sys.path.insert(0, str(pathlib.Path(__file__).parent / "releases"))
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.interpreters import ad  # noqa: E402

x = jnp.arange(4, dtype=np.float32)
device = jax.devices("cpu")[0]
mesh = jax.sharding.Mesh(np.array([device]), ("i",))
of_two_axes = jax.sharding.Mesh(np.array([[device]]), ("i", "j"))
P = jax.sharding.PartitionSpec
sharding = jax.sharding.NamedSharding(mesh, P("i"))
split = jax.device_put(x, sharding)
closed = jax.make_jaxpr(lambda a: a * 2)(x)
aval = jax.make_jaxpr(lambda a: a * 2)(x).in_avals[0]
struct = jax.ShapeDtypeStruct((2,), np.float32)
jitted = jax.jit(lambda a: a * 2)
tree = jax.tree_util.tree_structure([1, 2])
registry = getattr(jax.tree_util, "default_registry", None)
# Of the oldest release, which knew of one alone, JAX says so in the first line.
first_line = (getattr(tree, "make_from_node_data_and_children", None).__doc__ or "").split("\n")[0]
takes_registry = "registry" in first_line or not first_line


def shown(value):
    """In words that all releases have."""
    if isinstance(value, P):
        return list(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "index_sharding"):
        return [shown(part) for part in value]
    if isinstance(value, jax.sharding.Sharding):
        return [type(value).__name__, shown(getattr(value, "spec", None)), len(value.device_set)]
    if hasattr(value, "shape") and not hasattr(value, "devices"):
        return ["shaped", list(value.shape), str(value.dtype)]
    if hasattr(value, "devices"):
        return np.asarray(value).tolist()
    if hasattr(value, "platform") and hasattr(value, "process_index"):
        return [value.platform, value.id]
    return str(value) if isinstance(value, (frozenset, type(tree))) else value


def swapped(dtype):
    array = jnp.arange(4).astype(dtype)
    return np.asarray(array.byteswap()).tobytes() == np.asarray(array).byteswap().tobytes()


def batched(name):
    seen = []

    def body(a):
        trace = a._trace
        seen.append(getattr(trace, name))
        return a

    jax.vmap(body, axis_name="n")(x)
    return seen[0]


def raised(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def state(kind, *values):
    """What the option is before, in and after its context; of an enumeration, its values first."""
    *first, other = values
    name = f"callbridge_{kind}"
    enter = getattr(jax.config, f"define_{kind}_state")(name, *first, "help")
    seen = [getattr(jax.config, name)]
    with enter(other):
        seen.append(getattr(jax.config, name))
    jax.config.update(name, other)
    return [*seen, getattr(jax.config, name)]


def flag(kind, first, other, **keywords):
    seen, name = [], f"callbridge_flag_{kind}"
    define = getattr(jax.config, f"DEFINE_{kind}")
    define(name, first, "help", update_hook=seen.append, **keywords)
    values = [jax.config.FLAGS.__getattr__(name), jax.config.read(name)]
    jax.config.update(name, other)
    return [*values, jax.config.read(name), seen]


def key():
    from samples import typed_key

    return typed_key()


def called(array):
    if not isinstance(type(array).__dict__["device"], property):
        return array.device()  # by JAX itself
    get = array.device
    return get()


def is_property(value):
    if isinstance(value, types.MethodType):
        raise TypeError
    return True


VALUES = {
    # ---- What went ---------------------------------------------------------------------------
    "ArrayImpl.device_buffer": lambda: x.device_buffer,
    "ArrayImpl.device_buffers": lambda: x.device_buffers,
    "ArrayImpl.device()": lambda: [x.device(), split.device(), jnp.sin(x).device()],
    "Device.__call__": lambda: called(x),
    "Sharding.__call__": lambda: called(split),
    "PRNGKeyArray.device()": lambda: key().device(),
    "ArrayImpl.broadcast": lambda: x.broadcast((2,)),
    "PRNGKeyArray.impl": lambda: key().impl.tag,
    "PRNGKeyArray.unsafe_raw_array": lambda: key().unsafe_raw_array(),
    "BatchTrace.axis_name": lambda: batched("axis_name"),
    "BatchTrace.spmd_axis_name": lambda: batched("spmd_axis_name"),
    "PyTreeDef.make_from_node_data_and_children": lambda: (
        type(tree).make_from_node_data_and_children(
            *[registry] * takes_registry,
            tree.node_data(),
            tree.children(),
        )
        == tree
    ),
    "ufunc.lower": lambda: "add" in jnp.add.lower(x, x).as_text(),
    "ufunc.trace": lambda: jnp.add.trace(x, x).jaxpr.in_avals,
    "ufunc.eval_shape": lambda: jnp.add.eval_shape(x, x),
    "ufunc.clear_cache": lambda: jnp.add.clear_cache(),
    "Config.define_bool_state": lambda: state("bool", True, False),
    "Config.define_enum_state": lambda: state("enum", ["a", "b"], "a", "b"),
    "Config.define_int_state": lambda: state("int", 3, 4),
    "Config.define_float_state": lambda: state("float", 3.0, 4.0),
    "Config.define_string_state": lambda: state("string", "a", "b"),
    "Config.define_string_or_object_state": lambda: state("string_or_object", "a", (1, 2)),
    "Config.DEFINE_bool": lambda: flag("bool", False, True),
    "Config.DEFINE_integer": lambda: flag("integer", 1, 2),
    "Config.DEFINE_float": lambda: flag("float", 1.0, 2.0),
    "Config.DEFINE_string": lambda: flag("string", "a", "b"),
    "Config.DEFINE_enum": lambda: flag("enum", "a", "b", enum_values=["a", "b"]),
    "Config.FLAGS": lambda: raised(lambda: jax.config.FLAGS.no_such_option),
    "Config.check_exists": lambda: [
        jax.config.check_exists("jax_enable_x64"),
        raised(lambda: jax.config.check_exists("no_such_option")),
    ],
    "Config.__getattr__": lambda: [
        jax.config.jax_array,
        jax.config.jax_jit_pjit_api_merge,
        jax.config.update("jax_array", True),
        raised(lambda: jax.config.no_such_option),
    ],
    # ---- What came ---------------------------------------------------------------------------
    "ArrayImpl.committed": lambda: [x.committed, split.committed],
    "ArrayImpl.device": lambda: [
        is_property(x.device) and x.device == device,
        split.device == split.sharding,
    ],
    "ArrayImpl.to_device": lambda: [x.to_device(device), x.to_device(device)._committed],
    "ArrayImpl.byteswap": lambda: list(map(swapped, ("float32", "int8", "complex64", "uint16"))),
    "ArrayImpl.format": lambda: list(x.format.layout.major_to_minor),
    "ShapeDtypeStruct.format": lambda: [struct.format.sharding, struct.format.layout],
    "Compiled.input_formats": lambda: [
        list(f.layout.major_to_minor) for f in jitted.lower(x).compile().input_formats[0]
    ],
    "Compiled.output_formats": lambda: list(
        jitted.lower(x).compile().output_formats.layout.major_to_minor
    ),
    "Layout.layout": lambda: list(x.format.layout.major_to_minor),
    "Layout.dll": lambda: "came and went",
    "Format.layout": lambda: list(x.format.layout.major_to_minor),
    "Tracer.to_device": lambda: jax.jit(lambda a: a.to_device(device))(x),
    "Tracer.byteswap": lambda: np.asarray(jax.jit(lambda a: a.byteswap())(x)).tobytes(),
    "PRNGKeyArray.committed": lambda: key().committed,
    "PRNGKeyArray.device": lambda: is_property(key().device) and key().device == device,
    "_IndexUpdateRef.subtract": lambda: x.at[1].subtract(3),
    "PjitFunction.eval_shape": lambda: jitted.eval_shape(x),
    "Lowered.out_info": lambda: jitted.lower(x).out_info,
    "Traced.out_avals": lambda: jitted.trace(x).out_avals,
    "Traced.out_tree": lambda: jitted.trace(x).out_tree,
    "Traced.effects": lambda: len(jitted.trace(x).effects),
    "LoweringRuleContext.platforms": lambda: lowered_for(),
    "AbstractValue.to_tangent_aval": lambda: aval.to_tangent_aval(),
    "AbstractValue.to_cotangent_aval": lambda: aval.to_cotangent_aval(),
    "AbstractValue.to_ct_aval": lambda: aval.to_ct_aval(),
    "ShapedArray.update_weak_type": lambda: aval.update_weak_type(True).weak_type,
    "Zero.instantiate": lambda: ad.Zero(aval).instantiate(),
    "ClosedJaxpr.constvars": lambda: len(closed.constvars),
    "ClosedJaxpr.debug_info": lambda: closed.debug_info is closed.jaxpr.debug_info,
    "ClosedJaxpr.invars": lambda: [v.aval for v in closed.invars],
    "ClosedJaxpr.outvars": lambda: [v.aval for v in closed.outvars],
    "ClosedJaxpr.num_consts": lambda: closed.num_consts,
    "Jaxpr.in_avals": lambda: list(closed.jaxpr.in_avals),
    "Jaxpr.out_avals": lambda: list(closed.jaxpr.out_avals),
    "NamedSharding.check_compatible_aval": lambda: [
        sharding.check_compatible_aval((4,)),
        raised(lambda: sharding.check_compatible_aval(())),
    ],
    "NamedSharding.with_mesh": lambda: [
        sharding.with_mesh(mesh),
        sharding.with_mesh(of_two_axes).mesh.axis_names,
    ],
    "NamedSharding.with_spec": lambda: [sharding.with_spec(P()), sharding.with_spec(["i"])],
    "NamedSharding.update": lambda: [
        sharding.update(spec=P()),
        sharding.update(mesh=of_two_axes),
        sharding.update(mesh=of_two_axes).mesh.axis_names,
    ],
    "Sharding.num_devices": lambda: [sharding.num_devices, x.sharding.num_devices],
    "Sharding.has_addressable_devices": lambda: sharding.has_addressable_devices,
    "PartitionSpec.reduced": lambda: P("i").reduced,
    "PartitionSpec.unreduced": lambda: P("i").unreduced,
    "PartitionSpec.update": lambda: [tuple(P("i").update()), tuple(P("i").update(partitions=()))],
    "PartitionSpec.partitions": lambda: P("i", None).partitions,
    "Mesh.shape_tuple": lambda: mesh.shape_tuple,
    "Mesh.axis_sizes": lambda: mesh.axis_sizes,
    "ShapeDtypeStruct.weak_type": lambda: struct.weak_type,
    "ShapeDtypeStruct.update": lambda: struct.update(shape=(3,)),
    "ShapeDtypeStruct.like": lambda: jax.ShapeDtypeStruct.like(x),
    "GatherDimensionNumbers.operand_batching_dims": lambda: gather().operand_batching_dims,
    "GatherDimensionNumbers.start_indices_batching_dims": lambda: (
        gather().start_indices_batching_dims
    ),
    "PyTreeDef.from_node_data_and_children": lambda: (
        tree.from_node_data_and_children(registry, tree.node_data(), tree.children()) == tree
    ),
}


def gather():
    return jax.lax.GatherDimensionNumbers((0,), (0,), (0,))


def lowered_for():
    import samples

    return samples.lowering(lambda ctx: ctx.platforms)


for name, call in VALUES.items():
    try:
        value = repr(shown(call()))
    except Exception as error:
        if not RESTORED:
            continue  # which this JAX has not
        value = f"failed, {type(error).__name__}: {error}".partition("\n")[0]
    print(f"{name}: {value}")
