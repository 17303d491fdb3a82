"""jax.experimental.layout's names of today, where Layout is a layout and its sharding yet.

Format is that class, and Layout makes objects of it and layouts alone, as programs of either time
do; where layouts can be made by hand at all.
"""

from __future__ import annotations

import inspect
from typing import Any

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
