"""AOT operators of MindSpore by their names, "PATH:FUNCTION", in all of Python's faces."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import callbridge.jax
import callbridge.library
import callbridge.numpy
import jax
import numpy as np
import pytest
from attribute_bits import ROWS, attributes, words
from callbridge.library import CallbridgeError

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.array([[10, 20, 30], [40, 50, 60]], np.float32)
ATTRIBUTES = {"axis": 0, "keep_dim": False}


def test_library(operators):
    library = callbridge.library.load(f"{operators}:Add")
    targets = {(target.name, target.platform, target.abi) for target in library.targets}
    name = f"{operators}:Add"
    assert targets == {(name, "Host", "typed_ffi"), (name, "CUDA", "typed_ffi")}
    assert (library.run(name, [A, B], "f32[2,3]") == A + B).all()
    again = pickle.loads(pickle.dumps(library))
    assert (again.run(name, [A, B], "f32[2,3]") == A + B).all()


def test_numpy(operators):
    reduce = callbridge.numpy.custom_call(f"{operators}:AddReduce", "f32[3]", attributes=ATTRIBUTES)
    assert (reduce(A, B) == (A + B).sum(axis=0)).all()


@pytest.mark.parametrize("jit", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_jax(operators, jit):
    shape = jax.ShapeDtypeStruct((3,), np.float32)
    reduce = callbridge.jax.custom_call(f"{operators}:AddReduce", shape, attributes=ATTRIBUTES)
    assert (np.asarray(jit(reduce)(A, B)) == (A + B).sum(axis=0)).all()
    triple = callbridge.jax.custom_call(f"{operators}:AddMulDiv", "(f32[6],f32[6],f32[6])")
    a, b = A.ravel(), B.ravel()
    for found, expected in zip(jit(triple)(a, b), (a + b, a * b, a / b), strict=True):
        assert (np.asarray(found) == expected).all()


def test_jax_calls_init_once_for_a_call_site(operators):
    name = f"{operators}:Describe"
    call = callbridge.jax.custom_call(name, "u8[99]", attributes={"workspaces": np.array([8, 16])})
    text = bytes(np.asarray(jax.jit(call)(A))).rstrip(b"\0")
    assert text == b"2+2 no stream\nfloat32 2 3\nuint8 99\nworkspace\nworkspace\n"


@pytest.mark.parametrize("row", ROWS)
def test_floats_keep_their_bits(operators, row):
    name = f"{operators}:FloatBits"
    own = attributes("attribute_bits", row)
    given = {"single": own["single"], "singles": own["singles"]}
    expected = [words(row)[0], *words(row)[3:5]]
    shape = jax.ShapeDtypeStruct((3,), np.uint32)
    of_jax = callbridge.jax.custom_call(name, shape, attributes=given)
    assert np.asarray(jax.jit(of_jax)()).tolist() == expected
    assert callbridge.numpy.custom_call(name, "u32[3]", attributes=given)().tolist() == expected
    library = callbridge.library.load(name)
    assert library.run(name, [], "u32[3]", attributes=given).tolist() == expected


def test_errors_of_an_operator_come_to_jax(operators):
    call = callbridge.jax.custom_call(f"{operators}:Fails", "f32[]", attributes={"way": "code"})
    with pytest.raises((RuntimeError, ValueError), match=r"function\(Fails\) is 77\. Any return"):
        jax.jit(call)().block_until_ready()


def test_a_file_of_that_whole_name_is_a_library(operators, tmp_path):
    path = tmp_path / "add.so:Add"
    shutil.copy(operators, path)
    assert callbridge.library.load(path).targets == ()


@pytest.mark.parametrize(
    "function, code, message",
    [
        ("Nope", "NOT_FOUND", "undefined symbol: Nope"),
        ("AddInferShap", "NOT_FOUND", "undefined symbol: AddInferShap"),
    ],
)
def test_a_missing_function_is_named(operators, function, code, message):
    with pytest.raises(CallbridgeError, match=message) as raised:
        callbridge.numpy.custom_call(f"{operators}:{function}", "f32[]")
    assert raised.value.code == code


@pytest.mark.parametrize("file", ["missing.so", "missing.cc"])
def test_a_missing_file_is_named(tmp_path, monkeypatch, file):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CallbridgeError, match=file):
        callbridge.jax.custom_call(f"./{file}:Add", "f32[]")


def test_the_allow_list(operators, tmp_path):
    code = f"import callbridge.library; callbridge.library.load({operators + ':Add'!r})"

    def run(folder):
        environment = {**os.environ, "MS_CUSTOM_AOT_WHITE_LIST": str(folder)}
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )

    assert run(pathlib.Path(operators).parent).returncode == 0
    outside = run(tmp_path)
    assert outside.returncode == 1
    assert (
        f"the legal path for the file is {tmp_path}, but the file is {operators}" in outside.stderr
    )
