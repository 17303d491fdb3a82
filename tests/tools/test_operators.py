"""`callbridge inspect|run FILE:FUNCTION`, AOT operators of MindSpore."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
OPERATORS = BUILD / "tests/mindspore_aot/aot_operators_old.so"
A = np.arange(6, dtype=np.float32).reshape(2, 3)
REDUCTION = ["--attribute", "axis=1:i64", "--attribute", "keep_dim=false"]
SOURCE = """
#include <cstdint>
extern "C" int Twice(int, void** params, int*, int64_t** shapes, const char**, void*, void*) {
  for (int64_t i = 0; i < shapes[0][0] * shapes[0][1]; ++i) {
    static_cast<float*>(params[1])[i] = 2 * static_cast<float*>(params[0])[i];
  }
  return 0;
}
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    np.save("a.npy", A)


def command(*words, **variables):
    return subprocess.run(
        [BUILD / "callbridge", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **variables},
    )


def run(*words, **variables):
    return command("run", *words, **variables)


def inspect(*words, **variables):
    done = command("inspect", "--json", *words, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]


def test_run_infers_the_result():
    done = run(f"{OPERATORS}:AddReduce", "a.npy", "a.npy", *REDUCTION, "--output", "y.npy")
    assert done.returncode == 0, done.stderr
    assert "AddReduce on Host: typed_ffi (AOT operator of MindSpore, by its name)" in done.stdout
    assert np.load("y.npy").tolist() == (2 * A).sum(axis=1).tolist()


def test_run_takes_every_attribute():
    attributes = {
        "bool": "true",
        "int": "-3:i64",
        "float": "1.5:f32",
        "string": '"text"',
        "ints": "array<i64: 1, 2>",
        "floats": "array<f32: 0.5, 0.25>",
        "int lists": "[array<i64>, array<i64: 2, 3>]",
        "float lists": "[array<f32: 0.5>, array<f32: 4>]",
    }
    pairs = [("--attribute", f"{name}={value}") for name, value in attributes.items()]
    words = [word for pair in pairs for word in pair]
    done = run(f"{OPERATORS}:Attributes", *words, "--result", "f64[8]", "--output", "y.npy")
    assert done.returncode == 0, done.stderr
    assert np.load("y.npy").tolist() == [1, -3, 1.5, 4000 + ord("t"), 2, 0.25, 3, 4]


@pytest.mark.parametrize("options", [[], ["--isolate"], ["--platform", "CUDA"]])
def test_run_takes_a_result(options):
    name = f"{OPERATORS}:AddMulDiv"
    outputs = [word for i in range(3) for word in ("--output", f"{i}.npy")]
    result = "(f32[2,3],f32[2,3],f32[2,3])"
    done = run(name, "a.npy", "a.npy", "--result", result, *outputs, *options)
    assert done.returncode == 0, done.stderr
    with np.errstate(invalid="ignore"):
        for i, expected in enumerate((A + A, A * A, A / A)):
            assert np.load(f"{i}.npy").tobytes() == expected.tobytes()


def test_run_compiles_a_source():
    pathlib.Path("twice.cc").write_text(SOURCE)
    done = run("./twice.cc:Twice", "a.npy", "--result", "f32[2,3]", "--output", "y.npy")
    assert done.returncode == 0, done.stderr
    assert np.load("y.npy").tolist() == (2 * A).tolist()


@pytest.mark.parametrize(
    "words, message",
    [
        (["Add", "a.npy", "a.npy"], "has no function AddInferShape"),
        (["Nope", "a.npy"], "NOT_FOUND: {}: undefined symbol: Nope"),
        (["AddReduce", "a.npy", "a.npy"], "INTERNAL: "),
        (["AddReduce", "a.npy", "a.npy", *REDUCTION, "--platform", "ROCM"], "no form for ROCM"),
        (["AddReduce", "a.npy", "a.npy", *REDUCTION, "--output", "1", "--output", "2"], "got 2"),
        (["AddReduce", "missing.npy", *REDUCTION], "missing.npy"),
        (["AddReduce"], "has no operands"),
    ],
)
def test_run_says_what_is_wrong(words, message):
    done = run(f"{OPERATORS}:{words[0]}", *words[1:])
    assert done.returncode == 1
    assert message.format(OPERATORS) in done.stderr


def test_run_of_a_source_that_does_not_compile():
    pathlib.Path("wrong.cc").write_text("int f() { return no_such_name; }")
    done = run("./wrong.cc:f", "a.npy", "--result", "f32[]")
    assert done.returncode == 1
    assert "Compilation error in compiling ./wrong.cc: g++ exited with status 1" in done.stderr
    assert "no_such_name" in done.stderr


def test_inspect_of_one_operator():
    found = inspect(f"{OPERATORS}:AddReduce")
    assert found["file"] == str(OPERATORS)
    assert found["string_abi"] == "old"
    assert found["operators"] == [
        {"function": "AddReduce", "has_init": True, "has_infer_shape": True}
    ]
    assert found["verdict"]["outcome"] == "aot_operators"
    first, second = found["verdict"]["next"]
    assert first.startswith(f"callbridge run {OPERATORS}:AddReduce x.npy  #")
    assert second.startswith(f"callbridge.jax.custom_call('{OPERATORS}:AddReduce')  #")
    done = command("inspect", f"{OPERATORS}:AddReduce")
    assert "operators   AddReduce, with AddReduceInit and AddReduceInferShape\n" in done.stdout


def test_inspect_of_an_operator_without_companions():
    found = inspect(f"{OPERATORS}:Add")
    assert found["operators"] == [{"function": "Add", "has_init": False, "has_infer_shape": False}]
    assert "--result SHAPE" in found["verdict"]["next"][0]


def test_inspect_of_a_library_finds_operators_by_their_companions():
    found = inspect(OPERATORS)
    assert found["verdict"]["outcome"] == "aot_operators"
    names = [operator["function"] for operator in found["operators"]]
    assert "AddReduce" in names and "AddMulDiv" in names
    assert "Add" not in names and "AddReduceInit" not in names


def test_inspect_of_a_source_and_what_is_not_there():
    pathlib.Path("twice.cc").write_text(SOURCE)
    assert inspect("./twice.cc:Twice")["verdict"]["outcome"] == "aot_operators"
    found = inspect("./twice.cc:Thrice")
    assert found["verdict"]["outcome"] == "no_custom_calls"
    assert "exports no function Thrice" in found["verdict"]["text"]
    done = command("inspect", "./missing.so:F")
    assert done.returncode == 1 and "./missing.so:F: " in done.stderr


def test_inspect_knows_the_allow_list(tmp_path):
    found = inspect(f"{OPERATORS}:Add", MS_CUSTOM_AOT_WHITE_LIST=str(tmp_path))
    assert found["verdict"]["outcome"] == "does_not_load"
    assert f"the legal path for the file is {tmp_path}" in found["verdict"]["text"]
    done = run(f"{OPERATORS}:Add", "a.npy", MS_CUSTOM_AOT_WHITE_LIST=str(tmp_path))
    assert done.returncode == 1 and "PERMISSION_DENIED" in done.stderr
