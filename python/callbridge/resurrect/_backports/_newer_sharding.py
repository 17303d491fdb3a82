"""Meshes whose axes have types, and the current mesh, where JAX has neither yet.

All axes are of type Auto: XLA decides how what is computed is split over them, as it did.
"""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jaxlib import xla_client


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


# ---- jax.experimental.layout's names of today, where Layout is a layout and its sharding yet -----

# Format is that class, and Layout makes objects of it and layouts alone, as programs of either time
# do; where layouts can be made by hand at all.


try:
    from jax._src import layout as _layout
except ImportError:  # the oldest releases have none
    _layout = None  # type: ignore[assignment]

_Format: Any = getattr(_layout, "Layout", None)
_Layout: Any = getattr(_layout, "DeviceLocalLayout", None)

if _Layout is not None and "major_to_minor" in inspect.signature(_Layout).parameters:
    Format = _Format


class _OfBoth(type):
    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        if "major_to_minor" in keywords or (args and isinstance(args[0], (tuple, list))):
            return _Layout(*args, **keywords)
        if "layout" in keywords:
            keywords["device_local_layout"] = keywords.pop("layout")
        return _Format(*args, **keywords)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (_Layout, _Format))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return cls in subclass.__mro__ or issubclass(subclass, (_Layout, _Format))

    def __getattr__(cls, name: str) -> Any:
        return getattr(_Format, name)


class _BothLayouts(metaclass=_OfBoth):
    __module__ = "jax.experimental.layout"


_BothLayouts.__name__ = _BothLayouts.__qualname__ = "Layout"


def layout(original: Any) -> Any:
    """Of the name Layout."""
    return _BothLayouts if "Format" in globals() else None


def takes_layout(original: Any) -> Any:
    """Of Layout's constructor: its first parameter by its name of today too, which programs give
    to Format."""
    if "Format" not in globals():
        return None

    def wrapper(self: Any, *args: Any, **keywords: Any) -> None:
        if "layout" in keywords:
            keywords["device_local_layout"] = keywords.pop("layout")
        original(self, *args, **keywords)

    return wrapper
