"""Primitives that JAX has no more, by which programs register rules, and know equations by.

No equation has one, and to bind one is an error.
"""

from __future__ import annotations

from typing import Any

try:
    from jax.extend.core import Primitive
except ImportError:
    from jax.core import Primitive

_made: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    if not name.endswith("_p") or name.startswith("_"):
        raise AttributeError(name)
    if name not in _made:
        _made[name] = primitive = Primitive(name[:-2])
        primitive.multiple_results = True

        @primitive.def_impl
        def refuse(*_: Any, **__: Any) -> Any:
            raise NotImplementedError(
                f"callbridge.resurrect cannot restore the primitive {name[:-2]}, only its name: "
                "JAX makes such equations no more"
            )

        primitive.def_abstract_eval(refuse)
    return _made[name]
