"""Rows of the tables of JAX's names.

A row says where programs look for names, which releases lack them, and what stands for them there
or why nothing can; or what a name that JAX has must take that JAX's own refuses.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn, Union

from callbridge._core import _jax_names
from callbridge.jax._runtimes import is_since, may_be_since


class From(NamedTuple):
    """What the first of the modules that has it has by the name, or by that in `names`."""

    modules: tuple[str, ...]
    names: Mapping[str, str]


class Modules(NamedTuple):
    """The module of that path, by name."""

    paths: Mapping[str, str]


class Members(NamedTuple):
    """What that class has by the name, or by that in `names`."""

    of: type
    names: Mapping[str, str]


class Refused(NamedTuple):
    """Nothing can: an error says so, for a key of REASONS."""

    reason: str


class NoInstances(NamedTuple):
    """Likewise, of a class: one that nothing is an instance of.

    Attributes:
      base: the path of the class that it was made of.
      match_args: what a match pattern takes by position.
    """

    reason: str
    base: str
    match_args: tuple[str, ...]


StandIn = Union[From, Modules, Refused, NoInstances]
# Changes the keywords of a call of the function that is named, and returns the arguments.
Adapter = Callable[[str, tuple, dict], tuple]


class Row(NamedTuple):
    """Attributes:
    module: where programs look for the names; or the class.
    names: there.
    stand_ins: what stands for them, the first that JAX has, when a program asks for one.
    at_once: what does from the import of callbridge.resurrect on. A module that JAX lacks is made.
    wrapped_by: what is given JAX's own, and returns what takes its place, or None to leave it.
    wrapped_until: the first release whose own needs that no more; "" if all do.
    asks_first: that wrapper calls JAX's own first.
    members: what stands for members of JAX's classes.
    adapters: what makes a call that passes other parameters one that JAX's function takes.
    came: the first release that has the names, or parameters, where older ones lack them.
    gone: the first release without the parameters or members. (_jax_names.py says it of names.)
    refused: the first release that has the names only in order to refuse what they took.
    """

    module: str
    names: tuple[str, ...]
    stand_ins: tuple[StandIn, ...] = ()
    at_once: tuple[StandIn, ...] = ()
    wrapped_by: From | Callable[[Any], Any] | None = None
    wrapped_until: str = ""
    asks_first: bool = False
    members: Members | None = None
    adapters: tuple[Adapter, ...] = ()
    came: str = ""
    gone: str = ""
    refused: str = ""

    @property
    def may_be_needed(self) -> bool:
        """False where this JAX has what came, or still has what went."""
        return (not self.came or not is_since(self.came)) and (
            not self.gone or may_be_gone(self.gone)
        )

    @property
    def is_between(self) -> bool:
        """True in a release between the last recorded one without the change and the first with
        it: only a call tells whether it is made."""
        since = self.gone or self.came
        return bool(since) and may_be_gone(since) and not is_since(since)


def row(
    module: str,
    names: str,
    *stand_ins: StandIn,
    at_once: bool | StandIn = False,
    **rest: Any,
) -> Row:
    """A row; `at_once=True` where the stand-ins are those from the import on too."""
    now = stand_ins if at_once is True else (at_once,) if at_once else ()
    return Row(module, tuple(names.split()), stand_ins, now, **rest)


def origin(*modules: str, names: Mapping[str, str] = {}) -> From:  # noqa: B006, as it is not written
    return From(modules, names)


def no_instances(reason: str, base: str = "builtins.object", match_args: str = "") -> NoInstances:
    return NoInstances(reason, base, tuple(match_args.split()))


@functools.cache
def may_be_gone(since: str) -> bool:
    """Returns true if this JAX is newer than the last recorded release that had what is gone in
    `since`; is_since(since) tells where it is gone for sure."""
    return may_be_since(since, _jax_names.RELEASES)


@functools.cache
def gone_in() -> dict[str, dict[str, str]]:
    """By module and name, the first release without it."""
    return {
        module: {name: release for release, names in releases.items() for name in names.split()}
        for module, releases in _jax_names.GONE.items()
    }


# ---- What nothing can stand for ------------------------------------------------------------------


# What JAX lacks, and what there is instead.
REASONS = {
    "axis-substitution": "axis names are looked up when a jaxpr is evaluated, and no longer "
    "substituted in it",
    "backward-pass": "it took jaxprs apart as JAX did then; use jax.vjp or jax.linear_transpose",
    "call-primitives": "JAX removed primitives that call functions; use jax.jit, or a primitive "
    "with a jaxpr among its parameters",
    "clients": "jaxlib makes clients of PJRT plugins only; use jax.extend.backend.get_backend",
    "compiled-functions": "it was a part of jax.jit's machinery; use jax.jit",
    "copies": "use jax.device_put with a jax.sharding.Sharding",
    "custom-transpose": "JAX removed custom transposes; use jax.custom_vjp",
    "debug-info": "functions have their argument names in the debug_info of jax.api_util",
    "dynamic-shapes": "JAX removed arrays of dynamic shape; use jax.export.symbolic_shape",
    "executables": "jaxlib's executables are run by what jax.jit compiles; use jax.stages.Compiled",
    "experiment": "JAX tried it and removed it",
    "hlo-modules": "jaxlib has no HLO modules in Python; use jax.jit(f).lower(x).as_text('hlo')",
    "hlo-passes": "jaxlib has no HLO passes in Python; use jax.jit(f).lower(x).compile().as_text()",
    "infeed": "JAX removed infeed and outfeed; use jax.experimental.io_callback",
    "jaxlib": "jaxlib removed it from its Python bindings",
    "jaxlib-lowerings": "jaxlib has no lowerings of its kernels any more; call their handlers by "
    "jax.ffi.ffi_call",
    "jaxpr-tools": "JAX has no tools for jaxprs any more; walk the equations of jax.make_jaxpr",
    "jumbles": "JAX removed jumbles; pad the arrays, and use jax.vmap",
    "lowering": "it was a part of how JAX lowers, which is another now; see "
    "jax.interpreters.mlir.LoweringRuleContext",
    "main-traces": "JAX's tracing has no stack of main traces; set a jax.core.Trace with "
    "jax.extend.core.set_current_trace",
    "mhlo": "jaxlib has no MHLO; StableHLO has no such operation: jaxlib.mlir.dialects.stablehlo",
    "mlir": "LLVM removed it from MLIR's Python bindings",
    "pmap": "jax.pmap is made of jax.shard_map, and has no primitive; use jax.shard_map",
    "pmap-sharding": "jax.pmap is made of jax.shard_map; use jax.sharding.NamedSharding",
    "positional-sharding": "JAX removed it; use jax.sharding.NamedSharding",
    "private": "JAX made it private, and removed it; use jax.lax.all_gather in jax.shard_map",
    "quasi-dynamic-data": "JAX removed the experiment that it was for",
    "recipes": "jaxprs are built while functions are traced; use jax.make_jaxpr",
    "shard-map-rules": "jax.shard_map has no rules of primitives for what is replicated; it asks "
    "their abstract values for the axes that they vary over",
    "sharded-arrays": "all arrays are jax.Array, and have a sharding; use jax.device_put",
    "tracers": "a tracer is on no device, and says nothing of it",
    "xmap": "JAX removed xmap; use jax.vmap with spmd_axis_name, or jax.shard_map",
}


# What programs write instead, where the name that stands for one is none of theirs: private, or of
# this package. migrate reads it as a text.
INSTEAD = {
    "jax.core.ClosedJaxpr": "jax.extend.core.ClosedJaxpr",
    "jax.core.Jaxpr": "jax.extend.core.Jaxpr",
    "jax.core.JaxprEqn": "jax.extend.core.JaxprEqn",
    "jax.core.Literal": "jax.extend.core.Literal",
    "jax.core.Primitive": "jax.extend.core.Primitive",
    "jax.core.Token": "jax.extend.core.Token",
    "jax.core.Var": "jax.extend.core.Var",
    "jax.core.concrete_or_error": "numpy.asarray",
    "jax.core.get_aval": "jax.typeof (jax.core.get_aval before JAX 0.5.3)",
    "jax.core.jaxpr_as_fun": "jax.extend.core.jaxpr_as_fun",
    "jax.core.raise_to_shaped": "its argument, which is a ShapedArray by itself",
    "jax.experimental.host_callback": "jax.pure_callback or jax.experimental.io_callback",
    "jax.interpreters.ad.Zero.from_primal_value": "ad.Zero(jax.typeof(X).to_tangent_aval())",
    "jax.interpreters.ad.Zero.from_value": "ad.Zero(jax.core.ShapedArray(X.shape, X.dtype))",
    "jax.interpreters.ad.instantiate_zeros_aval": "ad.instantiate_zeros(ZERO)",
    "jax.interpreters.ad.zeros_like_jaxval": "jax.numpy.zeros_like",
    "jax.interpreters.batching.not_mapped": "None",
    "jax.interpreters.mlir.custom_call": "jax.ffi.build_ffi_lowering_function",
    "jax.interpreters.xla.backend_specific_translations": "jax.interpreters.mlir.register_lowering",
    "jax.interpreters.xla.register_translation": "jax.interpreters.mlir.register_lowering",
    "jax.interpreters.xla.translations": "jax.interpreters.mlir.register_lowering",
    "jax.lax.zeros_like_array": "jax.numpy.zeros_like",
    "jax.lib.xla_bridge.get_backend": "jax.extend.backend.get_backend",
    "jax.lib.xla_client.register_custom_call_target": "jax.ffi.register_ffi_target",
    "jax.linear_util.wrap_init": "jax.extend.linear_util.wrap_init",
    "jax.util.safe_map": "map, behind a check of the lengths",
    "jax.util.safe_zip": "zip(..., strict=True)",
    "jaxlib.hlo_helpers.custom_call": "jax.ffi.build_ffi_lowering_function",
}


class NotHadError(AttributeError):
    """The name cannot be restored. Programs that try it, and have another way, take that."""


def not_had(what: str, reason: str) -> NotHadError:
    """`what` is the name, `reason` a key of REASONS."""
    return NotHadError(_text(what, reason))


@functools.cache
def class_without_instances(
    module: str, name: str, reason: str, base: str, match_args: tuple[str, ...]
) -> Any:
    """A class that programs ask isinstance() of, and that JAX has no values of any more."""
    owner, _, last = base.rpartition(".")
    parent = getattr(importlib.import_module(owner), last)
    kind = type("WithoutInstances", (_WithoutInstances, type(parent)), {"__module__": __name__})
    members: dict[str, Any] = {"__module__": module, "_text": _text(f"{module}.{name}", reason)}
    if match_args:
        members["__match_args__"] = match_args
    return kind(name, (parent,), members)


class _WithoutInstances(type):
    _text: str

    def __call__(cls, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(cls._text)

    def __instancecheck__(cls, _: Any) -> bool:
        return False


def _text(what: str, reason: str) -> str:
    return f"callbridge.resurrect cannot restore {what}: {REASONS[reason]}"
