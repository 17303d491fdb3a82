"""jax.ffi, also on jax 0.4.30 to 0.4.38, which have only parts of it and elsewhere.

If the package requires jax>=0.5, import these names from jax.ffi, and delete this file.
"""

import functools

__all__ = ["ffi_call", "pycapsule", "register_ffi_target"]

try:
    from jax.ffi import ffi_call, pycapsule, register_ffi_target
except ImportError:
    from jax.core import Primitive, ShapedArray
    from jax.custom_batching import sequential_vmap
    from jax.extend.ffi import ffi_lowering, pycapsule
    from jax.interpreters import mlir, xla
    from jax.lib import xla_client

    def register_ffi_target(name, fn, platform):
        xla_client.register_custom_call_target(name, fn, platform, api_version=1)

    @functools.lru_cache(None)
    def _primitive(name):
        def lower(context, *operands, result, **attributes):
            return ffi_lowering(name)(context, *operands, **attributes)

        primitive = Primitive(name)
        primitive.def_impl(functools.partial(xla.apply_primitive, primitive))
        primitive.def_abstract_eval(lambda *_, result, **attributes: ShapedArray(*result))
        mlir.register_lowering(primitive, lower)
        return primitive

    def ffi_call(name, result, vmap_method):
        """A function with one result. In jax.vmap it is called once for each element."""
        bind = functools.partial(_primitive(name).bind, result=(result.shape, result.dtype))
        return lambda *operands, **attributes: sequential_vmap(
            functools.partial(bind, **attributes)
        )(*operands)
