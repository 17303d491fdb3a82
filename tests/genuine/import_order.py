"""Imports callbridge, jax and tensorflow in the order given, and lets each do its own work after
each import, and once more when all are there.

  python import_order.py callbridge,jax,tensorflow

Runs under any Python that has them; test_import_orders.py runs it in fresh processes.
"""

import os
import pathlib
import sys

import numpy as np

TARGETS = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"]).parent / "tests/targets"


def use_callbridge():
    import callbridge.library

    for name in ("every_way_cc_new_imported.so", "every_way_unlinked_old_private.so"):
        library = callbridge.library.load(TARGETS / name)
        assert library.run("add", [np.int32(20), np.int32(22)], "s32[]") == 42
        try:
            library.run("divide", [np.int32(7), np.int32(0)], "s32[]")
            raise AssertionError("a division by zero succeeded")
        except callbridge.library.CallbridgeError as error:
            assert str(error) == "INTERNAL: CustomCall failed: division of 7"


def use_jax():
    import jax
    import jax.numpy as jnp

    # Triangular solves are custom calls of jaxlib's own.
    matrix = jnp.eye(4) * 2
    solve = jax.jit(lambda b: jax.scipy.linalg.solve_triangular(matrix, b))
    assert np.allclose(solve(jnp.ones(4)), 0.5)


def use_callbridge_in_jax():
    import callbridge.jax
    import jax
    import jax.numpy as jnp

    callbridge.jax.load(TARGETS / "every_way_framework_old_imported.so")
    add = callbridge.jax.custom_call("add", jax.ShapeDtypeStruct((), jnp.int32))
    assert jax.jit(add)(np.int32(20), np.int32(22)) == 42


def use_tensorflow():
    import tensorflow as tf

    # Sorting by TensorFlow's XLA is a call out of the compiled code.
    sort = tf.function(lambda x: tf.sort(tf.tanh(x)), jit_compile=True)
    x = np.linspace(3, -3, 7, dtype=np.float32)
    assert np.allclose(sort(x), np.tanh(x)[::-1], atol=1e-6)


USES = {"callbridge": use_callbridge, "jax": use_jax, "tensorflow": use_tensorflow}


def main(order):
    for name in order:
        USES[name]()
    for name in order:
        USES[name]()
    import jax

    if tuple(map(int, jax.__version__.split(".")[:2])) >= (0, 10):
        use_callbridge_in_jax()
        use_tensorflow()
    print("each does its own work")


if __name__ == "__main__":
    main(sys.argv[1].split(","))
