"""jax.experimental.layout.Layout: once a layout and its sharding, and a layout alone since 0.7.

Programs of either time make objects by the name, and ask isinstance() of them.
"""

from __future__ import annotations

from typing import Any

from jax._src import layout as _layout

_OLD = {"device_local_layout", "sharding"}
_AUTO = _layout.AutoLayout  # the class, or since 0.10 what stands for it
_NO_LAYOUTS: Any = (_layout.Layout, _AUTO if isinstance(_AUTO, type) else type(_AUTO), type(None))


class _OfBoth(type):
    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        is_old = isinstance(args[0], _NO_LAYOUTS) if args else not keywords
        if is_old or keywords.keys() & _OLD:
            return _layout.Format(*args, **keywords)
        return _layout.Layout(*args, **keywords)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (_layout.Layout, _layout.Format))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return cls in subclass.__mro__ or issubclass(subclass, (_layout.Layout, _layout.Format))

    def __getattr__(cls, name: str) -> Any:
        return getattr(_layout.Layout, name)


class Layout(metaclass=_OfBoth):
    __module__ = "jax.experimental.layout"
