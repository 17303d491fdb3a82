"""Which of the restored and wrapped names are this package's own functions and classes."""

import inspect
import os
import pathlib

import callbridge.resurrect
from callbridge.resurrect import _changes, _lost_parameters, _newer_parameters

FOLDER = os.path.dirname(callbridge.resurrect.__file__)

MEMBERS = pathlib.Path(__file__).with_name("member_values.py")

# Where the values of names are tested that a call alone does not show.
ELSEWHERE = {
    "default_process_primitive": "unhashable_program.py",
    "Config.read": "wrapped_program.py",
    "Config.update": "wrapped_program.py",
    "is_known_platform": "other_platforms_program.py",
    "__version__": "release_program.py",
    "LoweringCacheKey.__init__": "unhashable_program.py",
    "LoweringCacheKey.__new__": "unhashable_program.py",
    "register_custom_call_target": "refusals_program.py",
    "register_cpu_custom_call_target": "packages/of_2020.py",
    "register_custom_type_id": "any_handler_program.py",
    "register_custom_type": "any_handler_program.py",
    "register_ffi_type_id": "wrapped_program.py",
    "custom_call": "untyped_program.py",
    "CustomCallOp.__init__": "untyped_program.py",
    "CustomCallOp.build_generic": "untyped_program.py",
    "ffi_call": "typed_program.py",
    "XlaBuilder": "computations_program.py",
    "lower_jaxpr_to_module": "wrapped_program.py",
    "deserialize": "wrapped_program.py",
    "ArrayMeta.__subclasscheck__": "wrapped_program.py",
    "deserialize_and_load": "wrapped_program.py",
    # What XLA calls by itself when it is asked for targets.
    "_custom_callback": "wrapped_program.py",
    "_custom_callback_handler": "wrapped_program.py",
    "_custom_type_id": "wrapped_program.py",
    "_custom_type_id_handler": "wrapped_program.py",
}


def value_of(name):
    owner = _changes._find(name.module)
    return vars(owner)[name.name] if isinstance(owner, type) else getattr(owner, name.name)


def is_ours(value):
    """Functions and classes of this package, and JAX's functions in ours."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, property):
        value = value.fget
    if not callable(value):
        return False
    code = getattr(value, "__code__", None)
    if code is not None:
        return code.co_filename.startswith(FOLDER)
    return str(getattr(value, "__module__", "")).startswith("callbridge") and (
        isinstance(value, type) or inspect.isroutine(value)
    )


def untested(tested):
    """The names that are ours, and that neither `tested`, by "module.name", nor one of the same
    value has."""
    values = {f"{name.module}.{name.name}": value_of(name) for name in callbridge.resurrect.names()
              if name.name}  # fmt: skip
    # parameters_program.py passes each of the parameters that are refused.
    tested = {*tested, *_lost_parameters.NOT_HAD}
    tested |= {f"{path}.__init__" for path in _lost_parameters.NOT_HAD}
    # lent_parameters_program.py likewise.
    tested |= {f"{m}.{f}" for m, _, names, _ in _newer_parameters.rows() for f in names.split()}
    members = MEMBERS.read_text()
    tested |= {path for path in values if f'"{".".join(path.split(".")[-2:])}"' in members}
    known = {id(value) for path, value in values.items() if path in tested}
    return sorted(
        path
        for path, value in values.items()
        if is_ours(value)
        and path not in tested
        and id(value) not in known
        and not any(path.endswith(f".{name}") for name in ELSEWHERE)
    )
