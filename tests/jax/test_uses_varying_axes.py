"""shard_map: along which axes of the mesh a call's results differ.

Each kind of call is compared with JAX's own arithmetic on the same operands: which out_specs
shard_map takes, and by what error it refuses the others. CALLBRIDGE_THOROUGH in the environment:
every kind of call in everything that is around it.
"""

import functools
import os

import jax
import numpy as np
import pytest
from callbridge.jax import CallbridgeError, custom_call
from calls import assert_equal, like, random
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from this_jax import PATHS, has, needs, shard_map
from this_platform import ON_GPU

pytestmark = pytest.mark.skipif(
    ON_GPU and jax.device_count() < 4, reason="this machine has less than four GPUs"
)
EVERYWHERE, X, Y, BOTH = P(), P("x"), P("y"), P(("x", "y"))
PARTS = {EVERYWHERE: 1, X: 2, Y: 2, BOTH: 4}
# The operands of a call: along which axes each differs.
OPERANDS = [(EVERYWHERE, X), (X, Y)]
IS_THOROUGH = "CALLBRIDGE_THOROUGH" in os.environ
if IS_THOROUGH:
    OPERANDS += [(EVERYWHERE, EVERYWHERE), (X, X), (BOTH, EVERYWHERE)]
SIZE = 3  # of each device's part


@pytest.fixture(scope="module")
def mesh():
    return Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))


def replicate(mesh, operands, results):
    """The rules of a call that each device makes of the whole arrays."""
    whole = NamedSharding(mesh, P())
    return tuple(tuple(whole for _ in arrays) for arrays in (results, operands))


def partition(mesh, operands, results):
    def on_each(a, ones, n, b):
        return jax.tree_util.tree_leaves(call_of(PATHS[0])(a, b))

    parts, wholes = replicate(mesh, operands, results)
    return mesh, on_each, parts, wholes


RULES = {
    "partition": partition,
    "infer_sharding_from_operands": lambda *arguments: replicate(*arguments)[0],
}
FORMS = {
    **{path: {"prefer": path} for path in PATHS},
    "handler": {},
    "batch_dims": {"batch_dims": 1},
    "partitioning": {"partitioning": RULES},
}


def call_of(form, **options):
    """(a, b) -> a + b, a - b, by one call, which has constants as operands too."""
    target = "trees_typed" if form == "handler" else "trees"

    def call(a, b):
        ones = np.ones(a.shape, np.float32)
        n = np.full(a.shape if form == "batch_dims" else (), a.size, np.int32)
        function = custom_call(target, (like(a), (like(a),)), **FORMS[form], **options)
        sum_, (difference,) = function((a, (ones, n)), b)
        return sum_, difference

    return call


def arithmetic(a, b):
    return a + b, a - b


# ---- What is around a call: a function of `f`, the call or the arithmetic, and of its operands ---


def scan(f, a, b):
    return jax.lax.scan(lambda c, _: (f(c, b)[0], None), a + b, None, length=2)[0]


def while_(f, a, b):
    return jax.lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, f(c[1], b)[0]), (0, a + b))[
        1
    ]


def cond(f, a, b):
    return jax.lax.cond(b[0] > 0, lambda a, b: f(a, b)[0], lambda a, b: a * b, a, b)


def gradient(f, a, b):
    @jax.custom_vjp
    def function(a, b):
        return f(a, b)[0]

    function.defvjp(
        lambda a, b: (function(a, b), (a, b)), lambda saved, g: (f(*saved)[1] * g, f(*saved)[0] * g)
    )
    return jax.grad(lambda a: function(a, b).sum())(a)


AROUND = {
    "nothing": lambda f, a, b: f(a, b),
    "constant": lambda f, a, b: f(a, np.ones(a.shape, a.dtype)),
    "scan": scan,
    "while": while_,
    "cond": cond,
    "jit": lambda f, a, b: jax.jit(f)(a, b),
    "checkpoint": lambda f, a, b: jax.checkpoint(f)(a, b),
    "gradient": gradient,
}


def vmapped(method):
    def around(f, a, b):
        options = {} if f is arithmetic else {"vmap_method": method}
        return jax.vmap(functools.partial(f, **options), in_axes=(0, None))(a[:, None], b[:1])

    return around


AROUND.update(
    (method, vmapped(method)) for method in ("sequential", "expand_dims", "broadcast_all")
)


def taken(mesh, function, specs, out_specs):
    """What shard_map says to the function of these operands: None, or the class of its error."""
    operands = [np.zeros(SIZE * PARTS[spec], np.float32) for spec in specs]
    try:
        jax.make_jaxpr(shard_map(function, mesh, specs, out_specs, True))(*operands)
    except (ValueError, TypeError, NotImplementedError) as error:
        return type(error).__name__
    return None


def outcomes(mesh, around, f, specs):
    return [taken(mesh, functools.partial(AROUND[around], f), specs, out) for out in PARTS]


CASES = [
    (form, around)
    for form in FORMS
    for around in AROUND
    if IS_THOROUGH or around == "nothing" or form == PATHS[-1]
]


@pytest.mark.parametrize("form, around", CASES)
def test_results_differ_where_those_of_arithmetic_do(library, mesh, form, around):
    def call(a, b, **options):
        return call_of(form, **options)(a, b)

    for specs in OPERANDS:
        expected = outcomes(mesh, around, arithmetic, specs)
        assert outcomes(mesh, around, call, specs) == expected, specs
        if around == "nothing":
            assert "ValueError" in expected or specs == (EVERYWHERE, EVERYWHERE)


@pytest.mark.parametrize("form", set(FORMS) - {"batch_dims"})
def test_values(library, mesh, form):
    a, b = random(2 * SIZE), random(2 * SIZE, seed=1)
    function = shard_map(functools.partial(scan, call_of(form)), mesh, (X, Y), BOTH, True)
    parts = [(one, other) for one in np.split(a, 2) for other in np.split(b, 2)]
    expected = np.concatenate([((one + other) + other) + other for one, other in parts])
    assert_equal(jax.jit(function)(a, b), expected)


@pytest.mark.parametrize("first", range(5))
def test_one_function_of_several_meshes_and_outside(calls, mesh, first):
    """What a function of custom_call() keeps of one call it does not take for another, whichever
    comes first."""
    call = functools.partial(call_of(calls.way), np.ones(SIZE, np.float32))
    function = functools.partial(calls.target("square", f"f32[{SIZE}]"), np.int32(SIZE))
    line = Mesh(np.array(jax.devices()[:2]), ("x",))
    x = random(SIZE)

    def outside():
        assert_equal(function(x), x * x)
        assert_equal(jax.jit(function)(x), x * x)
        assert_equal(jax.jit(call)(x)[0], 1 + x)

    def inside(mesh, of, out, expected):
        assert taken(mesh, lambda x: function(x), (of,), out) == expected

    uses = [
        functools.partial(inside, mesh, EVERYWHERE, EVERYWHERE, None),
        functools.partial(inside, line, X, EVERYWHERE, "ValueError"),
        functools.partial(inside, line, X, X, None),
        functools.partial(inside, mesh, X, EVERYWHERE, "ValueError"),
        outside,
    ]
    for use in 2 * (uses[first:] + uses[:first]):
        use()


def test_a_call_without_operands(library, mesh):
    """Every device makes the same one, as far as JAX can know."""
    call = custom_call("take_log", "s32[32]", prefer=PATHS[0])
    function = shard_map(lambda _: call(), mesh, X, BOTH, True)
    assert jax.eval_shape(function, np.zeros(2, np.float32)).shape == (4 * 32,)
    if has("a replicated result of no operands"):
        assert taken(mesh, lambda _: call(), (X,), EVERYWHERE) is None


# ---- Results whose axes the user states ---------------------------------------------------------


def stated(array, *axes):
    try:
        kind = jax.sharding.ManualAxisType(varying=frozenset(axes))
        return jax.ShapeDtypeStruct(array.shape, array.dtype, manual_axis_type=kind)
    except AttributeError:
        return jax.ShapeDtypeStruct(array.shape, array.dtype, vma=frozenset(axes))


@needs("types that say over which axes values vary")
@pytest.mark.parametrize("form", ["call", "batch_dims", "partitioning"])
def test_stated_axes_are_added_to_those_of_the_operands(library, mesh, form):
    options = {"call": {}, **FORMS}[form]

    def outcome(result, out_specs):
        call = custom_call("copy_typed", result, **options)
        return taken(mesh, call, (X,), out_specs)

    part = np.zeros(SIZE, np.float32)
    types = []
    jax.eval_shape(
        shard_map(lambda x: types.append(jax.typeof(x)), mesh, X, None, True),
        np.zeros(2 * SIZE, np.float32),
    )
    for result in (*types, stated(part), stated(part, "x")):
        assert outcome(result, X) is None
        assert outcome(result, EVERYWHERE) == "ValueError"
    assert outcome(stated(part, "y"), BOTH) is None
    assert outcome(stated(part, "y"), X) == "ValueError"


@needs("types that say over which axes values vary")
def test_stated_axes_that_the_mesh_lacks(library, mesh):
    x = np.zeros(2 * SIZE, np.float32)
    call = custom_call("copy_typed", stated(x[:SIZE], "another"))
    with pytest.raises(CallbridgeError, match="(?s)INVALID_ARGUMENT: .*'another'.*jax.shard_map"):
        jax.make_jaxpr(shard_map(call, mesh, X, X, True))(x)
