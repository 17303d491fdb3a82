"""jax.interpreters.xla's translation rules, of 2018 to 2022, as lowering rules of today.

A translation rule is given a builder and operations, and adds operations to the computation. The
builder here records them (_computation.py) where JAX lowers to.
"""

from __future__ import annotations

import collections
import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from jax import core
from jax.interpreters import mlir
from jaxlib.xla_client import Shape

from callbridge.resurrect._backports._interpreters import AxisEnv
from callbridge.resurrect._builder._computation import XlaBuilder, XlaOp, values_of
from callbridge.resurrect._builder._ops import Tuple, destructure


class TranslationRule(Protocol):
    """A rule of register_translation()."""

    def __call__(
        self, ctx: TranslationContext, avals_in: Any, avals_out: Any, *args: XlaOp, **kw: Any
    ) -> Sequence[XlaOp]: ...


xla_destructure = destructure


@dataclasses.dataclass(frozen=True)
class TranslationContext:
    """The first argument of rules of register_translation()."""

    builder: XlaBuilder
    platform: str | None
    axis_env: Any = AxisEnv(1)
    name_stack: Any = ""

    def replace(self, **changes: Any) -> TranslationContext:
        return dataclasses.replace(self, **changes)


class ContextRules(collections.UserDict):
    """By primitive, `rule(context, avals_in, avals_out, *operands, **params)`, as in private dicts.

    To set one registers the primitive's lowering. `of_jax`: the rules that JAX itself has there.
    """

    def __init__(self, platform: str | None, of_jax: Mapping = types.MappingProxyType({})):
        super().__init__()
        self._platform = platform
        self.data.update(of_jax)

    def __setitem__(self, primitive: Any, rule: Callable) -> None:
        super().__setitem__(primitive, rule)
        register_translation(
            primitive, self._with_context(primitive, rule), platform=self._platform
        )

    def _with_context(self, _: Any, rule: Callable) -> Callable:
        return rule


class _Rules(ContextRules):
    """Likewise `rule(builder, *operands, **params)`; the result a tuple where there are more."""

    def _with_context(self, primitive: Any, rule: Callable) -> Callable:
        def translate(context, avals_in, avals_out, *operands, **params):
            result = rule(context.builder, *operands, **params)
            if primitive.multiple_results:
                return destructure(context.builder, result)
            return [result]

        return translate


class RulesByPlatform(dict):
    """`kind` of rules by JAX's name of the platform, made when they are asked for."""

    def __init__(self, kind: type[ContextRules], of_jax: Mapping = types.MappingProxyType({})):
        super().__init__((name, kind(name, rules)) for name, rules in of_jax.items())
        self._kind = kind

    def __missing__(self, platform: str) -> ContextRules:
        self[platform] = self._kind(platform)
        return self[platform]


translations = _Rules(None)
backend_specific_translations = RulesByPlatform(_Rules)
context_rules = ContextRules(None)
context_rules_by_platform = RulesByPlatform(ContextRules)


def register_translation(
    primitive: Any,
    rule: Callable[..., Sequence[XlaOp]],
    *,
    platform: str | None = None,
    is_collective: bool = False,
    initial_style: bool = False,
) -> None:
    """Registers `rule(context, avals_in, avals_out, *operands, **params)`.

    The last two arguments told JAX how to treat the primitive, which it now finds out by itself.
    """

    def lower(context, *operands, **params):
        builder = XlaBuilder(str(primitive), context)
        results = rule(
            TranslationContext(builder, platform),
            context.avals_in,
            context.avals_out,
            *[XlaOp.of(builder, operand) for operand in operands],
            **params,
        )
        return [result.value(f"a result of primitive {primitive}") for result in results]

    mlir.register_lowering(primitive, lower, platform=platform)


def aval_to_xla_shapes(aval: Any) -> tuple[Shape, ...]:
    if isinstance(aval, core.ShapedArray):
        return (Shape.array_shape(aval.dtype, aval.shape),)
    return (Shape.token_shape(),)


def parameter(builder: XlaBuilder, num: int, shape: Any, name: Any = None, replicated: Any = None):
    raise NotImplementedError(
        "callbridge.resurrect cannot restore jax.interpreters.xla.parameter: a translation rule "
        "is lowered inside JAX's computation, whose operands it is given"
    )


def sharding_to_proto(sharding: Any, nested: bool = False) -> Any:
    """XLA's message of a sharding: None, a message, or one of pmap's specifications."""
    from jaxlib.xla_client import OpSharding

    if sharding is None:
        message = OpSharding()
        message.type = OpSharding.Type.REPLICATED
        return message
    if isinstance(sharding, OpSharding):
        return sharding
    raise NotImplementedError(
        f"callbridge.resurrect cannot make XLA's message of the sharding {sharding!r}; "
        "jax.sharding.NamedSharding(...)._to_xla_hlo_sharding(ndim) does"
    )


def register_collective_primitive(prim: Any) -> None:
    """JAX finds out by itself which primitives are collectives."""


def register_initial_style_primitive(prim: Any) -> None:
    """JAX finds out by itself which primitives have jaxprs."""


def lower_fun(
    fun: Any,
    multiple_results: bool,
    parallel: bool = False,
    backend: Any = None,
    new_style: bool = False,
    **_: Any,
) -> Any:
    """The translation rule of a primitive that is a function of others."""
    lower = mlir.lower_fun(fun, multiple_results=multiple_results)

    def translate(builder: XlaBuilder, operands: Sequence[XlaOp], params: dict) -> list[XlaOp]:
        values = [operand.value("an operand of lower_fun") for operand in operands]
        results = values_of(lower(builder.context, *values, **params))
        return [XlaOp.of(builder, result) for result in results]

    if new_style:
        return lambda context, _, __, *operands, **params: translate(
            context.builder, operands, params
        )

    def rule(builder: XlaBuilder, *operands: XlaOp, **params: Any) -> XlaOp:
        results = translate(builder, operands, params)
        return Tuple(builder, results) if multiple_results else results[0]

    return rule
