"""Attributes that classes of JAX have got since, as functions of their instances or classes.

As in _lost_attributes.py; an attribute is added where it means the same here as where JAX has it.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np


def _infos(avals: Any) -> list:
    return [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]


def _device_of(array: Any) -> Any:
    if isinstance(array.sharding, jax.sharding.SingleDeviceSharding):
        return _only_device(array.sharding)
    return array.sharding


def _device(get: Callable, array_of: Callable = lambda array: array) -> property:
    """array.device, which is what `get` says of it, and in `array.device()` what gives the device.

    It was a method once. Python looks methods up by an instruction of their own. (JAX's caches hold
    what can be called by weak references, which devices have none of: so they cannot be called
    themselves.)
    """

    def device(array: Any) -> Any:
        if _is_called(sys._getframe(1)):
            return functools.partial(_only_device, array_of(array).sharding)
        return get(array)

    return property(device)


def _is_called(frame: types.FrameType) -> bool:
    """Returns true at `value.name(...)`, where it asks for the name."""
    code, at = frame.f_code.co_code, frame.f_lasti
    name = dis.opname[code[at]]
    is_flagged = sys.version_info >= (3, 12) and name == "LOAD_ATTR" and code[at + 1] & 1 == 1
    return name == "LOAD_METHOD" or is_flagged


def _only_device(sharding: Any) -> Any:
    if len(sharding.device_set) != 1:
        raise ValueError(
            f"array.device(): expected one device, got {len(sharding.device_set)}; use "
            "array.devices()"
        )
    return next(iter(sharding.device_set))


def _keys_array(keys: Any) -> Any:
    return keys._base_array


def device(original: Any) -> Any:
    """Of JAX's property or method."""
    get: Any = original.fget if isinstance(original, property) else _device_of
    return _device(get)


def device_of_keys(original: Any) -> Any:
    of_keys: Any = (
        original if isinstance(original, property) else NewerAttributes.PRNGKeyArray_device
    )
    return _device(of_keys.fget, _keys_array)


_DEFAULTS_OF_STRUCTS = [
    ("sharding", None), ("weak_type", False), ("vma", None), ("manual_axis_type", None),
    ("is_ref", False),
]  # fmt: skip


class NewerAttributes:
    """One for each attribute, by its name; of those that differ by class, by "Class_name"."""

    # ---- Arrays ------------------------------------------------------------------------------
    committed = property(lambda array: array._committed)
    PRNGKeyArray_committed = property(lambda keys: keys._base_array._committed)
    device = _device(lambda array: _device_of(array))
    PRNGKeyArray_device = _device(lambda keys: _device_of(keys._base_array), _keys_array)
    format = property(lambda array: array.layout)

    def to_device(array: Any, device: Any, *, stream: Any = None) -> Any:
        if stream is not None:
            raise NotImplementedError("stream argument of array.to_device()")
        return jax.device_put(array, device)

    def byteswap(array: Any, inplace: bool = False) -> Any:
        if inplace:
            raise ValueError("byteswap: inplace must be False; JAX arrays are immutable")
        array = jax.numpy.asarray(array)
        if array.dtype.itemsize == 1:
            return array
        if np.issubdtype(array.dtype, np.complexfloating):
            return jax.lax.complex(
                NewerAttributes.byteswap(array.real), NewerAttributes.byteswap(array.imag)
            )
        parts = jax.lax.bitcast_convert_type(array, np.uint8)
        return jax.lax.bitcast_convert_type(parts[..., ::-1], array.dtype)

    def subtract(update: Any, values: Any, **keywords: Any) -> Any:
        """x.at[i].subtract(values)"""
        return update.add(-jax.numpy.asarray(values), **keywords)

    # ---- Functions, and what is compiled of them -----------------------------------------------
    def eval_shape(jitted: Any, *args: Any, **keywords: Any) -> Any:
        return jax.eval_shape(jitted, *args, **keywords)

    out_info = property(
        lambda lowered: lowered.out_tree.unflatten(
            _infos(lowered._lowering.compile_args["global_out_avals"])
        )
    )
    Traced_out_avals = property(lambda traced: traced._out_tree.unflatten(traced.jaxpr.out_avals))
    effects = property(lambda traced: traced.jaxpr.effects)
    out_tree = property(lambda traced: traced._out_tree)
    # Those of the module, where a rule is for no fewer.
    platforms = property(lambda context: None)
    # Methods at first.
    input_formats = property(lambda compiled: _of_now(compiled.input_layouts))
    output_formats = property(lambda compiled: _of_now(compiled.output_layouts))

    # ---- Abstract values and jaxprs ------------------------------------------------------------
    def to_tangent_aval(aval: Any) -> Any:
        return aval.at_least_vspace()

    to_cotangent_aval = to_tangent_aval

    def to_ct_aval(aval: Any) -> Any:
        to = getattr(aval, "to_cotangent_aval", None) or aval.to_tangent_aval
        return to()

    def update_weak_type(aval: Any, weak_type: bool) -> Any:
        return aval.update(weak_type=weak_type)

    def instantiate(zero: Any) -> Any:
        """The zero as an array."""
        from jax._src import ad_util

        return ad_util.instantiate(zero)

    invars = property(lambda closed: closed.jaxpr.invars)
    outvars = property(lambda closed: closed.jaxpr.outvars)
    constvars = property(lambda closed: closed.jaxpr.constvars)
    debug_info = property(lambda closed: closed.jaxpr.debug_info)
    in_avals = property(lambda jaxpr: [v.aval for v in jaxpr.invars])
    out_avals = property(lambda jaxpr: [v.aval for v in jaxpr.outvars])
    num_consts = property(lambda closed: len(closed.consts))

    # ---- Shardings -----------------------------------------------------------------------------
    def with_spec(sharding: Any, spec: Any) -> Any:
        return _sharding(sharding, sharding.mesh, spec)

    def with_mesh(sharding: Any, mesh: Any) -> Any:
        return _sharding(sharding, mesh, sharding.spec)

    def NamedSharding_update(sharding: Any, **keywords: Any) -> Any:
        mesh = keywords.pop("mesh", sharding.mesh)
        spec = keywords.pop("spec", sharding.spec)
        return _sharding(sharding, mesh, spec, **keywords)

    num_devices = property(lambda sharding: len(sharding.device_set))
    has_addressable_devices = property(lambda sharding: bool(sharding.addressable_devices))

    def check_compatible_aval(sharding: Any, aval_shape: Any) -> None:
        sharding.is_compatible_aval(aval_shape)

    partitions = property(tuple)
    # Axes over which JAX has no sums to come.
    reduced: frozenset = frozenset()
    unreduced: frozenset = frozenset()

    def PartitionSpec_update(spec: Any, partitions: Any = None) -> Any:
        return type(spec)(*(spec if partitions is None else partitions))

    shape_tuple = property(lambda mesh: tuple(mesh.shape.items()))
    axis_sizes = property(lambda mesh: tuple(mesh.shape.values()))

    # ---- Others --------------------------------------------------------------------------------
    def ShapeDtypeStruct_update(struct: Any, **keywords: Any) -> Any:
        fields = {name: getattr(struct, name, None) for name in ("shape", "dtype", "sharding")}
        fields = {**fields, "weak_type": getattr(struct, "weak_type", False), **keywords}
        # The constructor may not take them yet.
        for name, default in _DEFAULTS_OF_STRUCTS:
            if fields.get(name) is default:
                fields.pop(name, None)
        return type(struct)(**fields)

    def like(cls: Any, x: Any) -> Any:
        others = {"weak_type": True} if getattr(x, "weak_type", False) else {}
        return cls(x.shape, x.dtype, sharding=getattr(x, "sharding", None), **others)

    like = classmethod(like)  # type: ignore[assignment]

    # Those of old have none.
    weak_type = False
    operand_batching_dims = ()
    start_indices_batching_dims = ()
    layout = property(lambda found: found.device_local_layout)
    dll = layout

    from_node_data_and_children = (
        staticmethod(lambda *parts: _from_node_data_and_children(*parts))
        if hasattr(jax.tree_util.PyTreeDef, "make_from_node_data_and_children")
        else None
    )

    # Where array.device is a method of JAX's, these are called where it is taken for that.
    def __call__(device: Any) -> Any:
        return device

    def Sharding___call__(sharding: Any) -> Any:
        return _only_device(sharding)


def _from_node_data_and_children(registry: Any, node_data: Any, children: Any) -> Any:
    make = jax.tree_util.PyTreeDef.make_from_node_data_and_children
    # Once it knew of one registry alone.
    takes_registry = "registry" in (make.__doc__ or "").partition(")")[0]
    return make(*[registry] * takes_registry, node_data, children)


def _of_now(layouts: Any) -> Any:
    return layouts() if callable(layouts) else layouts


def _sharding(like: Any, mesh: Any, spec: Any, **keywords: Any) -> Any:
    if not isinstance(spec, jax.sharding.PartitionSpec):
        spec = jax.sharding.PartitionSpec(*spec)
    if (kind := getattr(like, "memory_kind", None)) is not None:
        keywords.setdefault("memory_kind", kind)
    return type(like)(mesh, spec, **keywords)
