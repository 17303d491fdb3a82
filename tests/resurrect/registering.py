"""What the programs about registration share: handlers of the suite, and ways to lower a call."""

import ctypes
import importlib

import jax
import numpy as np
from jax.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

try:
    from jax.extend.core import Primitive
except ImportError:
    from jax.core import Primitive

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype = ctypes.c_char_p
_name.argtypes = (ctypes.py_object,)

# Before resurrect is imported, as a package may have bound it.
bound_before = xla_client.register_custom_call_target


def capsule(address, name=None):
    return _new(address, name, None)


def address_in(made):
    return _pointer(made, _name(made))


class Library:
    """One library of handlers: its functions as capsules without a name, as JAX makes them."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)

    def has(self, symbol):
        return hasattr(self._library, symbol)

    def address(self, symbol):
        return ctypes.cast(getattr(self._library, symbol), ctypes.c_void_p).value

    def handler(self, symbol):
        return capsule(self.address(symbol))

    def state(self, of="state"):
        """The handler that counts; of "note", the one that keeps a number."""
        return {stage: self.handler(f"{of}_{stage}") for stage in ("instantiate", "execute")}

    def register_counter(self, register_type, register_type_id):
        self.register_type("counter", register_type, register_type_id)

    def register_type(self, name, register_type, register_type_id, **options):
        """By the form of the library's headers."""
        type_id = self._result(f"{name}_type_id")
        if self.has(f"{name}_type_info"):
            info = self._result(f"{name}_type_info")
            register_type(name, {"type_id": type_id, "type_info": info}, **options)
        else:
            register_type_id(name, type_id, **options)

    def _result(self, symbol):
        function = getattr(self._library, symbol)
        function.restype = ctypes.c_void_p
        return capsule(function())


def ffi():
    """The module that this JAX has its FFI's functions in; None where it has none."""
    for name in ("jax.ffi", "jax.extend.ffi"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def registrars():
    """JAX's functions that register a typed handler, by name."""
    found = {
        "xla_client": lambda name, fn, platform="cpu": xla_client.register_custom_call_target(
            name, fn, platform=platform, api_version=1
        )
    }
    if hasattr(xla_client, "register_custom_call_handler"):
        found["bound before"] = lambda name, fn, platform="cpu": bound_before(
            name, fn, platform=platform, api_version=1
        )
        found["extension module"] = lambda name, fn, platform="Host": (
            xla_client._xla.register_custom_call_target(name, fn, platform, 1, 0)
        )
    if hasattr(ffi(), "register_ffi_target"):
        found["ffi"] = ffi().register_ffi_target
    try:
        from jax.lib.xla_client import register_custom_call_target as old
    except (ImportError, AttributeError):  # outside of revived()
        return found
    found["jax.lib"] = lambda name, fn, platform="cpu": old(
        name, fn, platform=platform, api_version=1
    )
    return found


def i32(value):
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


def _types(context):
    return [
        ir.RankedTensorType.get(aval.shape, mlir.dtype_to_ir_type(aval.dtype))
        for aval in context.avals_out
    ]


def _generic(target, config):
    return {
        "call_target_name": ir.StringAttr.get(target),
        "has_side_effect": ir.BoolAttr.get(False),
        "called_computations": ir.ArrayAttr.get([]),
        "api_version": i32(4),
        "backend_config": ir.DictAttr.get(config),
    }


def by_mlir(target, attributes):
    def lower(context, *operands):
        return mlir.custom_call(
            target,
            result_types=_types(context),
            operands=operands,
            api_version=4,
            backend_config=attributes(),
        ).results

    return lower


def by_mlir_with(resurrect):
    """Likewise, where mlir.custom_call may be gone: inside revived()."""

    def rule(target, attributes):
        lower_inside = by_mlir(target, attributes)

        def lower(context, *operands):
            with resurrect.revived():
                return lower_inside(context, *operands)

        return lower

    return rule


def by_generic_builder(target, attributes):
    def lower(context, *operands):
        return stablehlo.CustomCallOp.build_generic(
            results=_types(context),
            operands=list(operands),
            attributes=_generic(target, attributes()),
        ).results

    return lower


def by_class(target, attributes):
    def lower(context, *operands):
        return stablehlo.CustomCallOp(
            _types(context),
            list(operands),
            target,
            api_version=i32(4),
            backend_config=ir.DictAttr.get(attributes()),
            has_side_effect=ir.BoolAttr.get(False),
            called_computations=ir.ArrayAttr.get([]),
        ).results

    return lower


def by_ffi_lowering(target, attributes):
    def lower(context, *operands):
        return ffi().ffi_lowering(target, backend_config=attributes())(context, *operands)

    return lower


def lowerings():
    """Functions that make a lowering rule of a target and a function of attributes, by name."""
    found = {"generic builder": by_generic_builder, "class": by_class, "mlir": by_mlir}
    if hasattr(ffi(), "ffi_lowering"):
        found["ffi_lowering"] = by_ffi_lowering
    return found


def caller(lowering, target, result, attributes=dict):
    """A function of arrays that calls the typed handler `target`."""
    primitive = Primitive(f"{target} lowered")
    primitive.def_abstract_eval(lambda *_: jax.core.ShapedArray(result.shape, result.dtype))
    mlir.register_lowering(primitive, lowering(target, attributes))
    return jax.jit(lambda *operands: primitive.bind(*operands))


def start_of(value):
    """Attributes of the suite's handlers of state."""
    return lambda: {"start": i32(value)}


def like(*elements):
    return np.array(elements, np.float32)
