"""xla_client.ops: each operation that a jaxlib had is built, or refused by name with a reason."""

import os
import pathlib
import subprocess

import jax
import numpy as np
import pytest
from jax_releases import ROWS, numbers

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
VERSION = numbers(jax.__version__)
HAS_OURS = VERSION >= (0, 6, 0)
PYTHONS = [
    python
    for release in [row.release for row in ROWS]
    if numbers(release) < VERSION and (python := CACHE / f"venv-jax-{release}/bin/python").exists()
]
# Whose targets the packages of test_packages.py and refusals_program.py have.
CUSTOM_CALLS = {"CustomCall", "CustomCallWithAliasing", "CustomCallWithLayout"}
ENUMERATIONS = {
    "CustomCallApiVersion",
    "CustomCallSchedule",
    "RandomAlgorithm",
    "TriangularSolveOptions_Transpose",
}
has_ours = pytest.mark.skipif(
    not HAS_OURS, reason=f"jax {jax.__version__} has xla_client.ops, for its own builder"
)


@has_ours
def test_operations_with_computations(run):
    assert run(HERE / "computations_program.py") == "100 checked\n"


@pytest.fixture(scope="module")
def of_old():
    """The names that jaxlibs had, and "enumeration.member=value"."""
    program = (
        "from jaxlib.xla_client import ops; print(*[n for n in dir(ops) if n[0].isupper()]);"
        f"kinds = [(e, getattr(ops, e)) for e in {sorted(ENUMERATIONS)}];"
        "print(*[f'{e}.{n}={int(getattr(k, n))}' for e, k in kinds for n in dir(k) if n.isupper()])"
    )
    names, members, asked = set(), set(), 0
    for python in PYTHONS:
        done = subprocess.run(
            [python, "-c", program],
            env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": "", "XLA_FLAGS": ""},
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            asked += 1
            names |= set(done.stdout.splitlines()[0].split())
            members |= set(done.stdout.splitlines()[1].split())
    if not asked:
        pytest.skip("no Python with a jaxlib that had xla_client.ops")
    return names, members


@has_ours
def test_each_old_operation_is_tested_or_refused(run, of_old):
    from callbridge.resurrect._builder import _ops

    names, members = of_old
    assert len(names) > 140
    called = {
        name
        for program in ("ops_program.py", "computations_program.py")
        for name in run(HERE / program, "called").splitlines()[1].split()
    }
    missing = names - called - set(_ops.REFUSED) - CUSTOM_CALLS - ENUMERATIONS
    assert not missing, sorted(missing)
    assert set(_ops.REFUSED) <= names
    ours = {
        f"{e}.{member.name}={int(member)}" for e in ENUMERATIONS for member in getattr(_ops.ops, e)
    }
    # No translation rule of then called typed handlers.
    assert members - {"CustomCallApiVersion.API_VERSION_TYPED_FFI=4"} == ours
    for name in names:
        assert name in dir(_ops.ops)
    # Where a jaxlib has them yet, each that takes operations of ours is wrapped.
    from rows import WRAPPED

    (wrapped,) = [row.names for row in WRAPPED if row.module == "jaxlib.xla_extension.ops"]
    of_numbers, of_later = {"ApproxTopKReductionOutputSize"}, {"Logistic", "MultiCollectivePermute"}
    assert set(wrapped) - of_later == names - ENUMERATIONS - of_numbers


def paths_of(shape, path=()):
    """Of the arrays in a shape, in preorder."""
    if not shape.is_tuple():
        return [path]
    parts = enumerate(shape.tuple_shapes())
    return [found for i, part in parts for found in paths_of(part, (*path, i))]


@has_ours
def test_aliases_count_arrays_in_preorder():
    from callbridge.resurrect._builder import _ops
    from jaxlib.xla_client import Shape

    array, tuple_of = Shape.array_shape(np.dtype("f4"), (2,)), Shape.tuple_shape
    inner = tuple_of([array, tuple_of([array, array]), tuple_of([])])
    nested = tuple_of([inner, array, tuple_of([tuple_of([array])]), inner])
    for operands in ([array], [nested], [array, nested, array, inner]):
        leaves = [(i, path) for i, shape in enumerate(operands) for path in paths_of(shape)]
        for result in (array, inner, nested):
            for number, path in enumerate(paths_of(result)):
                for operand_number, (operand, operand_path) in enumerate(leaves):
                    aliases = [(path, (operand, operand_path))]
                    found = _ops._aliases(operands, result, aliases)
                    assert found == {operand_number: number}, aliases


@has_ours
def test_refused_operations_say_why():
    from callbridge.resurrect._builder import _ops

    for name, reason in _ops.REFUSED.items():
        with pytest.raises(NotImplementedError, match=f"xla_client.ops.{name}: "):
            getattr(_ops.ops, name)(None)
        assert reason
