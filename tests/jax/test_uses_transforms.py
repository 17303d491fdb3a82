"""Calls under JAX's transformations, compared with NumPy bit for bit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge.jax import custom_call
from calls import assert_equal, like, random, square, trees

X, A, B, C = random(4, 5)
N = np.int32(5)
BATCH = random(3, 5, seed=1)
BATCHES = random(2, 3, 5, seed=2)


@pytest.fixture(params=["sequential", "sequential_unrolled"])
def one_by_one(request):
    return request.param


# ---- Outside and inside of jit ------------------------------------------------------------------


@pytest.mark.parametrize("run", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_call(calls, run):
    assert_equal(run(calls.square)(X), square(X))
    assert_equal(run(calls.square)(jnp.asarray(X)), square(X))
    assert_equal(run(calls.trees)((A, (B, N)), C), trees((A, (B, N)), C))


def test_disable_jit(calls):
    with jax.disable_jit():
        assert_equal(jax.jit(calls.square)(X), square(X))
        assert_equal(jax.jit(calls.trees)((A, (B, N)), C), trees((A, (B, N)), C))


def test_jit_in_jit(calls):
    inner = jax.jit(calls.square)
    assert_equal(jax.jit(lambda x: inner(inner(x)))(X), square(square(X)))


def test_ahead_of_time(calls):
    compiled = jax.jit(calls.square).lower(X).compile()
    assert_equal(compiled(X), square(X))
    shapes = ((like(A), (like(B), like(N))), like(C))
    compiled = jax.jit(calls.trees).lower(*shapes).compile()
    assert_equal(compiled((A, (B, N)), C), trees((A, (B, N)), C))


def test_jaxpr(calls):
    jaxpr = jax.make_jaxpr(calls.square)(X)
    assert len(jaxpr.eqns) == 1 and "square" in str(jaxpr)


def test_shapes_are_evaluated_without_a_call(path):
    append = custom_call("append", "s32[]", prefer=path)
    take_log = custom_call("take_log", "s32[32]", prefer=path)
    take_log()
    assert jax.eval_shape(append, np.int32(1)).shape == ()
    assert take_log()[0] == 0


def test_equal_calls_compile_once(calls, caplog):
    # Outside of jit, a new call is recognised as the one that has been compiled.
    x = jnp.asarray(random({"version_3": 71, "typed": 72, "handler": 73}[calls.way]))

    def compilations():
        caplog.clear()
        with jax.log_compiles():
            calls.square(x).block_until_ready()
        return [r.message for r in caplog.records if "Finished XLA compilation" in r.message]

    assert len(compilations()) == 1
    assert compilations() == []


def test_traced_once_and_called_often(calls):
    traced = []

    @jax.jit
    def function(x):
        traced.append(x)
        return calls.square(x)

    for i in range(3):
        assert_equal(function(X + np.float32(i)), square(X + np.float32(i)))
    assert len(traced) == 1


# ---- vmap ---------------------------------------------------------------------------------------


def test_vmap(calls, one_by_one):
    call = jax.vmap(lambda x: calls.square(x, vmap_method=one_by_one))
    for run in [call, jax.jit(call)]:
        assert_equal(run(BATCH), square(BATCH))


def test_vmap_over_other_axes(calls, one_by_one):
    def call(x):
        return calls.square(x, vmap_method=one_by_one)

    assert_equal(jax.vmap(call, in_axes=1)(BATCH.T), square(BATCH))
    assert_equal(jax.vmap(call, in_axes=1, out_axes=1)(BATCH.T), square(BATCH.T))


def test_nested_vmap(calls, one_by_one):
    def call(x):
        return calls.square(x, vmap_method=one_by_one)

    assert_equal(jax.jit(jax.vmap(jax.vmap(call)))(BATCHES), square(BATCHES))
    swapped = jax.vmap(jax.vmap(call, in_axes=0), in_axes=1, out_axes=1)(BATCHES)
    assert_equal(swapped, square(BATCHES))


def test_vmap_of_tuples(calls, one_by_one):
    def call(operand, c):
        return calls.trees(operand, c, vmap_method=one_by_one)

    mapped = jax.vmap(call, in_axes=((0, (0, None)), 0))
    a, b, c = BATCH, BATCH + np.float32(1), BATCH - np.float32(1)
    assert_equal(jax.jit(mapped)((a, (b, N)), c), trees((a, (b, N)), c))
    # Where only some are mapped, the others are the same for each.
    mapped = jax.vmap(call, in_axes=((None, (0, None)), None))
    assert_equal(mapped((A, (b, N)), C), (A + b * C, (np.stack([A - C] * 3),)))


def test_vmap_of_tuples_of_one(path, one_by_one):
    call = custom_call("one_of_one", (like(X[0]),), prefer=path, vmap_method=one_by_one)
    assert_equal(jax.vmap(call)(((X,),)), (X + np.float32(1),))
    assert_equal(jax.jit(jax.vmap(jax.vmap(call)))(((BATCH,),)), (BATCH + np.float32(1),))


def test_tuple_results_of_one(path):
    # Alone in making the call other than one of arrays.
    call = custom_call("tuple_of_one", (like(X[0]),), prefer=path, vmap_method="sequential")
    plus_one = X + np.float32(1)
    for run in [call, jax.jit(call)]:
        assert_equal(run(X[0]), (plus_one[0],))
    assert_equal(jax.jit(jax.vmap(call))(X), (plus_one,))
    assert_equal(jax.lax.map(call, X), (plus_one,))


@pytest.mark.parametrize("method", ["expand_dims", "broadcast_all"])
def test_vmap_as_the_user_declares(calls, method):
    # The target is handed the whole batch, and n is its size.
    def call(n, x):
        return calls.target("square", like(x), vmap_method=method)(n, x)

    n = np.full(3, BATCH.size, np.int32)
    assert_equal(jax.jit(jax.vmap(call))(n, BATCH), square(BATCH))
    assert_equal(jax.vmap(call, in_axes=(None, 0))(n[0], BATCH), square(BATCH))


def test_vmap_methods_hand_over_what_jax_says(path):
    # x is mapped, y is not: [3] beside [1] by expand_dims, [3] beside [3] by broadcast_all.
    for method, sizes in [("expand_dims", {"3xf32", "1xf32"}), ("broadcast_all", {"3xf32"})]:
        call = custom_call("square_derivative", like(X[0]), prefer=path, vmap_method=method)
        mapped = jax.vmap(call, in_axes=(None, 0, None))
        told = jax.jit(mapped).lower(N, X[:3], X[0]).as_text()
        line = next(line for line in told.splitlines() if "@square_derivative" in line)
        operands = line.split(" : (")[1].split(") -> ")[0]
        assert {o[7:-1] for o in operands.split(", ")} - {"1xi32", "3xi32"} == sizes, line


def test_vmap_without_a_method_is_refused(calls):
    with pytest.raises(NotImplementedError, match="(?i)vmap"):
        jax.vmap(calls.square)(BATCH)


def test_vmap_by_an_unknown_method_is_refused(calls):
    with pytest.raises(ValueError, match="(?s)(?=.*at_once)(?=.*sequential)"):
        calls.square(X, vmap_method="at_once")


# ---- Derivatives --------------------------------------------------------------------------------


def derivative(calls, x, t):
    path = None if calls.way == "handler" else calls.way
    n = np.int32(x.shape[0])
    return custom_call("square_derivative", like(x), prefer=path, vmap_method="sequential")(n, x, t)


def with_vjp(calls):
    @jax.custom_vjp
    def function(x):
        return calls.square(x, vmap_method="sequential")

    function.defvjp(lambda x: (function(x), x), lambda x, t: (derivative(calls, x, t),))
    return function


def test_grad(calls):
    function = with_vjp(calls)
    gradient = jax.grad(lambda x: function(x).sum())
    for run in [gradient, jax.jit(gradient)]:
        assert_equal(run(X), 2 * X)
    assert_equal(jax.vmap(gradient)(BATCH), 2 * BATCH)
    value, pullback = jax.vjp(function, X)
    assert_equal(value, square(X))
    assert_equal(pullback(A)[0], 2 * X * A)


def test_jacobian(calls):
    assert_equal(jax.jacrev(with_vjp(calls))(X), 2 * X * np.eye(5, dtype=np.float32))


def test_grad_through_a_checkpoint(calls):
    function = jax.checkpoint(with_vjp(calls))
    gradient = jax.jit(jax.grad(lambda x: function(function(x)).sum()))
    assert_equal(gradient(X), 2 * X * (2 * square(X)))


def test_jvp(calls):
    @jax.custom_jvp
    def function(x):
        return calls.square(x, vmap_method="sequential")

    @function.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return function(x), derivative(calls, x, jnp.ones_like(x)) * t

    value, tangent = jax.jit(lambda x, t: jax.jvp(function, (x,), (t,)))(X, A)
    assert_equal(value, square(X))
    assert_equal(tangent, 2 * X * A)
    assert_equal(jax.grad(lambda x: function(x).sum())(X), 2 * X)


def test_no_derivatives_of_its_own(calls):
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.grad(lambda x: calls.square(x).sum())(X)


# ---- Control flow -------------------------------------------------------------------------------


def test_scan(calls):
    def step(carry, x):
        carry = calls.square(carry)
        return carry, calls.square(x)

    carry, squares = jax.jit(lambda c, x: jax.lax.scan(step, c, x))(X, BATCH)
    expected = X
    for _ in BATCH:
        expected = square(expected)
    assert_equal(carry, expected)
    assert_equal(squares, square(BATCH))


def test_scan_over_tuples(calls):
    def step(carry, c):
        a, (b,) = carry
        return calls.trees((a, (b, N)), c), a

    (a, (b,)), steps = jax.lax.scan(step, (A, (B,)), BATCH)
    expected, expected_steps = (A, (B,)), []
    for c in BATCH:
        expected_steps.append(expected[0])
        expected = trees((expected[0], (expected[1][0], N)), c)
    assert_equal((a, (b,)), expected)
    assert_equal(steps, np.stack(expected_steps))


def test_scan_over_tuples_of_one(path):
    call = custom_call("one_of_one", (like(X[0]),), prefer=path)
    (last,), steps = jax.lax.scan(lambda carry, _: (call((carry,)), carry[0]), (X[0],), None, 3)
    expected = [X[0]]
    for _ in range(3):
        expected.append(expected[-1] + np.float32(1))
    assert_equal((last, steps), (expected[3], np.stack(expected[:3])))


def test_cond(calls):
    function = jax.jit(lambda p, x: jax.lax.cond(p, calls.square, lambda x: x, x))
    assert_equal(function(True, X), square(X))
    assert_equal(function(False, X), X)
    trees_or_not = jax.jit(
        lambda p: jax.lax.cond(
            p, lambda: calls.trees((A, (B, N)), C), lambda: (jnp.asarray(A), (jnp.asarray(B),))
        )
    )
    assert_equal(trees_or_not(True), trees((A, (B, N)), C))
    assert_equal(trees_or_not(False), (A, (B,)))


def test_switch_under_vmap(calls):
    # Which calls both branches and selects.
    def call(i, x):
        branches = [lambda x: calls.square(x, vmap_method="sequential"), lambda x: x]
        return jax.lax.switch(i, branches, x)

    assert_equal(
        jax.vmap(call)(np.array([0, 1, 0]), BATCH),
        np.stack([square(BATCH[0]), BATCH[1], square(BATCH[2])]),
    )


def test_while(calls):
    def steps(count, x):
        return jax.lax.while_loop(
            lambda state: state[0] < count,
            lambda state: (state[0] + 1, calls.square(state[1])),
            (0, x),
        )

    count, result = jax.jit(steps)(3, X)
    assert count == 3
    assert_equal(result, square(square(square(X))))


def test_fori_loop_and_map(calls):
    assert_equal(jax.lax.fori_loop(0, 2, lambda _, x: calls.square(x), X), square(square(X)))
    assert_equal(jax.lax.map(calls.square, BATCH), square(BATCH))
