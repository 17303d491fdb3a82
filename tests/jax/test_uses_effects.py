"""Side effects of calls, their order, and failures: what stays, what goes, and what comes after."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge.jax import custom_call
from calls import assert_equal, like, random, square, trees
from jax.experimental import io_callback
from this_jax import fails
from this_platform import effects_barrier

INT = jax.ShapeDtypeStruct((), jnp.int32)
X = random(5)
ONE = np.float32(1)


class Log:
    """What the target "append" was called with."""

    def __init__(self, path):
        self._take = custom_call("take_log", "s32[32]", prefer=path, has_side_effect=True)
        self.take()

    def take(self):
        effects_barrier()
        count, *entries = np.asarray(self._take()).tolist()
        return entries[:count]


@pytest.fixture
def log(path):
    return Log(path)


def append(path, effect=True, **options):
    return custom_call("append", INT, prefer=path, has_side_effect=effect, **options)


# ---- Side effects -------------------------------------------------------------------------------


def test_unused_calls_stay_if_they_have_effects(path, log):
    kept, pure = append(path), append(path, False)

    @jax.jit
    def function(x):
        kept(x)
        pure(x + 10)
        return x

    function(np.int32(1))
    function(np.int32(2))
    assert log.take() == [1, 2]


def test_used_calls_of_both_kinds_run_once_for_each_run(path, log):
    for effect in [True, False]:
        function = jax.jit(append(path, effect))
        assert [int(function(np.int32(i))) for i in (3, 4)] == [3, 4]
        assert log.take() == [3, 4]


def test_equal_calls_with_effects_all_run(path, log):
    # And of equal pure ones XLA may keep one.
    call = append(path)
    jax.jit(lambda x: [call(x) for _ in range(3)])(np.int32(5))
    assert log.take() == [5, 5, 5]


def test_effects_in_the_order_of_the_data(path, log):
    call = append(path)

    @jax.jit
    def function(x):
        for i in range(6):
            x = call(x + i) - i + 1
        return x

    assert function(np.int32(1)) == 7
    assert log.take() == [1, 3, 5, 7, 9, 11]


def test_effects_in_loops_and_branches(path, log):
    call = append(path)
    jax.jit(lambda xs: jax.lax.scan(lambda c, x: (c, call(x)), 0, xs))(np.arange(4, dtype=np.int32))
    assert log.take() == [0, 1, 2, 3]

    jax.jit(lambda n: jax.lax.fori_loop(0, n, lambda i, x: (call(x), x + 1)[1], 7))(3)
    assert log.take() == [7, 8, 9]

    one_of_two = jax.jit(lambda p, x: jax.lax.cond(p, call, lambda x: x, x))
    one_of_two(True, np.int32(1))
    one_of_two(False, np.int32(2))
    assert log.take() == [1]


def test_effects_under_vmap(path, log):
    call = append(path, vmap_method="sequential")
    batch = np.arange(4, dtype=np.int32)
    unused = jax.jit(jax.vmap(lambda x: (call(x), x)[1]))
    assert_equal(unused(batch), batch)
    assert log.take() == [0, 1, 2, 3]


def test_effects_in_a_checkpoint(path, log):
    call = append(path)

    @jax.checkpoint
    def function(x):
        call(np.int32(1))
        return x * x * x

    # JAX itself either refuses effects there or runs them again in the backward pass.
    try:
        jax.jit(jax.grad(function))(ONE)
    except NotImplementedError as error:
        assert "Effects not supported" in str(error)
        assert log.take() == []
    else:
        assert set(log.take()) == {1}


def test_effects_between_ordered_callbacks(path, log):
    # JAX threads tokens through these; the call hangs on their data.
    seen = []

    def callback(x):
        seen.append(("callback", int(x)))
        return x

    call = append(path)

    @jax.jit
    def function(x):
        x = io_callback(callback, INT, x, ordered=True)
        x = call(x) + 1
        x = io_callback(callback, INT, x, ordered=True)
        return call(x)

    assert function(np.int32(1)) == 2
    jax.effects_barrier()
    assert seen == [("callback", 1), ("callback", 2)]
    assert log.take() == [1, 2]


def test_tokens_are_no_operands(path):
    call = append(path)
    for run in (lambda function: function, jax.jit):
        with pytest.raises(TypeError, match=r"operands\[0\] is a token of JAX.*leave it out"):
            run(lambda: call(jax.lax.create_token()))()


# ---- Failures -----------------------------------------------------------------------------------


def test_failure(calls):
    for run in [calls.nonnegative, jax.jit(calls.nonnegative)]:
        for _ in range(2):
            assert run(ONE) == 1
            with fails("negative operand"):
                jax.block_until_ready(run(-ONE))
        assert_equal(run(ONE), ONE)
        # Other calls go on, too.
        assert_equal(calls.square(X), square(X))


def test_failure_has_the_same_words_on_every_path(path):
    with fails("INTERNAL: .*CustomCall failed: negative operand"):
        jax.block_until_ready(custom_call("nonnegative", like(ONE), prefer=path)(-ONE))


def test_exception(path):
    call = custom_call("throw", like(ONE), opaque="Größe\xff".encode(), prefer=path)
    for run in [call, jax.jit(call)]:
        with fails("INTERNAL", "Größe"):
            jax.block_until_ready(run())


def test_failure_in_vmap(calls):
    call = jax.jit(jax.vmap(lambda x: calls.nonnegative(x, vmap_method="sequential")))
    good, bad = np.float32([1, 2, 3]), np.float32([1, -2, 3])
    for _ in range(2):
        assert_equal(call(good), good)
        with fails("negative operand"):
            jax.block_until_ready(call(bad))


def test_failure_in_loops_and_branches(calls):
    scan = jax.jit(lambda xs: jax.lax.scan(lambda c, x: (c, calls.nonnegative(x)), 0, xs)[1])
    loop = jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda _, x: calls.nonnegative(x) - 1, x))
    branch = jax.jit(lambda x: jax.lax.cond(x < 5, calls.nonnegative, lambda x: x, x))
    good = np.float32([1, 2])
    for _ in range(2):
        assert_equal(scan(good), good)
        with fails("negative operand"):
            jax.block_until_ready(scan(-good))
        assert loop(np.float32(2)) == -1
        with fails("negative operand"):
            jax.block_until_ready(loop(ONE))
        assert branch(ONE) == 1
        with fails("negative operand"):
            jax.block_until_ready(branch(-ONE))


def test_nothing_that_hangs_on_a_failed_call_runs(path, log):
    fail = custom_call("nonnegative", like(ONE), prefer=path)
    call = append(path)

    @jax.jit
    def function(x):
        return call(fail(x).astype(jnp.int32))

    with fails("negative operand"):
        jax.block_until_ready(function(-ONE))
    assert log.take() == []
    assert function(np.float32(4)) == 4
    assert log.take() == [4]


def test_failed_result_handed_on(path):
    # Asynchronous dispatch: an array that has failed, as an operand of the next program.
    call = jax.jit(custom_call("nonnegative", like(ONE), prefer=path))
    with fails("negative operand"):
        jax.block_until_ready(call(call(-ONE)))
    assert call(ONE) == 1


def test_failure_beside_trees(calls):
    # In one program with a call that does not fail, and whose result is thrown away.
    operand = (X, (X, np.int32(5)))

    @jax.jit
    def function(x):
        return calls.trees(operand, X), calls.nonnegative(x)

    assert_equal(function(ONE), (trees(operand, X), ONE))
    with fails("negative operand"):
        jax.block_until_ready(function(-ONE))
    assert_equal(function(ONE), (trees(operand, X), ONE))
