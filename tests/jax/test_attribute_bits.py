"""Floating-point attributes reach a handler bit for bit through JAX, and through the modules that
JAX makes of such a call."""

import pathlib
import re
import subprocess

import callbridge.jax
import jax
import numpy as np
import pytest
from attribute_bits import ROWS, TARGETS, attributes, quieted, words
from callbridge.jax._runtimes import OWN_FFI_CALL, RUNTIME
from this_jax import has
from this_platform import ON_GPU

pytestmark = pytest.mark.skipif(ON_GPU, reason="the handlers are for the CPU")
PATHS = [
    *(["typed"] if RUNTIME.has_typed_ffi else []),
    *(["version_3"] if RUNTIME.ffi_call == OWN_FFI_CALL else []),
]


@pytest.fixture(scope="module", autouse=True)
def file(tests_folder):
    path = tests_folder / "targets/attribute_bits.so"
    callbridge.jax.load(path)
    return path


def call(target, row, number=np.float64, prefer=None):
    shape = jax.ShapeDtypeStruct((9,), np.uint32)
    given = attributes(target, row, number)
    return callbridge.jax.custom_call(target, shape, attributes=given, prefer=prefer)


def each(test):
    for name, values in {
        "row": ROWS,
        "target": TARGETS,
        "path": PATHS,
    }.items():
        test = pytest.mark.parametrize(name, values)(test)
    return test


def needs_dictionaries(target, path):
    is_inner = target == "inner_attribute_bits"
    if path == "typed" and is_inner and not has("dictionaries among the attributes"):
        pytest.skip("this JAX's typed calls take no dictionaries")


@each
@pytest.mark.parametrize("number", [np.float64, float])
@pytest.mark.parametrize("run", [jax.jit, lambda f: f], ids=["jit", "eager"])
def test_call(target, row, number, path, run):
    needs_dictionaries(target, path)
    assert np.asarray(run(call(target, row, number, path))()).tolist() == words(row)


@each
def test_modules_of_jax(file, tests_folder, tmp_path, target, row, path):
    needs_dictionaries(target, path)
    if path != "typed":
        pytest.skip("the module's call has no attributes")
    module, output = tmp_path / "module.hlo", tmp_path / "bits.npy"
    compiled = jax.jit(call(target, row, prefer=path)).lower().compile()
    module.write_text(compiled.as_text())
    program = pathlib.Path(tests_folder).parent / "callbridge"
    run = [program, "run", module, "--library", file, "--output", output]
    subprocess.run(run, check=True, timeout=60)
    assert np.load(output).tolist() == words(row)


@each
def test_export(target, row, path):
    """StableHLO's own serialization passes a scalar through a double."""
    export = pytest.importorskip("jax.export", reason="this JAX has no jax.export")
    if RUNTIME.ffi_call == OWN_FFI_CALL:
        pytest.skip("StableHLO of this JAX serializes no arrays that are attributes")
    needs_dictionaries(target, path)
    function = jax.jit(call(target, row, prefer=path))
    names = set(re.findall(r"custom_call @(\w+)", function.lower().as_text()))
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in names]
    artifact = export.export(function, disabled_checks=checks)().serialize()
    found = np.asarray(export.deserialize(artifact).call()).tolist()
    assert found in (words(row), quieted(row))
