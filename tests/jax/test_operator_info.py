"""Operator information, as MindSpore's CustomRegOp(...).get_op_info() returns it: what all faces
check before a target of any ABI is called, and attributes that a call may leave out."""

import copy
import ctypes
import json
import os
import subprocess
import sys

import callbridge.jax
import callbridge.library
import callbridge.numpy
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from callbridge import _c_api, _operator_info
from callbridge.jax import CallbridgeError, custom_call
from refused import refused
from this_jax import PATHS, needs

X = np.arange(4, dtype=np.float32)
N = np.int32(4)
F32x4 = jax.ShapeDtypeStruct((4,), np.float32)


def information(*combinations, inputs=("x",), outputs=("y",), attr=(), target="CPU", **others):
    """What CustomRegOp("op")... .get_op_info() returns; its dtype_format() makes tuples."""
    values = [
        [{"index": i, "name": name, "paramType": "required"} for i, name in enumerate(names)]
        for names in (inputs, outputs)
    ]
    return {
        "op_name": "op",
        "inputs": values[0],
        "outputs": values[1],
        "attr": list(attr),
        "fusion_type": "",
        "dtype_format": [tuple(form(text) for text in texts) for texts in combinations],
        "target": target,
        **others,
    }


def form(text):
    """ "float32 NCHW" as mindspore.ops.DataType has it; "float32" has DefaultFormat, "" nothing."""
    type_, space, format_ = text.partition(" ")
    return (type_, format_ if space or not type_ else "DefaultFormat")


FLOATS = information(("float32", "float32"), ("float64", "float64"))


@pytest.fixture(scope="module", autouse=True)
def targets(modules, library):
    """Of every ABI, in both registries."""
    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    for module in (callbridge.jax, callbridge.numpy):
        for name in ("scale", "scalars", "text"):
            handler = getattr(symbols, f"typed_{name}")
            module.register(f"typed_{name}", handler, abi="typed_ffi")
    callbridge.numpy.load(library.path)


@pytest.fixture(params=["numpy", "jax", "jax.jit"])
def call_on(request):
    """custom_call() of a face, as it is called by a user."""
    if request.param == "numpy":
        return callbridge.numpy.custom_call
    if request.param == "jax":
        return custom_call
    return lambda *arguments, **options: jax.jit(custom_call(*arguments, **options))


@pytest.fixture
def add(modules):
    """An AOT operator of MindSpore: f32 and f32 to f32."""
    return f"{modules.parent}/mindspore_aot/aot_operators_old.so:Add"


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


# ---- Attributes ---------------------------------------------------------------------------------


def attribute(name, type_, presence="required", **others):
    return {"name": name, "paramType": presence, "type": type_, **others}


def with_factor(**others):
    return information(("float32", "float32"), attr=[attribute("factor", "f32", **others)])


def test_a_default_may_be_left_out(call_on):
    info = with_factor(value=3)
    assert (np.asarray(call_on("typed_scale", F32x4, operator_info=info)(X)) == 3 * X).all()
    given = {"factor": np.float32(2)}
    call = call_on("typed_scale", F32x4, operator_info=info, attributes=given)
    assert (np.asarray(call(X)) == 2 * X).all()
    call = call_on("typed_scale", F32x4, operator_info=with_factor(defaultValue="0.5"))
    assert (np.asarray(call(X)) == X / 2).all()


def test_defaults_have_the_declared_types(call_on):
    values = {
        "flag": ("bool", True, 1),
        "small": ("s8", -8, -8),
        "middle": ("s32", 2**30, 2**30),
        "big": ("int", 2**40, 2**40),
        "natural": ("u64", 2**41, 2**41),
        "single": ("f32", 0.5, 0.5),
        "real": ("float", 1, 1),
    }
    attr = [attribute(name, type_, value=value) for name, (type_, value, _) in values.items()]
    info = information(("float32",), inputs=(), attr=attr)
    found = call_on("typed_scalars", "f32[7]", operator_info=info)()
    assert np.asarray(found).tolist() == [expected for _, _, expected in values.values()]
    info = information(("uint8",), inputs=(), attr=[attribute("text", "str", value="t\0x\u20ac")])
    found = call_on("typed_text", "u8[6]", operator_info=info)()
    assert bytes(np.asarray(found)) == "t\0x\u20ac".encode()


def test_lists_reach_an_operator(call_on, add):
    attr = [
        attribute("workspaces", "listInt", value=[8, 16]),
        attribute("shape", "all", value=[99]),
    ]
    info = information(("float32", "uint8"), attr=attr)
    found = call_on(add.replace(":Add", ":Describe"), "u8[99]", operator_info=info)(X)
    assert bytes(np.asarray(found)).startswith(b"2+2 no stream\nfloat32 4\n")


def test_defaults_in_python():
    attr = [
        attribute("lists", "all", value=[[1, 2], [3]]),
        attribute("empty", "listFloat", value=[]),
        attribute("none", "all", "optional"),
        attribute("array", "s16[]", value=[1]),
        attribute("on", "bool", value=True),
        attribute("text", "str", value="\u20ac"),
    ]
    defaults = _operator_info.OperatorInfo(
        information((), inputs=(), outputs=(), attr=attr)
    ).defaults
    lists = defaults.pop("lists")
    assert {name: (array.dtype, array.tolist()) for name, array in lists.items()} == {
        "0": (np.int64, [1, 2]),
        "1": (np.int64, [3]),
    }
    assert (defaults["empty"].dtype, defaults["empty"].shape) == (np.float64, (0,))
    assert (defaults["array"].dtype, defaults["array"].tolist()) == (np.int16, [1])
    assert type(defaults["on"]) is np.bool_ and defaults["on"]
    assert defaults["text"] == "\u20ac".encode()
    assert sorted(defaults) == ["array", "empty", "on", "text"]


@pytest.mark.parametrize(
    "given, words",
    [
        (None, 'requires attribute "factor", f32, which has no default and which the call lacks'),
        ({"factor": 2.0}, 'declares attribute "factor" as f32, but the call has f64'),
        ({"factor": np.ones(1, np.float32)}, r"as f32, but the call has f32\[1\]"),
        (
            {"factor": np.float32(1), "more": 1},
            'no attribute "more", which the call has; it declares factor',
        ),
    ],
)
def test_attributes_are_checked(call_on, given, words):
    with refused("INVALID_ARGUMENT", words):
        call_on("typed_scale", F32x4, operator_info=with_factor(), attributes=given)(X)


def test_untyped_targets_have_no_attributes(call_on):
    info = information(("float32", "float32"), attr=[attribute("n", "int", value=1)])
    words = 'declares attribute "n", but the target is untyped and takes none'
    with refused("INVALID_ARGUMENT", words):
        call_on("nonnegative", "f32[]", operator_info=info)(X)


# ---- What is no operator information ------------------------------------------------------------


def test_a_dict_and_its_text_are_the_same(call_on):
    text = json.dumps(FLOATS)
    with pytest.raises(CallbridgeError) as of_text:
        call_on("nonnegative", "f32[]", operator_info=text)(N)
    with pytest.raises(CallbridgeError) as of_dict:
        call_on("nonnegative", "f32[]", operator_info=FLOATS)(N)
    assert of_text.value.message == of_dict.value.message


def test_it_is_copied(call_on):
    info = information(("float32", "float32"), attr=[attribute("factor", "f32", value=3)])
    call = call_on("typed_scale", F32x4, operator_info=info)
    before = copy.deepcopy(info)
    assert info == before, "unchanged"
    info["dtype_format"].clear()
    info["attr"].clear()
    assert (np.asarray(call(X)) == 3 * X).all()


@pytest.mark.parametrize(
    "given, error",
    [
        ([FLOATS], "operator_info: expected a dict, as .*; got list"),
        (b"{}", "operator_info: expected a dict, as .*; got bytes"),
        (3, "operator_info: expected a dict, as .*; got int"),
        ({"attr": np.ones(2)}, "operator_info: it cannot be written as JSON: .*ndarray"),
    ],
)
def test_wrong_types(call_on, given, error):
    with pytest.raises(TypeError, match=error):
        call_on("nonnegative", "f32[]", operator_info=given)


def test_a_dict_within_itself(call_on):
    circle = dict(FLOATS)
    circle["circle"] = circle
    with pytest.raises(TypeError, match="it cannot be written as JSON: Circular"):
        call_on("nonnegative", "f32[]", operator_info=circle)


@pytest.mark.parametrize(
    "given, words",
    [
        ("", "JSON: parse error at line 1, column 1: "),
        ("{}", 'target is "": expected CPU, GPU or Ascend'),
        ({}, 'target is "": expected CPU, GPU or Ascend'),
        ('"\ud800"', "operator_info: expected a text that UTF-8 can encode"),
        ({**FLOATS, "x": float("nan")}, "JSON: parse error at line 1, column .*invalid literal"),
        ({**FLOATS, "op_name": "\ud800"}, "surrogate U.D800..U.DBFF must be followed by"),
        ({**FLOATS, "target": "UnKnown"}, 'target is "UnKnown": expected CPU, GPU or Ascend'),
        (
            information(("float32 FRACTAL_NZ", "float32")),
            r"dtype_format\[0\]\[0\] .* padded blocks",
        ),
        (with_factor(value="x"), r'attr\[0\].value of "factor" is "x": expected f32'),
        (with_factor(value=float("inf")), "JSON: parse error at line 1, column .*invalid literal"),
        (with_factor(value=10**39), r'attr\[0\].value of "factor" is 1e.39: expected f32'),
    ],
)
def test_what_is_none_is_refused(call_on, uses, given, words):
    with refused("INVALID_ARGUMENT", words):
        call_on("nonnegative", "f32[]", operator_info=given)
    opened = callbridge.library.load(uses)
    with refused("INVALID_ARGUMENT", words):
        opened.run("nonnegative", [X], "f32[]", operator_info=given)


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
