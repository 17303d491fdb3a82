"""Scratch memory in genuine XLA:GPU: of its allocator, or a result of the call that nobody sees."""

import functools
import json

import pytest
from jax_releases import numbers
from xla_gpu import BUILD, TARGETS, missing, releases, run

BLOCK = 1216  # of f32[300], in whole units


@pytest.fixture(params=releases(), ids=str)
def release(request):
    why = missing(request.param)
    if why:
        pytest.skip(why)
    return request.param


def libraries():
    built = (BUILD / "tests/ffi_releases.txt").read_text().split()
    return ["typed_ours.so", *(f"typed_{headers}.so" for headers in built)]


@functools.cache
def checks(release):
    paths = [TARGETS / name for name in ("workspaces.so", *libraries())]
    outcome = run(release, "scratch_program.py", *paths)
    assert outcome.status == 0, outcome
    lines = map(json.loads, filter(lambda line: line[0] == "{", outcome.output.splitlines()))
    return {line.pop("check"): line for line in lines}


def calls_handlers_by_version_three(release):
    return release is not None and numbers(release) < (0, 6)


def has_instantiate(release):
    """Else XLA calls no handler that keeps state, such as an operator's."""
    return release is None or numbers(release) > (0, 4, 30)


def is_right(found, hidden):
    return set(found["found"]) == {"right"} and found["hidden"] is hidden


def gives(found, needed, given):
    """The error has both numbers."""
    return "RESOURCE_EXHAUSTED" in found["found"][-1] and (
        f"the handler needs {needed} bytes of scratch memory, and the call gives it {given}"
        in found["found"][-1]
    )


def test_where_xla_has_memory_nothing_is_given(release):
    """The option changes nothing then, whatever headers the handler was built with."""
    found = checks(release)
    for library in libraries():
        name = library.removesuffix(".so")
        if is_right(found[f"{name}: default"], hidden=False):
            assert is_right(found[f"{name}: given"], hidden=False), name
    assert is_right(found["typed_ours: default"], hidden=False)


def test_by_version_three_the_call_gives_it(release):
    if not calls_handlers_by_version_three(release):
        pytest.skip(f"jax {release} calls typed handlers by FFI alone")
    found = checks(release)
    for library in libraries():
        name = library.removesuffix(".so")
        for check in ("enough", "the least", "vmap", "chain", "in place"):
            assert is_right(found[f"{name}: {check}"], hidden=True), (name, check)
        for check in ("none", "zero"):
            assert "UNIMPLEMENTED" in found[f"{name}: {check}"]["found"][-1], (name, check)
            assert "No device memory allocator" in found[f"{name}: {check}"]["found"][-1]
        assert gives(found[f"{name}: too little"], 2 * BLOCK - 16, BLOCK), name


def test_without_version_three_it_is_refused(release):
    if calls_handlers_by_version_three(release):
        pytest.skip(f"jax {release} calls typed handlers by version 3 too")
    assert "which this JAX cannot call by 'version_3'" in str(
        checks(release)["typed_ours: no version 3"]["found"]
    )


def test_an_operator_says_itself_what_it_needs(release):
    """By its FInit, when the program is compiled; where XLA has memory, from XLA."""
    found = checks(release)
    hidden = not has_instantiate(release)
    assert is_right(found["operator: 0 workspaces"], hidden=False)
    for check in ("1 workspaces", "5 workspaces", "of another shape", "mapped", "given"):
        assert is_right(found[f"operator: {check}"], hidden), check
    assert is_right(found["operator: no elements"], hidden)


def test_an_operator_that_asks_for_more_when_it_runs(release):
    found = checks(release)
    if has_instantiate(release):
        assert is_right(found["operator: too little"], hidden=False)
        assert is_right(found["operator: it grows"], hidden=False)
        return
    assert gives(found["operator: too little"], 2 * BLOCK - 16, BLOCK)
    # Lowered, compiled, run.
    assert gives(found["operator: it grows"], 1200 + 2 * 4096, BLOCK + 4096)
