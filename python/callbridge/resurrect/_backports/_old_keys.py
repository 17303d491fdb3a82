"""jax.random.PRNGKeyArray: the class of keys that have a type, and of their tracers.

JAX's own class of keys is a jax.Array now, and not the class of tracers of keys.
"""

from __future__ import annotations

from typing import Any

import jax
from jax._src import prng  # type: ignore[attr-defined]


class _OfKeys(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is PRNGKeyArray:
            raise TypeError("cannot make a PRNGKeyArray; use jax.random.key")
        return super().__call__(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is not PRNGKeyArray:
            return super().__instancecheck__(instance)
        if isinstance(instance, jax.core.Tracer):
            dtype = getattr(instance.aval, "dtype", None)
            return dtype is not None and jax.numpy.issubdtype(dtype, jax.dtypes.prng_key)
        return isinstance(instance, prng.PRNGKeyArray)

    def __subclasscheck__(cls, subclass: type) -> bool:
        is_of_jax = cls is PRNGKeyArray and prng.PRNGKeyArray in subclass.__mro__
        return is_of_jax or super().__subclasscheck__(subclass)


class PRNGKeyArray(metaclass=_OfKeys):
    __module__ = "jax.random"
