"""All that differs between the releases of JAX, as data. No other module compares releases."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import jaxlib

from callbridge._core._error import HOST, CallbridgeError
from callbridge._core._installation import NEWEST, OLDEST


class Path(NamedTuple):
    """A way through XLA, the same in all releases that have it."""

    custom_call_api_version: int  # of jax.ffi.ffi_call
    registration_api_version: int  # of XLA's registries, and of jax.ffi.register_ffi_target
    entry_point: str  # the field of callbridge_entry_points


# In the order of registering. If a name is registered already with another address, the typed
# registry raises an exception, while the untyped one ends the process.
PATHS = {
    "typed": Path(custom_call_api_version=4, registration_api_version=1, entry_point="typed"),
    "version_3": Path(custom_call_api_version=3, registration_api_version=0, entry_point="untyped"),
}

# The names that jax.ffi.register_ffi_target uses.
JAX_PLATFORM = {"Host": "cpu", "CUDA": "CUDA", "ROCM": "ROCM"}


class Runtime(NamedTuple):
    """A release of JAX, and those after it up to the next row. Names are where they are in JAX."""

    release: tuple[int, ...]
    typeof: str  # the function that returns the shape and dtype of an array or a tracer
    ffi_call: str
    ffi_lowering: str  # the rule that ffi_call lowers by, of the same target
    primitive: str  # the class
    register: str
    # The function that registers a target as one whose calls XLA splits along leading batch
    # dimensions; None: XLA has no such targets.
    register_batch_partitionable: str | None
    # Shardy's rules for such calls are marked as custom ones, which XLA refused before.
    marks_sharding_rules: bool
    # False: XLA has one registry, of untyped functions.
    registers_by_api_version: bool
    has_typed_ffi: bool
    # The names of XLA's registered targets can be listed.
    lists_targets: bool
    # XLA has the stage "instantiate" and today's stage numbers: it calls typed handlers at all
    # stages, and calls the typed entry points of untyped targets. (It has FFI 0.0 then;
    # typed_ffi/runtime_versions.h has the version of each release.)
    has_instantiate: bool
    # StableHLO reads calls of version 4, with a dictionary as the operation's own backend_config.
    reads_typed_calls: bool
    # XLA asks a handler for its version when it is registered, and refuses what it cannot call.
    asks_handlers: bool
    # XLA takes the same handler of the same name again.
    takes_same_handler_again: bool
    # XLA:CPU keeps the state of typed handlers: it calls their stage "instantiate".
    keeps_state: bool
    # XLA:GPU records calls of typed handlers that have the trait into command buffers. (0.4.34 asks
    # for it, and then raises bad_function_call.)
    records_typed_calls: bool
    # NumPy's names of the element types that XLA does not pass to custom calls...
    lacks_types: tuple[str, ...]
    # ... and of those without a number in its FFI, which handlers would take for another type.
    typed_lacks_types: tuple[str, ...]
    # XLA passes tokens to typed handlers; it ended the process before. (Found by calls of 0.4.30,
    # 0.4.31, 0.4.34, 0.4.38, 0.5.0 and 0.5.1.)
    typed_takes_tokens: bool
    # The element types of arrays that XLA decodes as attributes of typed calls, by NumPy's names...
    array_attributes: tuple[str, ...]
    # ... and whether it decodes dictionaries in the dictionary.
    has_dictionary_attributes: bool
    # The functions of jax.experimental.shard_map that register a primitive; for OWN_FFI_CALL.
    shard_map_rules: tuple[str, ...]
    # The attribute of types with the axes of shard_map over which values vary; None: there is none.
    varying_axes: str | None
    # The function, and its keywords, that makes a value vary over more axes.
    vary: tuple[str, tuple[tuple[str, str], ...]] | None
    # jaxlib's MLIR bindings can traverse modules and write portable artifacts.
    upgrades_artifacts: bool
    # XLA:CPU calls untyped functions rightly in programs that it reads back, from its compilation
    # cache or a serialized executable. Where it does not, it leaves open in such programs whether a
    # call's result is a tuple: memory decides, and a target writes its result over a table of
    # pointers.
    reads_back_untyped_calls: bool
    # JAX's own maybe_jvp_tracer() accepts None as the tangent of an operand without one.
    jvp_takes_none: bool


# For releases whose own functions lack something that callbridge needs.
OWN_FFI_CALL = "callbridge.jax._ffi_call.ffi_call"
_OWN_FFI_LOWERING = "callbridge.jax._ffi_call.ffi_lowering"

_SUB_BYTE = ("int2", "uint2", "int4", "uint4")
_FLOAT8 = ("e4m3fn", "e4m3b11fnuz", "e4m3fnuz", "e5m2", "e5m2fnuz")

_0_4_13 = Runtime(
    release=OLDEST,
    typeof="jax.api_util.shaped_abstractify",
    ffi_call=OWN_FFI_CALL,
    ffi_lowering=_OWN_FFI_LOWERING,
    primitive="jax._src.core.Primitive",
    register_batch_partitionable=None,
    marks_sharding_rules=False,
    register="jaxlib.xla_client.register_custom_call_target",
    registers_by_api_version=False,
    has_typed_ffi=False,
    lists_targets=False,
    has_instantiate=False,
    keeps_state=False,
    reads_typed_calls=False,
    asks_handlers=False,
    takes_same_handler_again=False,
    records_typed_calls=False,
    lacks_types=_SUB_BYTE,
    typed_lacks_types=(),
    typed_takes_tokens=False,
    array_attributes=(),
    has_dictionary_attributes=False,
    shard_map_rules=("register_standard",),
    varying_axes=None,
    vary=None,
    upgrades_artifacts=False,
    reads_back_untyped_calls=True,
    jvp_takes_none=True,
)
_0_4_16 = _0_4_13._replace(
    release=(0, 4, 16),
    # JAX's own check takes no results of calls on constants alone.
    shard_map_rules=("register_check", "register_standard_rewrite"),
)
_0_4_30 = _0_4_16._replace(
    release=(0, 4, 30),
    registers_by_api_version=True,
    has_typed_ffi=True,
    typed_lacks_types=tuple(f"float8_{kind}" for kind in _FLOAT8),
    lists_targets=True,
    array_attributes=("int8", "int16", "int32", "int64", "float32", "float64"),
)
_0_4_31 = _0_4_30._replace(
    release=(0, 4, 31),
    has_instantiate=True,
    reads_typed_calls=True,
    takes_same_handler_again=True,
    typed_lacks_types=(),
)
_0_4_32 = _0_4_31._replace(release=(0, 4, 32), asks_handlers=True)
_0_4_34 = _0_4_32._replace(release=(0, 4, 34), keeps_state=True, has_dictionary_attributes=True)
# jax.extend.ffi.ffi_call (since this release) and jax.ffi.ffi_call (since 0.5.0) exist, but their
# vmap without a method is a deprecated loop, and shard_map does not support the former.
_0_4_38 = _0_4_34._replace(
    release=(0, 4, 38),
    records_typed_calls=True,
    lacks_types=(),
    typed_lacks_types=_SUB_BYTE,
    array_attributes=(*_0_4_34.array_attributes, "uint8", "uint16", "uint32", "uint64"),
)
# Measured: 0.5.3 and 0.6.2 refuse None; 0.4.38 and 0.7.2 accept it.
_0_5_0 = _0_4_38._replace(release=(0, 5, 0), typed_takes_tokens=True, jvp_takes_none=False)
_0_5_1 = _0_5_0._replace(
    release=(0, 5, 1),
    register_batch_partitionable="jax.ffi.register_ffi_target_as_batch_partitionable",
    reads_back_untyped_calls=False,
)
_0_5_3 = _0_5_1._replace(
    release=(0, 5, 3),
    primitive="jax.extend.core.Primitive",
    typeof="jax.typeof",
    register="jax.ffi.register_ffi_target",
)
_0_6_0 = _0_5_3._replace(
    release=(0, 6, 0),
    ffi_call="jax.ffi.ffi_call",
    ffi_lowering="jax.ffi.ffi_lowering",
    marks_sharding_rules=True,
    shard_map_rules=(),
    varying_axes="vma",
    vary=("jax.lax.pvary", ()),
)
_0_6_2 = _0_6_0._replace(release=(0, 6, 2), typed_lacks_types=(), upgrades_artifacts=True)
_0_7_0 = _0_6_2._replace(release=(0, 7, 0), jvp_takes_none=True)
_0_8_2 = _0_7_0._replace(release=(0, 8, 2), vary=("jax.lax.pcast", (("to", "varying"),)))
# Untyped calls, measured on each release from 0.4.13 on: right up to 0.5.0, and again from here on.
_0_10_0 = _0_8_2._replace(
    release=(0, 10, 0),
    varying_axes="manual_axis_type",
    reads_back_untyped_calls=True,
)
# In ascending order; the last row describes NEWEST.
RUNTIMES = (
    *(_0_4_13, _0_4_16, _0_4_30, _0_4_31, _0_4_32, _0_4_34, _0_4_38),
    *(_0_5_0, _0_5_1, _0_5_3, _0_6_0, _0_6_2, _0_7_0, _0_8_2, _0_10_0),
)

# By platform: JAX's list, until its backend starts, of (name, target, API version, ...)...
PENDING_TARGETS = "jaxlib.xla_client._custom_callback"
# ... and a platform's function that returns XLA's targets by name: capsules, or dicts of them.
XLA_TARGETS = "jaxlib.xla_client.custom_call_targets"

# The JAX backends that have started.
STARTED_BACKENDS = "jax._src.xla_bridge._backends"

# XLA's own function, which jax.ffi has by another name.
BATCH_PARTITIONABLE = "jaxlib.xla_client.register_custom_call_as_batch_partitionable"

# JAX leaves files below a path out of the locations that it writes into programs.
LEAVE_OUT_OF_LOCATIONS = "jax._src.source_info_util.register_exclusion"

# The primitives whose lowering asks for the devices of the program.
NEEDS_DEVICES = "jax._src.dispatch.prim_requires_devices_during_lowering"

# Makes the MLIR attributes of JAX's own ffi_call, and says how it makes those of a class.
IR_ATTRIBUTE = "jax._src.interpreters.mlir.ir_attribute"
REGISTER_ATTRIBUTE_HANDLER = "jax._src.interpreters.mlir.register_attribute_handler"

# The name of the list, in jax._src.effects, of effects that a jaxpr may have; for OWN_FFI_CALL.
EFFECT_LISTS = (
    "lowerable_effects",
    "control_flow_allowed_effects",
    "custom_derivatives_allowed_effects",
    "remat_allowed_effects",
)


@functools.lru_cache
def parse_release(version: str) -> tuple[int, ...]:
    """Returns (0, 5, 3) for "0.5.3.dev20250401"."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    assert numbers is not None, version
    return tuple(map(int, numbers[0].split(".")))


def release_text(release: tuple[int, ...]) -> str:
    """Returns "0.5.3" for (0, 5, 3)."""
    return ".".join(map(str, release))


@functools.cache
def runtime_of(release: tuple[int, ...]) -> Runtime:
    """Returns its row, or the one before it. Raises UNIMPLEMENTED for releases before the first."""
    rows = [row for row in RUNTIMES if row.release <= release]
    if not rows:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"callbridge.jax runs on jax {release_text(RUNTIMES[0].release)} and newer; "
            f"this is jax {release_text(release)}: pip install 'jax>={release_text(OLDEST)}'",
        )
    return rows[-1]


def fastest_path(release: tuple[int, ...], platform: str) -> str:
    """The fastest path to an untyped target that XLA serves rightly and without a warning.

    It is "typed" where XLA:CPU does not read untyped calls back, since any program may be kept in a
    cache; and in releases after NEWEST: XLA announced that it will remove version 3.
    """
    if platform == HOST and release <= NEWEST and runtime_of(release).reads_back_untyped_calls:
        return "version_3"
    return "typed"


def release_of_xla(jax_version: str, jaxlib_version: str) -> tuple[int, ...]:
    """The release whose row describes both: JAX takes a jaxlib that is a little older than itself,
    and what differs between their rows is XLA's."""
    return min(parse_release(jax_version), max(OLDEST, parse_release(jaxlib_version)))


def this_jax(jax_version: str, jaxlib_version: str) -> str:
    """Returns "jax 0.5.3", and "with jaxlib 0.5.1" if that is another release, for errors."""
    text = f"jax {jax_version}"
    if parse_release(jaxlib_version) == parse_release(jax_version):
        return text
    return f"{text} with jaxlib {jaxlib_version}"


RELEASE = parse_release(jax.__version__)
RUNTIME = runtime_of(release_of_xla(jax.__version__, jaxlib.__version__))


def is_since(release: str) -> bool:
    """Returns true if this JAX is "0.5.3", or what is named, or newer."""
    return parse_release(release) <= RELEASE


def may_be_since(release: str, recorded: Iterable[str]) -> bool:
    """Returns true if this JAX is newer than the last of the recorded releases before that one:
    what they say to be so since `release` may be so here."""
    before = [parse_release(r) for r in recorded if parse_release(r) < parse_release(release)]
    return not before or max(before) < RELEASE


def last_not_after_xla(releases: Iterable[str]) -> int:
    """Returns which of these releases, in ascending order, is the last that this jaxlib is not
    older than."""
    release = parse_release(jaxlib.__version__)
    return sum(parse_release(each) <= release for each in releases) - 1


def jax_function(name: str) -> Any:
    """Returns the function that a row names."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def jax_function_or(name: str, default: Any) -> Any:
    """Likewise for a private name; returns `default` if a later release lacks it."""
    try:
        return jax_function(name)
    except (ImportError, AttributeError):
        return default


def unimplemented(what: str, can: Callable[[Runtime], bool]) -> CallbridgeError:
    """Returns the error for `what`, which this JAX lacks and the first row with true `can` has."""
    first = next(row.release for row in RUNTIMES if can(row))
    return CallbridgeError(
        "UNIMPLEMENTED",
        f"{what} needs jax {release_text(first)} or newer; this is "
        f"{this_jax(jax.__version__, jaxlib.__version__)}",
    )
