"""What older releases are lent, called on today's: with functions that stand for those releases'
own, and on what it refuses. test_lent.py compares the rest on the oldest release.
"""

import dataclasses
import importlib
import inspect
import os
import sys
import types
import warnings

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
)

import callbridge.resurrect  # noqa: F401
import jax
import jax.numpy as jnp
import numpy as np
from callbridge._core._error import CallbridgeError
from callbridge.resurrect._backports import (
    _interpreters,
    _jax,
    _lax,
    _numpy,
    _random,
    _scipy,
    _sharding,
    _trees,
)
from callbridge.resurrect._lowering import _ffi_call
from callbridge.resurrect._names import _calls, _newer_attributes
from jax import lax
from jax.scipy import linalg, special, stats

warnings.simplefilter("ignore")
checked = 0
x = np.arange(12, dtype=np.float32).reshape(3, 4) - 5


def same(ours, expected, what=None):
    global checked
    checked += 1
    ours, expected = map(jax.tree_util.tree_leaves, (ours, expected))
    assert len(ours) == len(expected), (what, ours, expected)
    for a, b in zip(ours, expected, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape, (what, a, b)
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6, err_msg=str(what))


def given(*arguments, **keywords):
    return arguments, keywords


def asarray(value):
    return jnp.asarray(value) if isinstance(value, np.ndarray) else value


def refused(error, *parts):
    """Asserts that a call raises the error, with the parts in its text."""

    def call(function, *arguments, **keywords):
        global checked
        checked += 1
        try:
            function(*arguments, **keywords)
        except error as raised:
            assert all(part in str(raised) for part in parts), raised  # noqa: PT017
        else:
            raise AssertionError((function, arguments, keywords))

    return call


def recording(signature="(*args, **keywords)"):
    """A function with that signature, which returns what it is called with, by name or place."""
    scope = {"__name__": __name__}
    exec(f"def original{signature}:\n    return dict(locals())", scope)
    return scope["original"]


# ---- Functions of arrays, with what else they take, beside today's own ---------------------------
cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7 - 2
ints = np.array([[3, 1, 2], [1, -5, 3]], np.int32)
line = np.array([-3.5, -2, -1.25, -0.5, -0.0, 0, 0.3, 1, 2.5, 4], np.float32)
units = np.array([-0.1, 0, 0.25, 1, 1.5], np.float32)
special_values = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
a, b = np.meshgrid(line, line)
powers = np.array([0, 0.5, -2, 1e-3], np.float32)
key = jax.random.PRNGKey(3)
dnums = lax.ScatterDimensionNumbers((), (0,), (0,))
COMPARED = {
    (_numpy, jnp): {
        "unique_all": [given(ints), given(ints, size=6, fill_value=9)],
        "unique_counts": [given(ints, size=3)],
        "unique_inverse": [given(ints, size=5, fill_value=-1)],
        "unique_values": [given(ints, size=7, fill_value=2)],
        "trapezoid": [
            *(given(cube, axis=axis, dx=0.5) for axis in (0, 1, -1)),
            *(given(cube, line[: cube.shape[axis]], axis=axis) for axis in (0, 1, 2)),
            given(cube, cube**2, axis=1),
            given(ints),
            given(ints, ints[::-1] * 2),
        ],
        "cumulative_sum": [
            given(ints[0]),
            given(ints[0], dtype=np.float32),
            *(
                given(cube, axis=axis, include_initial=first)
                for axis in (0, 1, -1)
                for first in (True, False)
            ),
        ],
        "cumulative_prod": [given(ints[0]), given(cube, axis=-1, include_initial=True)],
        "bitwise_count": [given(ints), given(ints.astype(np.int8)), given(ints.astype(np.uint16))],
        "unstack": [given(cube), given(cube, axis=1), given(cube, axis=-1)],
        "fill_diagonal": [
            given(cube[0], 9, inplace=False),
            given(cube[0].T, ints[0, :2], inplace=False),
            given(ints, 7.5, inplace=False),
        ],
        "put_along_axis": [
            given(cube, ints[:, :, None] % 4, 9, 2, inplace=False),
            given(cube, ints[:, :, None] % 4, cube[:, :, :1] * 2, -1, inplace=False),
            given(cube, ints[0] * 9, ints[0], None, inplace=False, mode="clip"),
            given(ints, np.array([[5], [0]]), 4, 1, inplace=False, mode="drop"),
        ],
        "spacing": [given(line), given(special_values), given(ints)],
    },
    (_numpy, jnp.linalg): {
        "cross": [given(cube[:, :, 0], cube[:, :, 1]), given(cube, cube[::-1], axis=1)],
        "diagonal": [given(cube, offset=offset) for offset in (0, 1, -1)],
        "trace": [*(given(cube, offset=n) for n in (0, 1, -1)), given(ints, dtype=np.float32)],
        "matmul": [
            given(cube, cube[0].T),
            given(ints, ints.T, preferred_element_type=np.float32),
            given(cube, cube[0].T, precision="highest"),
        ],
        "tensordot": [
            given(cube[0], cube[0], axes=axes) for axes in (0, 2, ((0,), (0,)), ((1,), (1,)))
        ]
        + [given(ints, ints, preferred_element_type=np.float32)],
        "outer": [given(line, line[:3])],
        "matrix_transpose": [given(cube)],
        "matrix_norm": [
            given(cube, ord=order, keepdims=keep)
            for order, keep in (("fro", False), (1, True), (-1, False), (np.inf, True))
        ],
        "vector_norm": [
            given(cube, axis=axis, keepdims=keep, ord=order)
            for axis, keep, order in (
                *((None, False, 2), (None, True, 1), (0, True, 3), (-1, False, np.inf)),
                *(((0,), True, 1), ((1,), False, 2), ((0, 2), True, 2), ((2, 0), False, 1)),
                *(((0, -1), False, 3), ((0, 1), True, np.inf)),
            )
        ],
        "svdvals": [given(cube)],
    },
    (_lax, jax.nn): {
        **{name: [given(line), given(ints)] for name in ("mish", "sparse_plus", "sparse_sigmoid")},
        "squareplus": [given(line), given(line, 1), given(line, b=line)],
        "identity": [given(line), given(2)],
        "log1mexp": [given(np.array([1e-6, 0.1, 0.6, 0.7, 1, 30], np.float32))],
        "logmeanexp": [
            given(cube, axis=axis, keepdims=keep)
            for axis in (None, 1, -1, (0, 2))
            for keep in (True, False)
        ]
        + [given(cube, axis=1, where=cube > 0), given(cube, where=cube > 0, keepdims=True)],
    },
    (_lax, lax): {
        "split": [given(cube, (1, 2), axis=1), given(cube, (1, 3), 2), given(cube, (2,))],
        "tile": [given(cube, (2, 1, 3))],
        "scatter_sub": [
            given(line, np.array([[1], [3], [1]]), np.array([2, 5, 7], np.float32), dnums),
            given(line, np.array([[99]]), line[:1], dnums, mode="clip"),
        ],
        **{
            f"reduce_{name}": [given(cube, (0, 2)), given(ints, axes=[1]), given(ints, ())]
            for name in ("max", "min", "prod", "sum")
        },
        **{
            f"reduce_{name}": [given(ints, (0,)), given(ints > 1, (0, 1))]
            for name in ("and", "or", "xor")
        },
        "polygamma": [given(np.arange(4, dtype=np.float32), line[6:])],
        "stack": [given([cube[0], cube[1]], axis) for axis in (0, 1, 2)],
        "unstack": [given(cube, axis) for axis in (0, 1, 2)],
    },
    (_random, jax.random): {
        "clone": [given(key)],
        "lognormal": [given(key, 2.0, (3,)), given(key, line), given(key, shape=(2, 3))],
    },
    (_scipy, special): {
        "gammasgn": [given(line), given(special_values[1:]), given(ints)],
        "beta": [given(line[[0, 2, 3, 6, 7]], np.float32(1.75)), given(line[6:], line[6:][::-1])],
        "factorial": [given(line), given(ints)],
        "rel_entr": [given(a, b), given(ints, 2)],
        "kl_div": [given(a, b)],
        "softmax": [given(cube, axis=axis) for axis in (None, 0, -1, (0, 2))],
        "log_softmax": [given(cube, axis=axis) for axis in (None, 1, -1, (0, 2))],
        "boxcox": [given(line[6:], powers)],
        "boxcox1p": [given(line[6:], powers)],
    },
    (_scipy, linalg): {
        "hilbert": [given(1), given(4)],
        "circulant": [given(line)],
        "hankel": [given(line), given(line[:4], line[3:])],
    },
    (_scipy, stats): {
        "sem": [
            given(cube, axis=axis, ddof=ddof, keepdims=keep)
            for axis, ddof, keep in ((None, 1, False), (0, 0, True), (1, 1, False), (-1, 0, True))
        ]
        + [given(ints)],
    },
}


def substituted(value, arrays):
    """The arguments with the next of `arrays` for each array."""
    is_array = isinstance(value, np.ndarray)
    return next(arrays) if is_array else value


def at_once(calls):
    """What the calls of (function, arguments, keywords) give, by one program."""
    arrays = [a for _, args, options in calls for a in (*args, *options.values())
              if isinstance(a, np.ndarray)]  # fmt: skip

    def program(*arrays):
        left = iter(arrays)
        results = []
        for function, args, options in calls:
            args = [substituted(a, left) for a in args]
            options = {name: substituted(a, left) for name, a in options.items()}
            results.append(function(*args, **options))
        return results

    return jax.jit(program)(*arrays)


def compare(pairs):
    """`pairs` are (ours, today's, arguments, keywords)."""
    ours = at_once([(function, *rest) for function, _, *rest in pairs])
    theirs = at_once([(function, *rest) for _, function, *rest in pairs])
    for a, b, (_, function, *rest) in zip(ours, theirs, pairs, strict=True):
        same(a, b, (function, *rest))


traced = []
for (ours, todays), functions in COMPARED.items():
    for name, calls in functions.items():
        pair = getattr(ours, name), getattr(todays, name)
        for arguments, keywords in calls:
            if name != "unique_all" or keywords:
                traced.append((*pair, arguments, keywords))
            else:  # the results' shapes depend on the values
                same(*(function(*arguments) for function in pair), name)
for distribution, names in (("expon", "cdf logcdf logsf ppf sf"), ("uniform", "cdf ppf")):
    for name in names.split():
        for arguments in ((units, 0.25, 2), (line, -1.25, 4), (ints,)):
            ours = getattr(_scipy, f"{distribution}_{name}")
            theirs = getattr(getattr(stats, distribution), name)
            traced.append((ours, theirs, arguments, {}))
for arguments in ((line,), (line, 0.5), (line, 0.5, 2), (ints, 1, 3)):
    traced.append((_scipy.norm_logsf, stats.norm.logsf, arguments, {}))
for options in ({}, {"stddev": 0.5}, {"lower": -1.0, "upper": 0.5}, {"dtype": np.float16}):
    ours = _lax.truncated_normal(**options)
    theirs = jax.nn.initializers.truncated_normal(**options)
    for more in ((), (np.float16,)):
        traced.append((ours, theirs, (key, (5,), *more), {}))
compare(traced)
for shape, dtype in (((2, 3), "float32"), (3, "int8"), ((), bool)):
    made = _lax.empty(shape, dtype)
    assert made.shape == lax.empty(shape, dtype).shape and made.dtype == np.dtype(dtype)
tree = {"a": (1, 2), "b": None}
for prefix, is_leaf in (
    ({"a": 5, "b": 6}, None),
    (7, None),
    ({"a": (5, 6), "b": 7}, lambda t: t == (5, 6)),
):
    for full in ({"a": (1, 2), "b": [3, 4]}, {"a": ([1], 2), "b": 3}):
        same(_trees.broadcast(prefix, full, is_leaf), jax.tree.broadcast(prefix, full, is_leaf))
for is_leaf in (None, lambda t: isinstance(t, tuple)):
    joins = [
        module(lambda p, q: f"({p}{q})", [("a", "b"), "c", "d"], is_leaf=is_leaf)
        for module in (_trees.reduce_associative, jax.tree.reduce_associative)
    ]
    assert sorted(joins[0]) == sorted(joins[1]), joins

# ---- jax.numpy, jax.lax, jax.scipy: what test_lent.py does not call ------------------------------
z = (x + 1j * x.T.reshape(x.shape)).astype(np.complex64)
for dtype in ("float32", "int32", "bool", "complex64"):
    same(_numpy.astype(z, dtype), jnp.astype(z, dtype))
for kind in (
    "bool",
    "integral",
    "real floating",
    ("bool", "numeric"),
    jnp.int8,
    (jnp.int8, x.dtype),
):
    for dtype in (np.bool_, np.int8, np.uint8, np.float32, np.complex64):
        same(_numpy.isdtype(dtype, kind), jnp.isdtype(dtype, kind))
for array in (np.float32(1), x, np.zeros((2, 0, 3))):
    for name in ("ndim", "shape", "size"):
        same(getattr(_numpy, name)(array), getattr(jnp, name)(array))
for axis in (0, 1, -1, (0, 1)):
    same(_numpy.size(x, axis), jnp.size(x, axis))
for fill, options in (
    ((x, 1), {"inplace": True}),
    ((x, 1, True), {"inplace": False}),
):
    refused(NotImplementedError)(_numpy.fill_diagonal, *fill, **options)
for array in (x[0], np.zeros((2, 3, 3))):
    refused(ValueError)(_numpy.fill_diagonal, array, 1, inplace=False)
same(
    _numpy.fill_diagonal(np.zeros((3, 3, 3), np.float32), [1, 2], inplace=False),
    jnp.fill_diagonal(np.zeros((3, 3, 3), np.float32), jnp.array([1, 2]), inplace=False),
)
refused(ValueError, "inplace=False")(_numpy.put_along_axis, x, x[:1].astype(int), 1, 0)
refused(ValueError, "rank > 0")(_numpy.unstack, np.float32(1))
refused(ValueError, "two-dimensional")(_numpy.matrix_transpose, x[0])
refused(ValueError, "one-dimensional")(_numpy.outer, x, x)
refused(ValueError, "3-dimensional")(_numpy.cross, x, x)
refused(ValueError, "axis is required")(_numpy.cumulative_sum, x)
refused(ValueError, "Unrecognized kind")(_numpy.isdtype, np.int8, "integer")
for sizes in ((1, 1), (4, -1), (2, 2)):
    refused(ValueError, "along axis 0", str(sizes))(_lax.split, x, sizes)
for reps in ((2,), (1, 2, 3)):
    refused(ValueError, "2 dimensions")(_lax.tile, x, reps)
refused(NotImplementedError, '"varying"', "'reduced'")(_lax.pcast, x, "i", to="reduced")
refused(NotImplementedError, "exact=True")(_scipy.factorial, 3, exact=True)
refused(NotImplementedError, "'omit'")(_scipy.sem, x, nan_policy="omit")
for axis, ddof in ((0, 1), (1, 0), (None, 1)):
    same(_scipy.sem(x, axis, ddof), stats.sem(x, axis, ddof))
left, right = np.float32([[-1], [0]]), np.float32([2, 3, 4])
same(_random.triangular(key, left, 1.0, right).shape, (2, 3))
drawn = _random.triangular(key, left, 1.0, right, (500, 2, 3))
assert np.all((drawn >= left) & (drawn <= right))
np.testing.assert_allclose(np.mean(drawn, 0), (left + 1 + right) / 3, atol=0.15)

# ---- Parameters ----------------------------------------------------------------------------------
assert _calls.on_device(recording("(shape, device=None)")) is None
made = _calls.on_device(lambda *args, **keywords: jnp.zeros(*args, **keywords))
last = jax.devices()[-1]
assert made((2,), device=last).devices() == {last}
assert made((2,)).devices() == {jax.devices()[0]} and made((2,), dtype=np.int8).dtype == np.int8
assert _calls.in_batches(recording("(f, xs, batch_size=None)")) is None
seen = []


def mapped(f, xs):
    seen.append(jax.tree_util.tree_leaves(xs)[0].shape)
    return lax.map(f, xs)


in_batches = _calls.in_batches(mapped)
pair = (np.arange(10.0, dtype=np.float32).reshape(5, 2), np.arange(5, dtype=np.int32))
for batch_size, shapes in ((None, [(5, 2)]), (2, [(2, 2, 2)]), (5, [(1, 5, 2)]), (7, [])):
    seen.clear()
    same(in_batches(lambda p: (p[0] * 2, p[1].astype(np.float32)), pair, batch_size=batch_size),
         (pair[0] * 2, pair[1].astype(np.float32)))  # fmt: skip
    assert seen == shapes, (batch_size, seen)

# ---- jax.jit, custom rules and platforms ---------------------------------------------------------
assert _jax.jit(recording("(fun=None, *, static_argnums=None)")) is None
jit = _jax.jit(recording("(fun, in_shardings=None, donate_argnums=None, keep_unused=False)"))


def of_three(a, b, c):
    return a


assert jit(keep_unused=True)(of_three)["keep_unused"] is True
for names, positions in (("b", (1,)), (["c", "a"], (2, 0)), (None, ()), ((), ())):
    for given in (jit(of_three, donate_argnames=names), jit(fun=of_three, donate_argnames=names)):
        assert given["fun"] is of_three and given["donate_argnums"] == positions, (names, given)
assert jit(of_three, donate_argnames="b", donate_argnums=(0,))["donate_argnums"] == (0,)
newer = _jax.jit(recording("(fun, donate_argnames=None)"))
assert newer(of_three, donate_argnames="b")["donate_argnames"] == "b"

assert _jax.nondiff_argnames(recording("(self, fun, nondiff_argnames=())")) is None
kept = []
rule = _jax.nondiff_argnames(lambda self, fun, positions: kept.append((fun, positions)))
rule(None, of_three, (2,), ("a",))
rule(None, of_three, nondiff_argnums=(1,))
rule(None, of_three, nondiff_argnames=["c", "b"])
assert kept == [(of_three, (0, 2)), (of_three, (1,)), (of_three, (1, 2))], kept

by = _lax.platform_dependent
assert by(3, cpu=lambda a: a + 1, cuda=lambda a: a + 2) == 4
assert by(3, default=lambda a: a + 5, cuda=lambda a: a + 2) == 8
assert by(3, Host=lambda a: a + 7, default=lambda a: a) == 10
assert by(3, abacus=lambda a: a + 7, default=lambda a: a) == 3
refused(NotImplementedError, "platform cpu", "cuda, rocm")(by, 3, rocm=abs, cuda=abs)
refused(NotImplementedError, "has none")(by, 3)
for name in ("int4", "uint2", "int8", "float32", "complex128", "bool"):
    same(_jax.itemsize_bits(getattr(jnp, name)), jax.dtypes.itemsize_bits(getattr(jnp, name)))
same(_jax.is_initialized(), jax.distributed.is_initialized())
same(_jax.process_indices(), jax.process_indices())
same(_jax.process_indices("cpu"), jax.process_indices("cpu"))
zero = _interpreters.p2tz(x)
assert zero.aval.shape == x.shape and zero.aval.dtype == x.dtype

# ---- Meshes, and shard_map -----------------------------------------------------------------------
Auto, Explicit = jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit
mesh = _sharding.make_mesh((2, 1), ("i", "j"))
assert mesh.axis_names == ("i", "j") and mesh.devices.shape == (2, 1)
assert [d.id for d in mesh.devices.ravel()] == [0, 1]
one = _sharding.make_mesh([1], ["i"], (Auto,), devices=jax.devices()[2:])
assert [d.id for d in one.devices.ravel()] == [2]
assert _sharding.make_mesh((4,), ("i",)).size == 4
refused(ValueError, "devices 4", "(5,)")(_sharding.make_mesh, (5,), ("i",))
of_mesh = _sharding.make_mesh_takes_types(recording("(axis_shapes, axis_names, devices=None)"))
assert of_mesh((1,), ("i",), axis_types=(Auto,)) == {
    "axis_shapes": (1,), "axis_names": ("i",), "devices": None
}  # fmt: skip
assert of_mesh(axis_shapes=(1,), axis_names=("i",), axis_types=None)["axis_names"] == ("i",)
constructor = _sharding.takes_types(recording("(self, devices, axis_names=None)"))
assert constructor(1, 2, ("i",), axis_types=(Auto,))["axis_names"] == ("i",)
assert constructor(1, 2, axis_names="ij", axis_types=(Auto,))["axis_names"] == "ij"
for method in (object.__new__, object.__init__):
    assert _sharding.takes_types(method) is None
for make, given in (
    (of_mesh, ((1, 1), ("i", "j"))),
    (constructor, (1, 2, ("i", "j"))),
    (_sharding.make_mesh, ((1, 1), ("i", "j"))),
):
    refused(ValueError, "expected 2 axis_types")(make, *given, axis_types=(Auto,))
    refused(NotImplementedError, "Auto alone")(make, *given, axis_types=(Auto, Explicit))
assert repr(_sharding.AxisType.Manual) == "Manual"
assert [t.name for t in _sharding.AxisType] == [t.name for t in jax.sharding.AxisType]
for enter in (_sharding.use_mesh, jax.set_mesh, _sharding.set_mesh):
    with enter(mesh) as entered:
        assert enter is jax.set_mesh or entered is mesh
        assert _sharding.current_mesh() is mesh, enter
    assert _sharding.current_mesh() is None, enter

experimental = types.ModuleType("jax.experimental.shard_map")
before = sys.modules.get(experimental.__name__)
sys.modules[experimental.__name__] = experimental
both = {"in_specs": 1, "out_specs": 2}
experimental.shard_map = recording("(f, mesh, in_specs, out_specs, check_rep=True, auto=None)")
shard_map = _sharding.shard_map
assert shard_map(abs, mesh=mesh, **both) == {
    "f": abs, "mesh": mesh, **both, "check_rep": True, "auto": None,
}  # fmt: skip
assert shard_map(**both, mesh=mesh, check_vma=False, axis_names={"i"})(abs) == {
    "f": abs, "mesh": mesh, **both, "check_rep": False, "auto": frozenset("j"),
}  # fmt: skip
assert shard_map(abs, mesh=mesh, axis_names={"i", "j"}, **both)["auto"] is None
with _sharding.use_mesh(one):
    assert shard_map(abs, **both)["mesh"] is one
experimental.shard_map = recording("(f, mesh, in_specs, out_specs, check_rep=True)")
no_part = refused(CallbridgeError, "UNIMPLEMENTED", "some of the mesh's axes")
no_part(shard_map, abs, mesh=mesh, axis_names={"i"}, **both)
no_mesh = refused(CallbridgeError, "UNIMPLEMENTED", "without mesh or in_specs")
no_mesh(shard_map, abs, **both)
no_mesh(shard_map, abs, mesh=mesh, out_specs=2)
sys.modules[experimental.__name__] = before

# ---- Trees ---------------------------------------------------------------------------------------
decorates = _trees.decorates
of_now = recording("(nodetype=None, data_fields=None, meta_fields=None)")
assert decorates(of_now) is of_now
registered = decorates(recording("(nodetype, data_fields, meta_fields)"))
assert registered(list, ["a"], ["b"]) == {
    "nodetype": list, "data_fields": ["a"], "meta_fields": ["b"]
}  # fmt: skip
assert registered(list, data_fields=[], meta_fields=[])["nodetype"] is list


@registered
@dataclasses.dataclass
class Pair:
    first: int
    second: str = _trees.static(default="s")


@registered(data_fields=["first"], meta_fields=[], drop_fields=["second"])
@dataclasses.dataclass
class WithoutOne:
    first: int
    second: str = "not kept"


doubled = jax.tree_util.tree_map(lambda leaf: leaf * 2, Pair(3, "t"))
assert doubled == Pair(6, "t"), doubled
paths = jax.tree_util.tree_flatten_with_path(Pair(3))[0]
assert [jax.tree_util.keystr(path) for path, _ in paths] == [".first"]
assert jax.tree_util.tree_map(lambda leaf: leaf + 1, WithoutOne(1, "x")) == WithoutOne(2)
field = _trees.static(metadata={"more": 1})
assert dict(field.metadata) == {"static": True, "more": 1}
register = _trees.register_dataclass
refused(TypeError, "both data_fields and meta_fields")(register, Pair, ["first"])
refused(TypeError, "not a dataclass")(register, list)
refused(ValueError, "missing: {'second'}")(register, Pair, ["first"], [])
refused(ValueError, "unexpected: {'third'}")(register, Pair, ["first", "third"], ["second"])
refused(TypeError, "identity")(_trees.reduce_associative, max, [])
assert _trees.reduce_associative(max, [], identity=3) == 3
joined = _trees.reduce_associative(lambda a, b: f"({a}{b})", list("abcde"))
assert joined == "(((ab)(cd))e)", joined


# ---- Layouts of releases where Layout is a layout and its sharding -------------------------------
class DeviceLocalLayout:
    AUTO = "auto"

    def __init__(self, major_to_minor, tiling=None):
        self.major_to_minor, self.tiling = major_to_minor, tiling


class Layout:
    of_class = 7

    def __init__(self, device_local_layout=None, sharding=None):
        self.device_local_layout, self.sharding = device_local_layout, sharding


def of_layouts(*classes):
    """_sharding where JAX has these."""
    from jax._src import layout

    module = types.ModuleType(layout.__name__)
    vars(module).update({each.__name__: each for each in classes})
    sys.modules.pop("callbridge.resurrect._backports._sharding", None)
    sys.modules[layout.__name__] = jax._src.layout = module
    try:
        return importlib.import_module("callbridge.resurrect._backports._sharding")
    finally:
        sys.modules[layout.__name__] = jax._src.layout = layout


without = of_layouts()
assert without.layout(Layout) is None and without.takes_layout(Layout.__init__) is None
assert not hasattr(without, "Format")
layouts = of_layouts(Layout, DeviceLocalLayout)
assert layouts.Format is Layout
both_layouts = layouts.layout(Layout)
assert both_layouts.__name__ == both_layouts.__qualname__ == "Layout"
assert both_layouts.of_class == 7 and both_layouts.__module__ == "jax.experimental.layout"
for plain in (both_layouts((1, 0)), both_layouts([1, 0]), both_layouts(major_to_minor=(1, 0))):
    assert type(plain) is DeviceLocalLayout and tuple(plain.major_to_minor) == (1, 0)
    assert isinstance(plain, both_layouts)
for whole in (both_layouts(plain, 3), both_layouts(layout=plain, sharding=3)):
    assert type(whole) is Layout and isinstance(whole, both_layouts)
    assert whole.device_local_layout is plain and whole.sharding == 3
assert both_layouts(sharding=3).device_local_layout is None
assert not isinstance(3, both_layouts) and not issubclass(int, both_layouts)
assert all(issubclass(each, both_layouts) for each in (Layout, DeviceLocalLayout, both_layouts))
kept.clear()
layouts.takes_layout(lambda *args, **keywords: kept.append((args, keywords)))(1, layout=2)
layouts.takes_layout(lambda *args, **keywords: kept.append((args, keywords)))(1, 2, sharding=3)
assert kept == [((1,), {"device_local_layout": 2}), ((1, 2), {"sharding": 3})], kept

# ---- Arrays --------------------------------------------------------------------------------------
of_arrays = _newer_attributes.NewerAttributes
refused(NotImplementedError, "stream")(of_arrays.to_device, jnp.ones(2), last, stream=1)
refused(ValueError, "immutable")(of_arrays.byteswap, jnp.ones(2), True)
several = jax.device_put(
    np.zeros(4), jax.sharding.NamedSharding(jax.make_mesh((4,), ("i",)), jax.P("i"))
)
refused(ValueError, "expected one device, got 4")(_newer_attributes._only_device, several.sharding)
assert of_arrays.Sharding___call__(jnp.ones(2).sharding) == jax.devices()[0]

# ---- jax.extend.ffi.ffi_call ---------------------------------------------------------------------
todays = recording("(target_name, result_shape_dtypes, *, vmap_method=None)")
assert _ffi_call.returns_a_function(todays) is None
ours = recording("(*args, **keywords)")
ours.__module__ = "callbridge.resurrect._lowering._ffi_call"
assert _ffi_call.returns_a_function(ours) is None
original = recording("(target_name, result_shape_dtypes, *args, vectorized=False, **keywords)")
inline = _ffi_call.returns_a_function(original)
for arguments, keywords in (
    (("f", 2, 3), {}),
    (("f", 2, 3, 4), {"vectorized": True, "a": 1}),
    (("f", 2), {"vectorized": True}),
    (("f", 2), {"attribute": 5, "has_side_effect": True}),
):
    assert inline(*arguments, **keywords) == original(*arguments, **keywords)
for options in ({}, {"vmap_method": "sequential"}, {"has_side_effect": True, "input_layouts": ()}):
    later = inline("f", jax.ShapeDtypeStruct((2,), np.float32), **options)
    assert inspect.isfunction(later), options
print(f"{checked} checked")
