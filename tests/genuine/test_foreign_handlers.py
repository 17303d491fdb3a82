"""Handlers built with XLA's own headers, of each version, in genuine jaxlib 0.10.2 and 0.4.30."""

import ctypes
import gc
import json
import os
import pathlib
import subprocess

import callbridge.jax
import cross_version_cases
import jax
import jaxlib
import numpy as np
import pytest
from jax_releases import TODAY

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
JAX_PYTHON = "CALLBRIDGE_JAX_0_4_30_PYTHON"
# Those that the build has handlers of: a sample, or all (cmake/genuine_handlers.cmake).
HEADERS = (BUILD / "tests/ffi_releases.txt").read_text().split()
RESULT = jax.ShapeDtypeStruct((8,), np.float32)


@pytest.fixture(scope="module", params=HEADERS)
def handlers(request):
    """The library of that version of the headers."""
    path = BUILD / f"tests/adapters/cross_version_handlers_{request.param}.so"
    assert path.exists(), f"{path} is not built"
    library = ctypes.CDLL(str(path))
    cross_version_cases.register_types(library, str(path))
    return path, library


def call(name, operands, attributes):
    function = jax.ffi.ffi_call(name, RESULT, has_side_effect=True)
    try:
        arrays = [cross_version_cases.OPERAND] * operands
        return np.asarray(jax.jit(lambda *o: function(*o, **attributes))(*arrays))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        return str(error)


def test_in_this_jax(handlers):
    path, library = handlers
    wrong = []
    for case in cross_version_cases.CASES:
        handler = getattr(library, case.handler, None)
        if handler is None:
            continue
        name = f"{path.stem}.{case.handler}"
        callbridge.jax.register(name, handler, abi="typed_ffi")
        wrong.append(cross_version_cases.check(case, call(name, case.operands, case.attributes)))
    assert wrong
    assert not any(wrong), "\n".join(wrong)


def test_state_in_this_jax(handlers):
    path, library = handlers
    if not hasattr(library, "state_execute"):
        pytest.skip("the headers have no state")
    name = f"{path.stem}.state"
    stages = {"instantiate": library.state_instantiate, "execute": library.state_execute}
    callbridge.jax.register(name, stages, abi="typed_ffi")
    callbridge.jax.register(name, stages, abi="typed_ffi")
    count = jax.jit(
        lambda: jax.ffi.ffi_call(name, RESULT, has_side_effect=True)(
            **cross_version_cases.STATE_ATTRIBUTES
        )
    )
    assert [float(count()[0]) for _ in range(3)] == [10, 11, 12]
    assert library.count_live_states() == 1
    count.clear_cache()
    del count
    jax.clear_caches()
    gc.collect()
    assert library.count_live_states() == 0


def test_another_handler_by_the_same_name(handlers):
    path, library = handlers
    name = f"{path.stem}.taken"
    callbridge.jax.register(name, library.add, abi="typed_ffi")
    with pytest.raises(callbridge.jax.CallbridgeError, match="ALREADY_EXISTS"):
        callbridge.jax.register(name, library.variadic, abi="typed_ffi")
    with pytest.raises(callbridge.jax.CallbridgeError, match="'run'"):
        callbridge.jax.register(name, {"run": library.add}, abi="typed_ffi")


def test_in_jaxlib_0_4_30(handlers):
    path, library = handlers
    python = os.environ.get(JAX_PYTHON)
    assert python, f"{JAX_PYTHON} is not set to a Python with jaxlib 0.4.30; `make test` sets it"
    ran = subprocess.run(
        [python, ROOT / "tests/genuine/cross_version_on_0_4_30.py", path],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "tests/genuine")]),
            "CALLBRIDGE_LIBRARY": str(LIBRARY),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    outcomes = json.loads(ran.stdout)
    cases = {f"{path} {case.name}": case for case in cross_version_cases.CASES}
    wrong = [
        cross_version_cases.check(cases[key], outcome)
        for key, outcome in outcomes.items()
        if cases[key].handler not in ("run_id", "device_ordinal")
    ]
    assert wrong
    assert not any(wrong), "\n".join(wrong)
    for key, outcome in outcomes.items():
        if cases[key].handler in ("run_id", "device_ordinal"):
            assert "needs the XLA FFI 0.1 of jaxlib 0.6 or newer" in outcome


def test_this_jax_is_the_one_that_is_meant():
    assert jaxlib.__version__ == TODAY
