"""What programs that call xla_client.ops in translation rules compare by."""

import functools
import inspect
import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
from callbridge.resurrect._builder import _ops
from jax import core
from jax.interpreters import xla
from jax.lib import xla_client

IS_JAXS_OWN = xla_client.ops is not _ops.ops
# What jaxlib's own says of an operation that it lacks, or of arguments in a form that it does not
# take: ours are those of all releases.
OF_OTHERS = ("incompatible function arguments", "has no attribute")

checked = refused = 0
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
    """Says how many checks passed, and how many jaxlib's own operations are not made for; with the
    argument "called", which operations they called."""
    print(f"{checked} checked", *[f"{refused} refused"] * IS_JAXS_OWN)
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
    global checked, refused
    expected = np.asarray(expected)
    try:
        got = result(rule, *operands)(expected)
    except (AttributeError, TypeError) as error:
        if not IS_JAXS_OWN or not any(text in str(error) for text in OF_OTHERS):
            raise
        refused += 1
        return
    assert got.dtype == expected.dtype and got.shape == expected.shape, (got, expected)
    if close:
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)
    else:
        np.testing.assert_array_equal(got, expected)
    checked += 1
