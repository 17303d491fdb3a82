"""CUDA targets of published packages, compiled years ago, in genuine XLA:GPU of newer releases.

Over the stand-in for the driver, kernels run that the package has as PTX; what there is no library
or no PTX for is refused, and says so. On a device all of them run.
"""

import os
import pathlib
import re
import sys

import pytest
import xla_gpu

PACKAGES = pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / "old-packages"
JAX = "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_{}.so"
BRAINPYLIB = "brainpylib-cu12x-0.1.10.post2/brainpylib/gpu_ops.*.so"
FLASH = "flash-attn-jax-0.2.0/flash_attn_jax_lib/flash_api.*.so"

# The kernels of these come as PTX for compute_90.
CAPABILITY = {"CALLBRIDGE_STANDIN_CAPABILITY": "90"}
# How many targets each module has, and what succeeds.
RUN = {
    "prng": (JAX.format("prng"), 1, ["cu_threefry2x32 of 1", "cu_threefry2x32 of 100003"]),
    "linalg": (JAX.format("linalg"), 2, ["cu_lu_pivots_to_permutation"]),
    "brainpylib": (
        BRAINPYLIB,
        89,
        [
            "csrmv_homo_scalar_float_int",
            "csrmv_heter_vector_double_int",
            "event_csrmv_heter_float_int_bool",
            "event_csrmv_heter_double_int_bool_transpose",
        ],
    ),
}
# What the stand-in has no library of, and no PTX.
REFUSED = {
    "solver": (
        JAX.format("solver"),
        9,
        r"refused: .*operation gpusolverDnCreate\(&handle\) failed: cuSolver internal error",
        ["cusolver_getrf"],
    ),
    "blas": (
        JAX.format("blas"),
        2,
        r"refused: INTERNAL: CustomCall failed: .*operation gpublasCreate\(&handle\) failed: "
        "cuBlas internal error",
        ["cublas_getrf_batched"],
    ),
}

# What modules say where a library of theirs is missing, which they are linked to, or open.
LACKING = re.compile(
    r"lib\S+: cannot open shared object file|Error loading CUDA libraries|DSO_LOADING_FAILURE"
)


def run(release, pattern, case, **variables):
    if reason := xla_gpu.missing(release):
        pytest.skip(reason)
    if release == xla_gpu.IN_DEBIAN_13 or (xla_gpu.ON_DEVICE and sys.version_info[:2] != (3, 11)):
        pytest.skip("the packages' modules are for Python 3.11, and this is another")
    found = sorted(PACKAGES.glob(pattern))
    if xla_gpu.ON_DEVICE and not found:
        pytest.skip(f"{PACKAGES / pattern} is not there: scripts/old_packages gets it elsewhere")
    if pattern == FLASH and not found and "CALLBRIDGE_THOROUGH" not in os.environ:
        pytest.skip("60 MB to download: make matrix has it")
    assert found, f"{PACKAGES / pattern} is not there: scripts/old_packages gets it"
    if not xla_gpu.ON_DEVICE:
        # Behind the plugin's own CUDA that of the packages, 12.
        own = xla_gpu.environment(release)["LD_LIBRARY_PATH"]
        libraries = f"{own}:{xla_gpu.TARGETS}/cuda12"
        variables = {**CAPABILITY, "LD_LIBRARY_PATH": libraries, **variables}
    done = xla_gpu.run(release, "package_calls.py", found[0], case, **variables)
    if xla_gpu.ON_DEVICE and (lacking := LACKING.search(done.output + done.errors)):
        pytest.skip(f"this machine lacks libraries of CUDA 12 that the module needs: {lacking[0]}")
    return done


def preloaded(release):
    """libcudart of the stand-in, before that which the package brings with it."""
    if xla_gpu.ON_DEVICE:
        return {}
    return {"LD_PRELOAD": str(xla_gpu.TARGETS / "cuda12/libcudart.so.12")}


@pytest.mark.parametrize("release", xla_gpu.newest())
@pytest.mark.parametrize("case", RUN)
def test_kernels_of_old_packages_run(release, case):
    pattern, count, expected = RUN[case]
    done = run(release, pattern, case, **(preloaded(release) if case == "brainpylib" else {}))
    assert done.status == 0, done.output + done.errors
    assert sum(map(int, re.findall(r"^(\d+) targets$", done.output, re.MULTILINE))) == count
    for what in expected:
        assert f"{what}: ok" in done.output.splitlines(), done.output
    assert "refused" not in done.output


@pytest.mark.parametrize("release", xla_gpu.newest())
@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_a_library_is_refused_without_it(release, case):
    pattern, count, refused, on_a_device = REFUSED[case]
    done = run(release, pattern, case)
    assert done.status == 0, done.output + done.errors
    assert f"{count} targets" in done.output.splitlines()
    if xla_gpu.ON_DEVICE:
        assert all(f"{what}: ok" in done.output.splitlines() for what in on_a_device)
    else:
        assert re.search(refused, done.output), done.output


@pytest.mark.parametrize("release", xla_gpu.newest())
def test_machine_code_is_refused_by_name(release):
    done = run(release, FLASH, "flash_attention", **preloaded(release))
    assert "2 targets" in done.output.splitlines(), done.output + done.errors
    if xla_gpu.ON_DEVICE:
        assert "flash_mha_fwd: ok" in done.output.splitlines()
        return
    # The package ends the process where a launch fails.
    assert done.status < 0
    assert (
        "module refused: fat binary: no PTX for compute_90 or older in it, only machine code for "
        "sm_80" in done.errors
    )
    assert "CUDA error: CUDA_ERROR_NO_BINARY_FOR_GPU" in done.errors
