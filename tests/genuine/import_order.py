"""Imports the participants in the order given, and lets each do its own work after its import, and
once more when all are there.

  python import_order.py callbridge,jax,tensorflow,second_tensorflow

Runs under any Python that has them; test_import_orders.py runs it in fresh processes.
"""

import ctypes
import os
import pathlib
import sys

import numpy as np

TESTS = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"]).parent / "tests"
TARGETS = TESTS / "targets"
SECOND_TENSORFLOW = TESTS / "genuine/second_tensorflow.so"


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

    # With xla::ShapeProto, on callbridge's protobuf.
    shapes = callbridge.library.load(TARGETS / "shape_proto_linked.so")
    token = shapes.run("read_shape", [], "u8[1000]", opaque=b"\x10\x11")
    assert b"\nelement_type: TOKEN\n" in token.tobytes()


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


def use_second_tensorflow():
    # `import tensorflow` puts TensorFlow's libraries into the global scope. Without RTLD_DEEPBIND
    # 2.13.1 binds to them, and aborts in a constructor: "File already exists in database".
    second = ctypes.CDLL(str(SECOND_TENSORFLOW), os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND)
    assert second.run_add(20, 22) == 1042


def use_callbridge_in_second_tensorflow():
    import callbridge.library

    # Its targets are taken from the one of the two TensorFlows that has them.
    library = callbridge.library.load(SECOND_TENSORFLOW)
    assert "libtensorflow_cc-2.13" in library.targets[0].evidence, library.targets[0].evidence
    assert library.run("add", [np.int32(20), np.int32(22)], "s32[]") == 1042


USES = {
    "callbridge": use_callbridge,
    "jax": use_jax,
    "tensorflow": use_tensorflow,
    "second_tensorflow": use_second_tensorflow,
}


def main(order):
    for name in order * 2:
        USES[name]()
    if "callbridge" in order:
        use_callbridge_together(order)
    print("each does its own work")


def use_callbridge_together(order):
    import jax

    if "second_tensorflow" in order:
        use_callbridge_in_second_tensorflow()
    if tuple(map(int, jax.__version__.split(".")[:2])) >= (0, 10):
        use_callbridge_in_jax()
    for name in order:
        USES[name]()


if __name__ == "__main__":
    main(sys.argv[1].split(","))
