"""Calls of private names for values_program.py, and of what JAX's objects did in old releases."""

import operator
import types
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import effects
from more_values import DOUBLED, aval, f32, wrapped, x


def bound_again(primitive, operands, params):
    """By what programs that evaluate jaxprs do."""
    functions, parameters = primitive.get_bind_params(params)
    return primitive.bind(*functions, *operands, **parameters)


def evaluated(f, a):
    jaxpr = jax.make_jaxpr(f)(a).jaxpr
    values = dict(zip(jaxpr.invars, [a]))
    for equation in jaxpr.eqns:
        operands = [v.val if hasattr(v, "val") else values[v] for v in equation.invars]
        found = bound_again(equation.primitive, operands, equation.params)
        results = found if equation.primitive.multiple_results else [found]
        values.update(zip(equation.outvars, results))
    return values[jaxpr.outvars[0]]


def bound_again_with_derivatives(f):
    again = lambda a: evaluated(f, a)  # noqa: E731
    return [again(f32(2)), jax.grad(again)(f32(2)), jax.grad(again)(f32(-2))]


@jax.custom_vjp
def tripled(a):
    return a * 3


tripled.defvjp(lambda a: (a * 3, a), lambda a, cotangent: (cotangent * a,))


def in_parts(a):
    mesh = jax.sharding.Mesh(np.array(jax.devices("cpu")[:1]), ("i",))
    parts = jax.sharding.PartitionSpec("i")
    return jax.shard_map(jnp.sin, mesh=mesh, in_specs=parts, out_specs=parts)(a)


def call_primitive(name):
    from jax._src import core

    return getattr(core, name)


def ordered(name):
    """Whether one of two is before the other, and whether each is before itself."""
    compare = getattr(operator, name)
    first, second = jax.make_jaxpr(jnp.add)(1, 2).jaxpr.invars
    return [compare(first, second) != compare(second, first), compare(first, first)]


def level_in_jit():
    found = []
    jax.jit(lambda a: found.append(a._trace.level))(1.0)
    return found


def levels(m):
    """Of what a library compares, to tell whether jit, but not grad, is entered meanwhile."""
    found = []

    def look(a):
        found.append(m.find_top_trace(()).level)
        return a * 2

    look(f32(1))
    jax.grad(look)(f32(1))
    jax.jit(look)(f32(1))
    jax.jit(jax.grad(look))(f32(1))
    return [level - found[0] for level in found]


def hashed(_):
    """Tracers as keys of a dictionary."""

    def count(a, b):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = {a: 1, b: 2}
            return a * found[a] + b * found[b]

    return [jax.jit(count)(1.0, 1.0), jax.grad(count)(1.0, 1.0)]


def tapped_in_order(m):
    seen = []

    def body(carry, a):
        for at in range(3):
            given = {"result": a} if at == 2 else {}
            a = m.id_tap(lambda v, _, at=at: seen.append((at, type(v), v.tolist())), a, **given)
        return carry, a

    jax.jit(lambda a: lax.scan(body, 0, a))(jnp.arange(4))
    m.barrier_wait()
    return [str(value) for value in seen]


def equation(m):
    first = DOUBLED.jaxpr.eqns[0]
    made = m.new_jaxpr_eqn(first.invars, first.outvars, first.primitive, first.params, set())
    return [made.primitive.name, made.invars == first.invars]


def new_variables(m):
    made = m.gensym([DOUBLED.jaxpr])(aval), m.gensym(suffix="_a")(aval)
    return [str(variable.aval.shape) for variable in made]


CALLS = {
    "jax._src.core.Primitive.get_bind_params": lambda c: bound_again(lax.add_p, [1, 2], {}),
    "jax._src.custom_derivatives.CustomJVPCallPrimitive.get_bind_params": (
        lambda c: bound_again_with_derivatives(lambda a: jax.nn.relu(a) + jax.jit(jnp.sin)(a))
    ),
    "jax._src.custom_derivatives.CustomVJPCallPrimitive.get_bind_params": (
        lambda c: evaluated(tripled, f32(2))
    ),
    "jax._src.core.CallPrimitive.get_bind_params": lambda c: bound_again(
        call_primitive("call_p"), [x], {"call_jaxpr": DOUBLED.jaxpr}
    ),
    "jax._src.core.ClosedCallPrimitive.get_bind_params": lambda c: bound_again(
        call_primitive("closed_call_p"), [x], {"call_jaxpr": DOUBLED}
    ),
    "jax._src.core.gensym": new_variables,
    "jax.core.gensym": new_variables,
    "jax._src.core.new_jaxpr_eqn": equation,
    "jax.core.new_jaxpr_eqn": equation,
    "jax.core.find_top_trace": levels,
    "jax.core.Tracer.__hash__": hashed,
    "jax._src.core.Tracer.__hash__": hashed,
    "jax._src.dtypes.dtype": lambda m: m.dtype(np.float64(1), canonicalize=True),
    **{
        f"jax.extend.core.Var.__{name}__": lambda c, name=name: ordered(name)
        for name in ("lt", "le", "gt", "ge")
    },
    "jax.experimental.host_callback.id_tap": tapped_in_order,
    "jax.interpreters.pxla._is_unspecified": lambda m: m._is_unspecified(1),
    "jax._src.sharding_impls.is_unspecified": lambda m: [
        m.is_unspecified(m.UNSPECIFIED),
        m.is_unspecified(None),
    ],
    "jax._src.tree_util.BuiltInKeyEntry": lambda m: [
        cls.__name__ for cls in m.BuiltInKeyEntry.__args__
    ],
}

# Of names that were gone before the oldest release here: calls, and what they gave.
_CALLER = types.SimpleNamespace(call_primitive=True)
EXPECTED = {
    "jax._src.util.get_module_functions": (
        lambda m: m.get_module_functions(types.SimpleNamespace(f=len, _g=len, C=int, value=1)),
        {"f": len},
    ),
    "jax.core.extract_call_jaxpr": (
        lambda m: [
            m.extract_call_jaxpr(_CALLER, {"call_jaxpr": 1, "name": 2}),
            m.extract_call_jaxpr(lax.add_p, {"name": 2}),
        ],
        [(1, {"name": 2}), (None, {"name": 2})],
    ),
    "jax.experimental.maps._PositionalSemantics": (
        lambda m: m._positional_semantics.val is m._PositionalSemantics.GLOBAL,
        True,
    ),
    "jax._src.random._check_prng_key": (
        lambda m: [type(found).__name__ for found in m._check_prng_key(jax.random.PRNGKey(0))],
        ["PRNGKeyArray", "bool"],
    ),
    "jax._src.random.core._check_prng_key": (
        lambda m: m._check_prng_key(jax.random.PRNGKey(0))[1],
        True,
    ),
    "jax.core.Trace.level": (lambda c: level_in_jit(), [1]),
    "jax._src.effects.EffectTypeSet.add": (lambda c: _added(c), True),
    "jax.ad.deflinear": (lambda m: callable(m.deflinear), True),
    "jax.ShapeDtypeStruct.__init__": (
        lambda c: [c((2,), f32, {}).shape, c((2,), None).dtype],
        [(2,), np.dtype("f8")],
    ),
    "jax._src.shard_map.ShardMapPrimitive.get_bind_params": (
        lambda c: np.allclose(evaluated(in_parts, jnp.ones(3)), np.sin(1), rtol=1e-6),
        True,
    ),
    "jax._src.lax.control_flow.allowed_effects": (
        lambda m: m.allowed_effects is effects.control_flow_allowed_effects,
        True,
    ),
    "jax.linear_util.wrap_init": (
        lambda m: m.wrap_init(
            lambda a, b: a + b, {"b": 1}, debug_info=getattr(wrapped(len), "debug_info", None)
        ).call_wrapped(2),
        3,
    ),
}


def _added(cls):
    class Effect:
        pass

    types_ = cls()
    types_.add(Effect())
    return types_.contains(Effect())
