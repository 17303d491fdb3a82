"""Functions of jax.interpreters.partial_eval that are gone, made of those that JAX has."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from jax._src.interpreters import partial_eval

# Rules of primitives that call functions, which JAX asks no more.
call_param_updaters: dict = {}
call_partial_eval_rules: dict = {}
# Rules for arrays of dynamic shape, which JAX has no more.
padding_rules: dict = {}


def def_trivial_padding(prim: Any) -> None:
    def bind(_: Any, __: Any, *operands: Any, **params: Any) -> Any:
        results = prim.bind(*operands, **params)
        return results if prim.multiple_results else [results]

    padding_rules[prim] = bind


def trace_to_jaxpr(fun: Any, pvals: Sequence[Any], instantiate: Any = False) -> Any:
    """The jaxpr of what `pvals` leave unknown, its partial values, and its constants."""
    return partial_eval.trace_to_jaxpr_nounits(fun, pvals, instantiate)


def trace_to_jaxpr_final(
    fun: Any, in_avals: Sequence[Any], debug_info: Any = None, keep_inputs: Any = None
) -> tuple:
    """The jaxpr, its results' abstract values, and its constants.

    `debug_info` is the function's own in JAX now, where it does not take it here.
    """
    trace = partial_eval.trace_to_jaxpr_dynamic
    others = {"keep_inputs": keep_inputs}
    if "debug_info" in inspect.signature(trace).parameters:
        others["debug_info"] = debug_info
    jaxpr, out_avals, constants, *_ = trace(fun, in_avals, **others)
    return jaxpr, out_avals, constants


def convert_invars_to_constvars(jaxpr: Any, n: int) -> Any:
    """The jaxpr with its first `n` operands as constants."""
    if n == 0:
        return jaxpr
    debug_info = jaxpr.debug_info._replace(arg_names=jaxpr.debug_info.arg_names[n:])
    return jaxpr.replace(
        constvars=[*jaxpr.constvars, *jaxpr.invars[:n]],
        invars=jaxpr.invars[n:],
        debug_info=debug_info,
    )


def instantiate_const_at(trace: Any, instantiate: bool, tracer: Any) -> Any:
    return trace.instantiate_const(tracer) if instantiate else tracer


def partial_eval_jaxpr_custom_rule_not_implemented(name: str, *_: Any) -> Any:
    raise NotImplementedError(f"{name} has no partial evaluation by a policy of jax.checkpoint")


@contextlib.contextmanager
def trivial_ctx(_: Any) -> Iterator[None]:
    yield


@contextlib.contextmanager
def extend_jaxpr_stack(main: Any, frame: Any) -> Iterator[None]:
    """Told the frames of nested traces from each other; each trace has its own now."""
    yield
