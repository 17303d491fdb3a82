"""Meshes, layouts and shard_map, as past and later releases have them.

All axes of a mesh are of type Auto on a JAX that has no types of axes yet: XLA decides how what is
computed is split over them, as it did.
"""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import jax
import numpy as np
from jaxlib import xla_client

from callbridge._core._error import CallbridgeError

try:
    from jax._src import layout as _layout
except ImportError:  # the oldest releases have none
    _layout = None  # type: ignore[assignment]


# ---- Meshes whose axes have types, and the current mesh ------------------------------------------


class AxisType(enum.Enum):
    """How the axis of a mesh is split over: Auto by XLA."""

    Auto = enum.auto()
    Explicit = enum.auto()
    Manual = enum.auto()

    def __repr__(self) -> str:
        return self.name


AxisType.__module__ = "jax.sharding"


def _check_types(function: str, axis_types: Any, count: int) -> None:
    if axis_types is None:
        return
    if len(axis_types) != count:
        raise ValueError(
            f"{function}: expected {count} axis_types, one for each axis, got {axis_types}"
        )
    # By its name: JAX may have an enumeration of its own.
    if any(getattr(type_, "name", None) != "Auto" for type_ in axis_types):
        raise NotImplementedError(
            f"{function}: jax {jax.__version__} has axes of type Auto alone, got {axis_types}"
        )


def takes_types(original: Callable) -> Callable | None:
    """Of Mesh's constructor, whichever it has: takes axis_types, which are all Auto."""
    if original in (object.__new__, object.__init__):
        return None

    @functools.wraps(original)
    def wrapper(self_or_cls: Any, *args: Any, axis_types: Any = None, **keywords: Any) -> Any:
        names = args[1] if len(args) > 1 else keywords.get("axis_names", ())
        _check_types("Mesh", axis_types, 1 if isinstance(names, str) else len(tuple(names)))
        return original(self_or_cls, *args, **keywords)

    return wrapper


def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: Sequence[str],
    axis_types: Any = None,
    *,
    devices: Any = None,
) -> Any:
    """Returns a mesh of as many devices as its axes make, in their order.

    Raises:
      ValueError: if there are fewer.
    """
    shape, names = tuple(axis_shapes), tuple(axis_names)
    _check_types("make_mesh", axis_types, len(names))
    devices = list(jax.devices() if devices is None else devices)
    count = int(np.prod(shape))
    if len(devices) < count:
        raise ValueError(
            f"Number of devices {len(devices)} must be >= the product of mesh_shape {shape}"
        )
    return jax.sharding.Mesh(np.array(devices[:count]).reshape(shape), names)


def make_mesh_takes_types(original: Callable) -> Callable:
    @functools.wraps(original)
    def wrapper(*args: Any, axis_types: Any = None, **keywords: Any) -> Any:
        names = args[1] if len(args) > 1 else keywords.get("axis_names", ())
        _check_types("make_mesh", axis_types, len(tuple(names)))
        return original(*args, **keywords)

    return wrapper


class set_mesh:  # noqa: N801
    """Makes the mesh the current one from now on; as a context manager, inside alone."""

    def __init__(self, mesh: Any) -> None:
        use: Any = getattr(jax.sharding, "use_mesh", None)
        self._mesh = mesh
        self._context = mesh if use in (None, use_mesh) else use(mesh)
        self._context.__enter__()

    def __enter__(self) -> Any:
        return self._mesh

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)


class use_mesh:  # noqa: N801
    """A context manager inside which the mesh is the current one."""

    def __init__(self, mesh: Any) -> None:
        self._mesh = mesh

    def __enter__(self) -> Any:
        return self._mesh.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._mesh.__exit__(*error)


def use_mesh_by_set_mesh(mesh: Any) -> Any:
    """jax.sharding.use_mesh, by the function that took its place."""
    return jax.set_mesh(mesh)


use_mesh_by_set_mesh.__name__ = use_mesh_by_set_mesh.__qualname__ = "use_mesh"


def current_mesh() -> Any:
    """The mesh of the innermost context, or None."""
    from jax._src import mesh as _mesh

    of_use_mesh: Any = getattr(_mesh, "get_concrete_mesh", None)
    mesh = None if of_use_mesh is None else of_use_mesh()
    if isinstance(mesh, jax.sharding.Mesh) and not mesh.empty:
        return mesh
    resources: Any = _mesh.thread_resources
    mesh = resources.env.physical_mesh
    return None if mesh.empty else mesh


# ---- Shardings as messages -----------------------------------------------------------------------


def get_op_sharding_from_serialized_proto(sharding: bytes) -> Any:
    """Returns jaxlib's OpSharding of a serialized xla.OpSharding."""
    proto = xla_client.OpSharding()
    proto.ParseFromString(sharding)
    return proto


def get_hlo_sharding_from_serialized_proto(sharding: bytes) -> Any:
    """Returns jaxlib's HloSharding of a serialized xla.OpSharding."""
    return xla_client.HloSharding.from_proto(get_op_sharding_from_serialized_proto(sharding))


def get_serialized_proto_from_hlo_sharding(sharding: Any) -> bytes:
    """Returns the serialized xla.OpSharding of jaxlib's HloSharding."""
    return sharding.to_proto().SerializeToString()


# ---- jax.experimental.layout ---------------------------------------------------------------------

# JAX has a class of layouts, and one of layouts with their sharding: DeviceLocalLayout and Layout
# until 0.6, Layout and Format since. Layout here makes objects of both, as programs of either time
# do, and they are its instances.
_DeviceLocalLayout: Any = getattr(_layout, "DeviceLocalLayout", None)
_BEFORE_FORMAT = _DeviceLocalLayout is not None

# Where layouts can be made by hand at all.
if _BEFORE_FORMAT and "major_to_minor" in inspect.signature(_DeviceLocalLayout).parameters:
    Format: Any = _layout.Layout


def _classes() -> Any:
    """The class of layouts, and that of layouts with their sharding."""
    names = ("DeviceLocalLayout", "Layout") if _BEFORE_FORMAT else ("Layout", "Format")
    return tuple(getattr(_layout, name) for name in names)


class _OfBoth(type):
    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        plain, whole = _classes()
        if _BEFORE_FORMAT:
            if "major_to_minor" in keywords or (args and isinstance(args[0], (tuple, list))):
                return plain(*args, **keywords)
            return whole(*args, **_with_old_name(keywords))
        auto = _layout.AutoLayout  # the class, or since 0.10 what stands for it
        no_layouts = (plain, auto if isinstance(auto, type) else type(auto), type(None))
        is_whole = isinstance(args[0], no_layouts) if args else not keywords
        if is_whole or keywords.keys() & {"device_local_layout", "sharding"}:
            return whole(*args, **keywords)
        return plain(*args, **keywords)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _classes())

    def __subclasscheck__(cls, subclass: type) -> bool:
        return cls in subclass.__mro__ or issubclass(subclass, _classes())

    def __getattr__(cls, name: str) -> Any:
        return getattr(_layout.Layout, name)


class Layout(metaclass=_OfBoth):
    __module__ = "jax.experimental.layout"


def _with_old_name(keywords: dict) -> dict:
    """The keywords of Layout's constructor, whose first parameter has another name today."""
    if "layout" in keywords:
        keywords["device_local_layout"] = keywords.pop("layout")
    return keywords


def layout(original: Any) -> Any:
    """Of the name Layout, on a JAX that lacks Format."""
    return Layout if "Format" in globals() else None


def takes_layout(original: Any) -> Any:
    """Of Layout's constructor: its first parameter by its name of today too, which programs give
    to Format."""
    if "Format" not in globals():
        return None

    def wrapper(self: Any, *args: Any, **keywords: Any) -> None:
        original(self, *args, **_with_old_name(keywords))

    return wrapper


# ---- shard_map -----------------------------------------------------------------------------------


def shard_map(
    f: Callable | None = None,
    /,
    *,
    out_specs: Any,
    in_specs: Any = None,
    mesh: Any = None,
    axis_names: Any = frozenset(),
    check_vma: bool = True,
) -> Any:
    """jax.experimental.shard_map.shard_map by its name and parameters of today.

    Args:
      f: what each device computes; without it a decorator is returned.
      out_specs: how the results are put together.
      in_specs: how the operands are split.
      mesh: the devices.
      axis_names: the axes that are split by hand; none: all.
      check_vma: JAX's check of what is replicated, once check_rep.

    Raises:
      CallbridgeError: UNIMPLEMENTED without a mesh or in_specs, or for some of the axes where this
        JAX splits all or none.
    """
    if f is None:
        return functools.partial(
            shard_map,
            out_specs=out_specs,
            in_specs=in_specs,
            mesh=mesh,
            axis_names=axis_names,
            check_vma=check_vma,
        )
    mesh = current_mesh() if mesh is None else mesh
    if mesh is None or in_specs is None:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"jax.shard_map without mesh or in_specs; jax {jax.__version__} has no current mesh "
            "but in jax.set_mesh, so pass both",
        )
    from jax.experimental.shard_map import shard_map as original

    others = {}
    automatic = frozenset(mesh.axis_names) - frozenset(axis_names) if axis_names else frozenset()
    if automatic:
        if "auto" not in inspect.signature(original).parameters:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"jax.shard_map over some of the mesh's axes; jax {jax.__version__} has it over "
                "all of them alone",
            )
        others["auto"] = automatic
    return original(
        f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_rep=check_vma, **others
    )


# Rules that packages registered for their primitives with jax.experimental.shard_map, up to 2025:
# jax.shard_map asks the abstract values of results what they vary over, and has no such rules.


# jax.shard_map asks the abstract values of results what they vary over, and has no such rules.


# Values of whatever kind, and over which axes one is replicated: of annotations.
MaybeTracer = Union[Any, jax.core.Tracer]
RepType = Optional[set[Any]]  # noqa: UP045, for Python 3.9


def _decorator(prim: Any) -> Callable:
    """Of rules that nothing asks for."""
    return lambda rule: rule


register_check = register_rewrite = register_rule = _decorator


def register_standard(prim: Any) -> None:
    """Of a primitive whose results vary over all axes that an operand does."""


register_standard_check = register_standard_rewrite = register_norewrite = register_standard


def register_standard_collective(prim: Any) -> None:
    """Likewise, of one over named axes."""


register_reduction_collective = register_standard_collective
