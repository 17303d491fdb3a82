"""Operator information, as MindSpore's CustomRegOp(...).get_op_info() returns it: what all faces
check before a target of any ABI is called."""

import json
import os
import subprocess
import sys

import callbridge.library
import callbridge.numpy
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from callbridge._core import _c_api
from callbridge.jax import custom_call
from operator_infos import add_operator, information, register, with_factor
from refused import refused
from this_jax import PATHS, needs

X = np.arange(4, dtype=np.float32)
N = np.int32(4)
F32x4 = jax.ShapeDtypeStruct((4,), np.float32)


@pytest.fixture(scope="module", autouse=True)
def targets(modules, library):
    register(modules, library)


@pytest.fixture
def add(modules):
    return add_operator(modules)


# ---- What is checked ----------------------------------------------------------------------------


def test_targets_of_every_abi(call_on, add):
    triple = information(("float32", "float32", "float32"), inputs=("a", "b"))
    assert (np.asarray(call_on(add, "f32[4]", operator_info=triple)(X, X)) == X + X).all()
    with refused("INVALID_ARGUMENT", r"operand 1 \(b\) must be f32, but is s32\[4\]"):
        call_on(add, "f32[4]", operator_info=triple)(X, X.astype(np.int32))

    scaled = call_on(
        "typed_scale", "f32[4]", attributes={"factor": np.float32(2)}, operator_info=with_factor()
    )
    assert (np.asarray(scaled(X)) == 2 * X).all()
    with refused("INVALID_ARGUMENT", r"operand 0 \(x\) must be f32, but is s32\[4\]"):
        scaled(X.astype(np.int32))

    pair = information(("int32", "float32", "float32"), inputs=("n", "x"))
    assert (np.asarray(call_on("square", "f32[4]", operator_info=pair)(N, X)) == X * X).all()
    with refused("INVALID_ARGUMENT", r"operand 0 \(n\) must be s32, but is s16\[\]"):
        call_on("square", "f32[4]", operator_info=pair)(np.int16(4), X)


def test_the_nearest_combination_is_named(call_on):
    info = information(
        ("int32", "int32", "int32"), ("int32", "float32", "float32"), inputs=("n", "x")
    )
    call = call_on("square", "f32[4]", operator_info=info)
    words = [
        r'custom call "square": its operator information "op" allows \(n s32, x s32\) -> \(y s32\) '
        r"or \(n s32, x f32\) -> \(y f32\)",
        r"but the call has \(s8\[\], f32\[4\]\) -> \(f32\[4\]\)",
        r"nearest is combination 2 of 2, .*: operand 0 \(n\) must be s32, but is s8\[\]",
    ]
    with refused("INVALID_ARGUMENT", *words):
        call(np.int8(4), X)
    assert (np.asarray(call(N, X)) == X * X).all(), "after a failure"


def test_counts_and_platforms(call_on):
    one = information(("", "", ""), outputs=("y", "z"))
    with refused("INVALID_ARGUMENT", r"declares 1 operands \(x\), but the call has 2"):
        call_on("square", "f32[4]", operator_info=one)(N, X)
    with refused("INVALID_ARGUMENT", r"declares 2 results \(y, z\), but the call has 1"):
        call_on("square", "f32[4]", operator_info=one)(X)
    gpu = information(("int32", "float32", "float32"), inputs=("n", "x"), target="GPU")
    with refused("INVALID_ARGUMENT", 'information "op" is for GPU, but the call is made on Host'):
        call_on("square", "f32[4]", operator_info=gpu)(N, X)


def test_none_is_any_type(call_on):
    info = information(("", "", ""), inputs=("n", "x"))
    assert info["dtype_format"] == [(("", ""),) * 3]  # DataType.None_None
    assert (np.asarray(call_on("square", "f32[4]", operator_info=info)(N, X)) == X * X).all()


def test_formats_are_ranks(call_on):
    info = information(("int32 DefaultFormat", "float32 NHWC", "float32 NHWC"), inputs=("n", "x"))
    call = call_on("square", "f32[1,2,2,1]", operator_info=info)
    image = X.reshape(1, 2, 2, 1)
    assert (np.asarray(call(N, image)) == image * image).all()
    with refused("INVALID_ARGUMENT", "must be f32 NHWC, which has rank 4, but is f32.4."):
        call(N, X)


def test_element_types_that_numpy_lacks():
    for dtype, name, text in [
        (ml_dtypes.bfloat16, "bfloat16", "bf16"),
        (ml_dtypes.float8_e4m3fn, "f8e4m3fn", "f8e4m3fn"),
    ]:
        info = information((name, "pred"))
        call = callbridge.numpy.custom_call("nonnegative", "pred[4]", operator_info=info)
        with refused("INVALID_ARGUMENT", rf"operand 0 \(x\) must be {text}, but is f32\[4\]"):
            call(X)
        with refused("INVALID_ARGUMENT", rf"result 0 \(y\) must be pred, but is {text}\[4\]"):
            like = jax.ShapeDtypeStruct((4,), dtype)
            callbridge.numpy.custom_call("nonnegative", like, operator_info=info)(X.astype(dtype))
        with refused("INVALID_ARGUMENT", rf"operand 0 \(x\) must be {text}, but is f32\[4\]"):
            jax.eval_shape(custom_call("nonnegative", "pred[4]", operator_info=info), X)


def test_tuples(call_on):
    # trees: (a, (b, n)), c -> ...
    info = information(("float32", "float32", "float32"), inputs=("x", "c"), outputs=("y", "z"))
    info["dtype_format"] = [
        [("", "", "tuple"), ("float32", ""), ("float32", ""), ("float32", "", "tuple")]
    ]
    call = call_on("trees", "(f32[4],(f32[4]))", operator_info=info)
    first, (second,) = call((X, (X, N)), X)
    assert (np.asarray(first) == X + X * X).all() and np.asarray(second).shape == (4,)
    info["dtype_format"][0][0] = ("float32", "", "tuple")
    with refused("INVALID_ARGUMENT", r"operand 0 \(x\) must be a tuple, each leaf of which is f32"):
        call_on("trees", "(f32[4],(f32[4]))", operator_info=info)((X, (X, N)), X)
    info["dtype_format"][0][0] = ("", "")
    with refused("INVALID_ARGUMENT", r"operand 0 \(x\) must be an array, but is \(f32\[4\],\("):
        call_on("trees", "(f32[4],(f32[4]))", operator_info=info)((X, (X, N)), X)


@pytest.mark.parametrize("path", PATHS)
def test_every_path_through_xla(path):
    info = information(("int32", "float32", "float32"), inputs=("n", "x"))
    call = custom_call("square", F32x4, prefer=path, operator_info=info)
    np.testing.assert_array_equal(jax.jit(call)(N, X), X * X)
    with refused("INVALID_ARGUMENT", r"operand 1 \(x\) must be f32, but is f16\[4\]"):
        jax.jit(call)(N, X.astype(np.float16))


def test_library(uses):
    opened = callbridge.library.load(uses)
    info = information(("int32", "float32", "float32"), inputs=("n", "x"))
    assert (opened.run("square", [N, X], F32x4, operator_info=info) == X * X).all()
    with refused("INVALID_ARGUMENT", r"operand 0 \(n\) must be s32, but is f32"):
        opened.run("square", [X, X], F32x4, operator_info=info)


# ---- When it is checked -------------------------------------------------------------------------


def test_jax_checks_when_it_traces():
    info = information(("int32", "float32", "float32"), inputs=("n", "x"))
    call = custom_call("square", F32x4, operator_info=info)

    def program(n, x):
        return call(n, x.astype(jnp.float16)) + 1

    for trace in (
        jax.make_jaxpr(program),
        jax.jit(program).lower,
        lambda *x: jax.eval_shape(program, *x),
    ):
        with refused("INVALID_ARGUMENT", r"operand 1 \(x\) must be f32, but is f16\[4\]"):
            trace(N, X)


def test_each_form_is_checked_once(monkeypatch):
    checked = []
    check = _c_api.operator_info_check
    monkeypatch.setattr(_c_api, "operator_info_check", lambda *x: checked.append(x) or check(*x))
    info = information(("int32", "float32", "float32"), inputs=("n", "x"))
    call = custom_call("square", F32x4, operator_info=info)
    for _ in range(3):
        call(N, X)
    assert len(checked) == 1
    custom_call("square", F32x4)(N, X)
    assert len(checked) == 1, "nothing is declared"


def test_vmap_is_of_calls_that_are_allowed():
    info = information(("int32", "float32 NHWC", "float32"), inputs=("n", "x"))
    call = custom_call(
        "square",
        jax.ShapeDtypeStruct((1, 2, 2, 1), np.float32),
        operator_info=info,
        vmap_method="sequential",
    )
    batch = np.stack([X.reshape(1, 2, 2, 1)] * 3)
    np.testing.assert_array_equal(jax.vmap(call, in_axes=(None, 0))(N, batch), batch * batch)
    with refused("INVALID_ARGUMENT", "NHWC, which has rank 4, but is f32.2,2,1."):
        jax.vmap(call, in_axes=(None, 0))(N, batch[:, 0])


@needs("jax.export")
def test_symbolic_dimensions():
    from jax import export

    info = information(("int32", "float32 NHWC", "float32"), inputs=("n", "x"))

    def program(x):
        like = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return custom_call("square", like, operator_info=info)(N, x)

    shape = export.symbolic_shape("a,2,2,b")
    export.export(
        jax.jit(program), disabled_checks=[export.DisabledSafetyCheck.custom_call("square")]
    )(jax.ShapeDtypeStruct(shape, np.float32))
    with refused("INVALID_ARGUMENT", "NHWC, which has rank 4, but is f32.0,2."):
        export.export(jax.jit(program))(
            jax.ShapeDtypeStruct(export.symbolic_shape("a,2"), np.float32)
        )


def test_layouts():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)

    def lowered(formats, **layouts):
        info = information(("int32", *formats), inputs=("n", "x"))
        jax.make_jaxpr(custom_call("square", like, operator_info=info, **layouts))(N, x)

    lowered(("float32 ", "float32 "), input_layouts=[None, (0, 1)], output_layouts=(1, 0))
    lowered(("float32 ", "float32"), input_layouts=[None, (1, 0)])
    with refused("INVALID_ARGUMENT", r"operand 1 \(x\) .* row-major, but is f32\[2,3\]\{0,1\}"):
        lowered(("float32", "float32"), input_layouts=[None, (1, 0)])
    with refused("INVALID_ARGUMENT", r"result 0 \(y\) .* row-major, but is f32\[2,3\]\{0,1\}"):
        lowered(("float32", "float32"), output_layouts=(1, 0))


# ---- Processes ----------------------------------------------------------------------------------

PROGRAM = """
import json, os, sys
import numpy as np
import callbridge.numpy

callbridge.numpy.load(sys.argv[1])
info = json.loads(sys.argv[2])
call = callbridge.numpy.custom_call("nonnegative", "f32[]", operator_info=info)
x = np.float32(1)
child = os.fork()
assert call(x) == 1
try:
    call(np.float64(1))
except ValueError as error:
    assert "operand 0 (x) must be f32, but is f64[]" in str(error)
else:
    sys.exit("not refused")
if child:
    assert os.waitpid(child, 0)[1] == 0


class Last:  # deleted when the interpreter ends
    def __del__(self):
        assert self.call(x) == 1
        print("called")


last = Last()
last.call = call
last.itself = last
"""


def test_a_forked_process_and_the_end_of_the_interpreter(uses):
    info = information(("float32", "float32"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, uses, json.dumps(info)],
        env={**os.environ},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == "called\n" * 2
