"""Operands, results, opaques and attributes that are none."""

import collections

import jax
import jax.numpy as jnp
import numpy as np
from callbridge.jax import CallbridgeError, custom_call
from programs import F32, ONE, load_uses, program, raised, refused
from this_jax import PATHS, JaxRuntimeError, has
from this_platform import ON_GPU, PLATFORM

Pair = collections.namedtuple("Pair", "x y")


def runs():
    """That the process is as good as before."""
    assert custom_call("add_opaque", F32, opaque=b"\1")(ONE) == 2


@program
def operands_that_are_no_trees():
    load_uses()
    wrong = [
        [ONE],
        None,
        {"x": ONE},
        Pair(ONE, ONE),
        1,
        1.5,
        True,
        1j,
        "text",
        b"bytes",
        range(3),
        {ONE},
        iter([ONE]),
        np.float32,
        object(),
        F32,
        (ONE, [ONE]),
        (ONE, (None,)),
        ((), {}),
    ]
    for path in PATHS:
        call = custom_call("add_opaque", F32, prefer=path)
        for operand in wrong:
            raised(TypeError, lambda: call(operand), r"operands\[0\]|JAX type")  # noqa: B023
    handler = custom_call("square_typed", F32)
    for operand in wrong:
        raised(TypeError, lambda: handler(ONE, operand), r"operands\[1\]|JAX type")  # noqa: B023
    raised(TypeError, lambda: custom_call("add_opaque", F32)(x=ONE), "x")
    runs()


@program
def operands_of_unknown_types():
    load_uses()
    call = custom_call("add_opaque", F32)
    for operand in [
        np.array(["text"]),
        np.array([None]),
        np.array([1], ">f4"),
        np.array([1], "datetime64[s]"),
        np.zeros(3, [("a", "f4")]),
        np.longdouble(1),
        np.zeros(1, jax.dtypes.float0),
        jax.random.key(0),
    ]:
        for run in [call, jax.jit(call)]:
            raised((TypeError, CallbridgeError), lambda: run(operand))  # noqa: B023
    runs()


@program
def wrong_numbers_and_types_of_operands_for_typed_handlers():
    load_uses()
    wrong = "INVALID_ARGUMENT" if has("codes of errors") else "Wrong"
    call = custom_call("square_typed", F32)
    for operands in [(), (np.int32(1),), (np.int32(1), ONE, ONE), ((np.int32(1), ONE), ONE)]:
        raised(
            (JaxRuntimeError, ValueError),
            lambda: jax.block_until_ready(jax.jit(call)(*operands)),  # noqa: B023
            wrong,
        )
    raised(
        (JaxRuntimeError, ValueError),
        lambda: jax.block_until_ready(call(np.int32(1), np.int32(1))),
        wrong,
    )
    assert call(np.int32(1), ONE) == 1


@program
def trees_of_any_depth():
    # A tree is described to the target by its nesting, which is bounded somewhere: no crash.
    load_uses()
    deep = ONE
    for _ in range(100_000):
        deep = (deep,)
    for path in PATHS:
        call = custom_call("one_of_one", (F32,), prefer=path)
        raised((RecursionError, CallbridgeError), lambda: call(deep))  # noqa: B023
        raised((RecursionError, CallbridgeError), lambda: custom_call("one_of_one", deep))
    text = "(" * 100_000 + "f32[]" + ")" * 100_000
    raised((RecursionError, CallbridgeError), lambda: custom_call("one_of_one", text))
    runs()


@program
def results_larger_than_memory():
    load_uses()
    big = jax.ShapeDtypeStruct((1 << 42,), np.float32)
    for path in PATHS:
        for result in [big, (big,), (F32, (big, big))]:
            call = jax.jit(custom_call("one_of_one", result, prefer=path))
            for _ in range(2):
                raised(
                    (JaxRuntimeError, ValueError),
                    lambda: jax.block_until_ready(call((ONE,))),  # noqa: B023
                    "(?i)out of memory|RESOURCE_EXHAUSTED",
                )
            runs()


@program
def results_larger_than_numbers():
    # XLA ends the process where a shape's size is beyond 64 bits.
    load_uses()
    big = 1 << 62
    for dimensions in [(big, big), (1 << 32, 1 << 32), (1 << 61,), (1 << 63,), (big, big, 0)]:
        huge = jax.ShapeDtypeStruct(dimensions, np.float32)
        for result in [huge, (F32, (huge,))]:
            refused(
                "INVALID_ARGUMENT",
                lambda: custom_call("add_opaque", result),  # noqa: B023
                "result",
                "bytes",
            )
    # A byte each, as XLA has them in memory.
    huge = jax.ShapeDtypeStruct((1 << 63,), jnp.int4)
    refused("INVALID_ARGUMENT", lambda: custom_call("add_opaque", huge), "result", "bytes")
    refused(
        "INVALID_ARGUMENT",
        lambda: custom_call("add_opaque", "f32[4611686018427387904,4]"),
        "too large",
    )
    runs()


@program
def results_that_are_no_shapes():
    load_uses()

    class Like:
        def __init__(self, shape, dtype):
            self.shape, self.dtype = shape, dtype

    wrong = ["f32[-1]", "f33[]", "", "f32[2", "token[]", "f32[2]{0}", "(f32[]", "f32[2]x"]
    wrong += [[F32], None, {"x": F32}, Pair(F32, F32), 1.5, (F32, None), np.float32, b"f32[]"]
    wrong += [
        Like((-1,), np.dtype("f4")),
        Like((2.5,), np.dtype("f4")),
        Like(("a",), np.dtype("f4")),
        Like(None, np.dtype("f4")),
        Like(2, np.dtype("f4")),
        Like((2,), "nonsense"),
        Like((2,), None),
        Like((2,), np.dtype("datetime64[s]")),
        Like((2,), np.dtype("f4, i4")),
        Like((2,), np.dtype(">f4")),
        Like((2,), jax.dtypes.float0),
        Like((2,), jax.random.key(0).dtype),
    ]
    for path in PATHS:
        for result in wrong:
            for tree in [result, (F32, result)] if not isinstance(result, str) else [result]:
                raised(
                    (TypeError, CallbridgeError),
                    lambda: custom_call("add_opaque", tree, prefer=path)(ONE),  # noqa: B023
                    "result|(?i:shape)|dtype",
                )
    runs()


@program
def opaques_that_are_none():
    load_uses()
    for opaque in ["text", None, 5, [1, 2], np.zeros(2, np.uint8), ONE, {"a": 1}]:
        raised(TypeError, lambda: custom_call("add_opaque", F32, opaque=opaque), "opaque")  # noqa: B023
    for path in PATHS:
        for size in [0, 1, 16 << 20]:
            opaque = b"\1" * size
            assert custom_call("add_opaque", F32, opaque=opaque, prefer=path)(ONE) == 1 + size
    refused("INVALID_ARGUMENT", lambda: custom_call("square_typed", F32, opaque=b"x"), "attributes")


@program
def attributes_that_are_none():
    load_uses()

    class Odd:
        def __hash__(self):
            raise RuntimeError("no hash")

    circle = {}
    circle["x"] = circle
    for attributes in [
        [("x", 1)],
        "text",
        5,
        {1: 1},
        {None: 1},
        {"x": None},
        {"x": [1, 2]},
        {"x": (1,)},
        {"x": 1j},
        {"x": Odd()},
        {"x": 2**63},
        {"x": -(2**63) - 1},
        {"x": np.array("text")},
        {"x": np.array([None])},
        {"x": np.longdouble(1)},
        {"x": np.datetime64("2020-01-01")},
        {"x": jnp.zeros},
        {"x": {"y": {"z": object()}}},
        circle,
    ]:
        raised(
            (TypeError, CallbridgeError, RecursionError),
            lambda: custom_call("square_typed", F32, attributes=attributes)(  # noqa: B023
                np.int32(1), ONE
            ),
        )
    refused("INVALID_ARGUMENT", lambda: custom_call("square", F32, attributes={"x": 1}), "opaque=")
    runs()


@program
def operands_that_are_gone():
    load_uses()
    call = custom_call("add_opaque", F32, opaque=b"\1")
    x = jnp.float32(1)
    x.delete()
    for run in [call, jax.jit(call)]:
        raised((RuntimeError, ValueError), lambda: run(x), "deleted")  # noqa: B023
    runs()


@program
def options_that_are_none():
    load_uses()
    refused("INVALID_ARGUMENT", lambda: custom_call("square", F32, prefer="fast"), "'version_3'")
    refused("INVALID_ARGUMENT", lambda: custom_call("square", F32, tuple_layout="old"), "'nested'")
    refused("INVALID_ARGUMENT", lambda: custom_call("square", F32, abi="v1"), "'original'")
    refused("INVALID_ARGUMENT", lambda: custom_call("square", F32, platform="tpu"), "tpu")
    other = "ROCM" if ON_GPU else "CUDA"
    refused("NOT_FOUND", lambda: custom_call("square", F32, platform=other), other)
    refused("NOT_FOUND", lambda: custom_call("squared", F32, platform=PLATFORM), "square ")
    raised(
        ValueError,
        lambda: custom_call("square", F32, vmap_method="at_once")(np.int32(1), ONE),
        "at_once",
    )
    runs()
