"""What programs that call xla_client.ops in translation rules compare by."""

import functools
import inspect
import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
from jax import core
from jax.interpreters import xla
from jax.lib import xla_client

checked = 0
called = set()


def _note(name, function):
    @functools.wraps(function)
    def noted(*arguments, **keywords):
        called.add(name)
        return function(*arguments, **keywords)

    return noted


for _name in dir(xla_client.ops):
    if _name[0].isupper() and inspect.isroutine(_function := getattr(xla_client.ops, _name)):
        setattr(xla_client.ops, _name, _note(_name, _function))


def finish():
    """Says how many checks passed; with the argument "called", which operations they called."""
    print(f"{checked} checked")
    if sys.argv[1:] == ["called"]:
        print(*sorted(called))


def result(rule, *operands):
    """What the rule builds of the operands, in a jitted function."""
    shape = {}

    def translate(builder, *values):
        op = rule(builder, *values)
        made = builder.get_shape(op)
        assert shape["of"] == (tuple(made.dimensions()), np.dtype(made.numpy_dtype())), made
        return op

    def run(expected):
        primitive = core.Primitive("tried")
        shape["of"] = (expected.shape, expected.dtype)
        aval = core.ShapedArray(expected.shape, expected.dtype)
        primitive.def_abstract_eval(lambda *_: aval)
        xla.translations[primitive] = translate
        return np.asarray(jax.jit(primitive.bind)(*operands))

    return run


def check(rule, expected, *operands, close=False):
    global checked
    expected = np.asarray(expected)
    got = result(rule, *operands)(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape, (got, expected)
    if close:
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)
    else:
        np.testing.assert_array_equal(got, expected)
    checked += 1
