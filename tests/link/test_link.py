"""Old code that was linked with libcallbridge.so, or recompiled, as Python opens it."""

import os
import pathlib

import callbridge.jax
import callbridge.library
import jax
import numpy as np
import pytest

LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
BUILD = LIBRARY.parent / "tests/link"
ABIS = {
    "a_name_that_no_string_holds_without_allocation": "original",
    "add": "original",
    "divide": "status_returning",
    "fail_then_succeed": "status_returning",
}


@pytest.mark.parametrize("string_abi", [0, 1])
def test_a_library_that_needs_libcallbridge(string_abi):
    library = callbridge.library.load(BUILD / f"liblink_old_{string_abi}_library.so")
    assert {target.name: target.abi for target in library.targets} == ABIS
    assert library.run("divide", [np.int32(14), np.int32(7)], "s32[]") == 2
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1] for line in maps if "/libcallbridge.so" in line}
    assert loaded == {str(LIBRARY.resolve())}, "the one that is there serves it"


@pytest.mark.parametrize("prefer", ["version_3", "typed"])
def test_recompiled_code_comes_with_both_ways_into_jax(prefer):
    library = callbridge.jax.load(BUILD / "link_recompiled.so")
    assert {target.name: target.abi for target in library.targets} == ABIS
    assert {target.evidence for target in library.targets} == {"registered with its type"}

    divide = jax.jit(
        callbridge.jax.custom_call("divide", jax.ShapeDtypeStruct((), np.int32), prefer=prefer)
    )
    assert divide(np.int32(14), np.int32(7)) == 2
    with pytest.raises(Exception, match="CustomCall failed: division of 3"):
        jax.block_until_ready(divide(np.int32(3), np.int32(0)))
