"""Reads, calls, replaces and removes rules in the tables that JAX's modules have, as programs of
2020 to 2024 do; run with and without callbridge.resurrect where JAX's are dictionaries."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

if sys.argv[1:] == ["resurrect"]:
    import callbridge.resurrect  # noqa: F401
import jax._src.interpreters.batching as private_batching
from jax.interpreters import batching, xla

try:
    from jax.extend.core import Primitive
except ImportError:
    from jax.core import Primitive


def primitive(name, function):
    made = Primitive(name)
    made.def_impl(function)
    made.def_abstract_eval(lambda x: x)
    return made


rules = batching.primitive_batchers
assert rules is private_batching.primitive_batchers
twice = primitive("twice", lambda x: 2 * x)
assert twice not in rules and rules.get(twice) is None


def rule(args, dims):
    return twice.bind(*args), dims[0]


rules[twice] = rule
assert rules[twice] is rule and twice in rules and rules.copy()[twice] is rule
np.testing.assert_array_equal(jax.vmap(twice.bind)(jnp.ones(3)), [2, 2, 2])

# A rule of JAX's, in one of a program's.
of_sin, seen = rules[lax.sin_p], []


def wrapped(args, dims, **params):
    seen.append(dims)
    return of_sin(args, dims, **params)


x = np.arange(6, dtype=np.float32).reshape(2, 3)
rules[lax.sin_p] = wrapped
over_columns = jax.vmap(jnp.sin, 1)
np.testing.assert_array_equal(over_columns(x), jnp.sin(x).T)
assert [tuple(dims) for dims in seen] == [(1,)], seen
rules[lax.sin_p] = of_sin
np.testing.assert_array_equal(over_columns(x), jnp.sin(x).T)
assert len(seen) == 1

# Called alone: one operand mapped along its last dimension, the other broadcast.
total, dim = rules[lax.add_p]((x, np.ones(2, np.float32)), (1, None))
np.testing.assert_array_equal(np.moveaxis(total, dim, 0), x.T + 1)

# Rules that are given the axis.
by_axis = batching.axis_primitive_batchers
times_size = primitive("times_size", lambda x: x)
axes = []


def axis_rule(size, name, trace, args, dims):
    axes.append((size, name))
    return args[0] * size, dims[0]


by_axis[times_size] = axis_rule
assert by_axis[times_size] is axis_rule and times_size in by_axis
along = jax.vmap(times_size.bind, axis_name="i")
np.testing.assert_array_equal(along(jnp.ones(3)), [3, 3, 3])
assert axes == [(3, "i")], axes
assert len(list(rules)) == len(rules) > 100 and dict(rules.items())[twice] is rule
del rules[twice]
assert twice not in rules

handlers = xla.canonicalize_dtype_handlers


class Kept(np.ndarray):
    pass


class Given(np.ndarray):
    pass


handlers[Kept] = handlers[np.ndarray]
handlers.update({Given: handlers[np.ndarray]})
assert handlers.setdefault(Kept, None) is handlers[Kept] is not None
assert Kept in handlers and Given in handlers and float in handlers and len(handlers) > 3
print("tables: ok")
