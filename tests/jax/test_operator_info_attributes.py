"""Operator information: attributes that a call may leave out, and what is no such information."""

import copy
import json

import callbridge.library
import jax
import numpy as np
import pytest
from callbridge._core import _mindspore
from callbridge.jax import CallbridgeError
from operator_infos import add_operator, attribute, information, register, with_factor
from refused import refused

X = np.arange(4, dtype=np.float32)
N = np.int32(4)
F32x4 = jax.ShapeDtypeStruct((4,), np.float32)
FLOATS = information(("float32", "float32"), ("float64", "float64"))


@pytest.fixture(scope="module", autouse=True)
def targets(modules, library):
    register(modules, library)


@pytest.fixture
def add(modules):
    return add_operator(modules)


# ---- Attributes ---------------------------------------------------------------------------------


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
    defaults = _mindspore.OperatorInfo(information((), inputs=(), outputs=(), attr=attr)).defaults
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
