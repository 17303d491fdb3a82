"""What the Python tests share: the libraries of targets that tests/python/CMakeLists.txt builds."""

import os
import pathlib

import callbridge.library
import numpy as np
import pytest


@pytest.fixture(scope="session")
def modules() -> pathlib.Path:
    """The folder of the libraries, in CALLBRIDGE_BUILD or else beside libcallbridge.so."""
    build = os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
    return pathlib.Path(build) / "tests" / "python"


@pytest.fixture(scope="session")
def targets(modules) -> callbridge.library.Library:
    return callbridge.library.load(modules / "targets.so")


@pytest.fixture(
    params=[
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bfloat16",
        "float8_e3m4",
        "float8_e4m3",
        "float8_e4m3b11fnuz",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "float4_e2m1fn",
        "int4",
        "uint4",
        "int2",
        "uint2",
    ]
)
def some_array(request) -> np.ndarray:
    """An array of 3 x 5 elements of each dtype that XLA runs."""
    import ml_dtypes

    dtype = np.dtype(getattr(ml_dtypes, request.param, None) or request.param)
    return np.array([[1, 0, 1, 1, 0], [1, 1, 0, 0, 0], [0, 1, 0, 1, 1]]).astype(dtype)
