"""Which of the restored and wrapped names are this package's own functions and classes."""

import contextlib
import inspect
import os
import pathlib
import sys
import types

import callbridge.resurrect
from callbridge.resurrect._names import _changes
from rows import FORMS, LENT_PARAMETERS, REFUSED_PARAMETERS

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
    "get_default_device_assignment": "parameters_program.py",
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
    tested = {*tested, *REFUSED_PARAMETERS}
    tested |= {f"{path}.__init__" for path in REFUSED_PARAMETERS}
    # lent_parameters_program.py likewise; lists_program.py passes lists, refused_forms_program.py
    # the other forms.
    tested |= {f"{row.module}.{n}" for row in [*LENT_PARAMETERS, *FORMS] for n in row.names}
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


# ---- Parameters ----------------------------------------------------------------------------------

# The parameters, by function, that no call of values_program.py needs to pass another value.
LEFT_TO_DEFAULTS = {
    # They change nothing, and are there since programs pass them.
    "_experimental.barrier_wait": {"logging_name"},
    "_experimental.id_print": {"device_index", "tap_with_device"},
    "_experimental.id_tap": {"device_index", "tap_with_device"},
    "_interpreters.trace_to_jaxpr_final": {"debug_info", "keep_inputs"},
    "_translations.lower_fun": {"backend", "parallel"},
    "_translations.parameter": {"name", "replicated"},
    "_translations.register_translation": {"initial_style", "is_collective"},
    "_client.CurrentSourceInfoMetadata": {"skip_frames"},
    # Any other value is refused, or JAX of no release here takes one.
    "_experimental.call": {"call_with_device"},
    "_calls.shard_map.<locals>.wrapper": {"auto"},
    "_jax.xla_computation": {
        *("axis_env", "in_parts", "instantiate_const_outputs", "out_parts", "tuple_args")
    },
    "_experimental.disable_x64": {"new_val"},
    "_translations.sharding_to_proto": {"nested"},
    "_old_signatures.naryop": {"allow_opaque_dtype"},
    "_old_signatures.naryop_dtype_rule": {"allow_opaque_dtype"},
    "_old_signatures.standard_primitive": {"named_shape_rule", "translation_rule"},
    # wrapped_program.py passes them on GPUs.
    "_registries.xlas_function.<locals>.wrapper": {"traits"},
}


class Passed:
    """What functions of this package are called with."""

    def __init__(self):
        self._passed = {}  # by code and parameter: the values, a few of them

    @contextlib.contextmanager
    def noting(self):
        def note(frame, event, _):
            if event == "call" and frame.f_code.co_filename.startswith(FOLDER):
                code = frame.f_code
                names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                for name in names:
                    values = self._passed.setdefault((code, name), [])
                    value = frame.f_locals.get(name)
                    if len(values) < 9 and not any(value is known for known in values):
                        values.append(value)

        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def left_to_defaults(self):
        """The parameters, "_module.function(parameter)", of functions that are called and that this
        package restores, for which no call had another value than the default."""
        left = set()
        for name in callbridge.resurrect.names():
            function = value_of(name) if name.name else None
            function = getattr(function, "__func__", function)
            if not isinstance(function, types.FunctionType) or not is_ours(function):
                continue
            code = function.__code__
            file = os.path.basename(code.co_filename).removesuffix(".py")
            own = f"{file}.{getattr(code, 'co_qualname', function.__qualname__)}"
            for parameter in inspect.signature(function, follow_wrapped=False).parameters.values():
                values = self._passed.get((code, parameter.name))
                if parameter.default is not parameter.empty and values is not None:
                    if all(_is_same(value, parameter.default) for value in values):
                        left.add((own, parameter.name))
        return left


def _is_same(value, default):
    try:
        return value is default or bool(value == default)
    except Exception:
        return False
