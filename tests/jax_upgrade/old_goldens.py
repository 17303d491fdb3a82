"""Runs JAX's own artifacts that call untyped targets on the CPU, upgraded.

    old_goldens.py FOLDER COMMAND LIBRARY...

FOLDER is any state of jax/_src/internal_test_util/export_back_compat_test_data in JAX's repository;
COMMAND is `callbridge`; the libraries are the compiled modules of the jaxlib whose targets the
artifacts call. Each artifact is upgraded as a jax.export.Exported, as bytes, and by the command.
Prints a line for each of these, and exits 0 only if all results are the recorded ones.
"""

import dataclasses
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import jax

jax.config.update("jax_enable_x64", True)

import callbridge.jax  # noqa: E402
import numpy as np  # noqa: E402
from callbridge.jax import _called_targets  # noqa: E402
from jax import export  # noqa: E402


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nested(value):
    if isinstance(value, dict) and "mlir_module_serialized" in value:
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for element in value.values() if isinstance(value, dict) else value:
            yield from nested(element)


def goldens(folder):
    """Those of the CPU, by name."""
    for path in sorted(pathlib.Path(folder).rglob("*.py")):
        for name, value in vars(module_of(path)).items():
            if name.startswith("__"):
                continue
            for i, golden in enumerate(nested(value)):
                if golden["platform"] == "cpu":
                    yield f"{path.stem}-{name}-{i}", golden


def exported_of(golden, data):
    """What jax.export would have made of the golden, with this module."""
    inputs, outputs = golden["inputs"], golden["expected_outputs"]

    def of_that_form(*_):
        return tuple(np.zeros(x.shape, x.dtype) for x in outputs)

    exported = export.export(jax.jit(of_that_form), platforms=["cpu"])(*inputs)
    return dataclasses.replace(
        exported,
        mlir_module_serialized=data,
        calling_convention_version=golden["xla_call_module_version"],
        module_kept_var_idx=tuple(range(len(inputs))),
    )


def by_the_command(command, data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run(
            [command, "upgrade", file.name],
            capture_output=True,
            check=True,
            env=dict(os.environ, CALLBRIDGE_PYTHON=sys.executable),
        )
    return done.stdout


def ways(golden, command):
    """To upgrade it: functions that return the jax.export.Exported to call."""
    data = golden["mlir_module_serialized"]
    return {
        "exported": lambda: callbridge.jax.upgrade(exported_of(golden, data)),
        "bytes": lambda: exported_of(golden, callbridge.jax.upgrade(data)),
        "command": lambda: exported_of(golden, by_the_command(command, data)),
    }


# ---- What is right ------------------------------------------------------------------------------


def close(result, wanted, up_to_sign=False):
    kind = wanted.dtype.kind
    tolerance = 1000 * float(np.finfo(wanted.dtype).eps) if kind in "fc" else 0
    if up_to_sign:
        result, wanted = np.abs(result), np.abs(wanted)
    scale = np.max(np.abs(wanted), initial=1)
    return np.allclose(result, wanted, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


def transposed(a):
    return np.conj(np.swapaxes(a, -1, -2))


def is_unitary(z):
    return close(transposed(z) @ z, np.eye(z.shape[-1], dtype=z.dtype))


def same_eigenvectors(results, wanted):
    """Eigenvalues, left and right vectors. Those of equal eigenvalues may be any in their space."""
    (w, left, right), (wanted_w, _, wanted_right) = results, wanted
    a = (wanted_right * wanted_w) @ np.linalg.inv(wanted_right)
    a = a.astype(wanted_right.dtype)
    right_side, left_side = a @ right - right * w, transposed(a) @ left - left * np.conj(w)
    zero = np.zeros_like(a)
    zero[0, 0] = np.abs(a).max()  # the scale
    return all(
        [
            close(w, wanted_w),
            close(right_side + zero, zero),
            close(left_side + zero, zero),
            close(np.linalg.norm(right, axis=0), np.ones(len(w), w.real.dtype)),
            close(np.linalg.norm(left, axis=0), np.ones(len(w), w.real.dtype)),
        ]
    )


def same_symmetric_eigenvectors(results, wanted):
    (v, w), (wanted_v, wanted_w) = results, wanted
    a = (wanted_v * wanted_w) @ transposed(wanted_v)
    return close(w, wanted_w) and is_unitary(v) and close((v * w) @ transposed(v), a)


def same_schur(results, wanted):
    (t, z), (wanted_t, wanted_z) = results, wanted
    a = wanted_z @ wanted_t @ transposed(wanted_z)
    below = np.tril(t, -2 if t.dtype.kind == "f" else -1)
    return is_unitary(z) and close(z @ t @ transposed(z), a) and not below.any()


def same_up_to_signs(results, wanted):
    return all(close(x, y, up_to_sign=True) for x, y in zip(results, wanted))


def same(results, wanted):
    return all(map(close, results, wanted))


# By the file's name: decompositions that are not unique.
CHECKS = {
    "cpu_eig_": same_eigenvectors,
    "cpu_eigh_": same_symmetric_eigenvectors,
    "cpu_schur_": same_schur,
    "cpu_svd_": same_up_to_signs,
    "cpu_qr_": same_up_to_signs,
}


def is_right(name, results, wanted):
    results = [np.asarray(result) for result in results]
    if [(x.dtype, x.shape) for x in results] != [(x.dtype, x.shape) for x in wanted]:
        return False
    check = next((check for start, check in CHECKS.items() if name.startswith(start)), same)
    return check(results, wanted)


# -------------------------------------------------------------------------------------------------


def main(folder, command, *libraries):
    warnings.simplefilter("error")
    targets = {}
    for library in libraries:
        module = module_of(pathlib.Path(library))
        if hasattr(module, "initialize"):
            module.initialize()
        targets.update(module.registrations())
    for name, capsule in targets.items():
        callbridge.jax.register(name, capsule)
    wrong = 0
    for name, golden in goldens(folder):
        data = golden["mlir_module_serialized"]
        calls = _called_targets.calls_of(data)
        if not any(call.api_version < 4 and not call.is_xlas_own for call in calls):
            assert callbridge.jax.upgrade(data) is data
            continue
        for kind, upgrade in ways(golden, command).items():
            try:
                results = upgrade().call(*golden["inputs"])
                wanted = golden["expected_outputs"]
                right = is_right(name, results, wanted)
                verdict = "right" if right else f"{results} instead of {wanted}"
            except Exception as error:
                right, verdict = False, f"{type(error).__name__}: {error}"
            wrong += not right
            convention = golden["xla_call_module_version"]
            print(name, f"convention {convention}", kind, verdict, flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
