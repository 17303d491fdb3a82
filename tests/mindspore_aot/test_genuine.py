"""The same binary, operands and attributes in genuine MindSpore and through callbridge.

They give the same bits where both succeed, and errors of those that fail have MindSpore's words.

CALLBRIDGE_MINDSPORE_PYTHON names a Python that has MindSpore; `make test-frameworks` sets it.
"""

import json
import os
import re
import shutil

import callbridge.numpy
import numpy as np
import pytest
from callbridge.library import CallbridgeError

HERE = os.path.dirname(__file__)
PYTHON = os.environ.get("CALLBRIDGE_MINDSPORE_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="make test-frameworks has MindSpore")

RANDOM = np.random.default_rng(16)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def case(function, operands, shapes, dtypes=("float32",), infers=False, source=None, **attributes):
    """`source`: a file that the framework compiles, instead of the library."""
    return {
        "source": source,
        "function": function,
        "operands": operands,
        "shapes": shapes,
        "dtypes": list(dtypes),
        "infers": infers,
        "attributes": attributes,
    }


CASES = {
    "add": case("Add", [floats(3, 5), floats(3, 5)], [(3, 5)]),
    "add_scalars": case("Add", [floats(), floats()], [()]),
    "add_nothing": case("Add", [floats(0, 4), floats(0, 4)], [(0, 4)]),
    "add_mul_div": case("AddMulDiv", [floats(7), floats(7)], [(7,)] * 3, ["float32"] * 3),
    "add_mul_div_inferred": case(
        "AddMulDiv", [floats(7), floats(7)], [(7,)] * 3, ["float32"] * 3, infers=True
    ),
    "reduce_rows": case(
        "AddReduce", [floats(4, 5), floats(4, 5)], [(4,)], infers=True, axis=1, keep_dim=False
    ),
    "reduce_columns": case(
        "AddReduce", [floats(4, 5), floats(4, 5)], [(1, 5)], infers=True, axis=0, keep_dim=True
    ),
    "describe": case(
        "Describe",
        [np.zeros((2, 3), np.int16), np.zeros((), np.complex64)],
        [(120,)],
        ["uint8"],
        infers=True,
        workspaces=[8, 16],
        shape=[120],
    ),
    "add_of_a_source": case("Add", [floats(3, 5), floats(3, 5)], [(3, 5)], source="operators.cc"),
    "the_example": case(
        "RowSums", [floats(4, 5)], [(4,)], infers=True, source="row_sums.cc", scale=0.5
    ),
    "reduce_of_a_source": case(
        "AddReduce",
        [floats(4, 5), floats(4, 5)],
        [(4,)],
        infers=True,
        source="operators.cc",
        axis=1,
        keep_dim=False,
    ),
}
FAILING = {
    "wrong_type": (
        case("Add", [np.zeros(3, np.int32), np.zeros(3, np.int32)], [(3,)], ["int32"]),
        r"function\(Add\) is 2. Any return value not equal to 0 will be treated as user defined",
    ),
    "code": (case("Fails", [floats(1)], [(1,)], way="code"), r"function\(Fails\) is 77\. Any"),
    "exception": (case("Fails", [floats(1)], [(1,)], way="exception"), "no licence"),
    "missing": (case("Fails", [floats(1)], [(1,)], way="missing"), "no attribute called none"),
    "wrong_source": (
        case("Add", [floats(1)], [(1,)], source="wrong.cc"),
        r"Compilation error in compiling .*wrong\.cc:[\s\S]*no_such_name",
    ),
    "no_function": (case("Nope", [floats(1)], [(1,)]), "undefined symbol: Nope"),
}
SHORT = {"float32": "f32", "uint8": "u8", "int32": "s32"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A folder with sources, and the header beside them, where MindSpore's users put it."""
    folder = tmp_path_factory.mktemp("mindspore")
    shutil.copy(f"{HERE}/operators.cc", folder)
    shutil.copy(f"{HERE}/../../examples/mindspore_aot/row_sums.cc", folder)
    shutil.copy(f"{HERE}/../../mindspore_aot/custom_aot_extra.h", folder)
    (folder / "wrong.cc").write_text("int f() { return no_such_name; }")
    return folder


@pytest.fixture(scope="module")
def genuine(library, sources, run_in_mindspore):
    """The folder with what MindSpore returned."""
    folder = sources
    cases = CASES | {name: case for name, (case, _) in FAILING.items()}
    for name, case in cases.items():
        for i, operand in enumerate(case["operands"]):
            np.save(folder / f"{name}.operand{i}.npy", operand)
    described = {
        name: {key: value for key, value in case.items() if key != "operands"}
        for name, case in cases.items()
    }
    (folder / "cases.json").write_text(json.dumps(described))
    run_in_mindspore("genuine_operators.py", library, folder)
    return folder


def run(library, sources, case):
    """What callbridge returns, as a list."""
    library = sources / case["source"] if case["source"] else library
    texts = [
        f"{SHORT[dtype]}[{','.join(map(str, shape))}]"
        for shape, dtype in zip(case["shapes"], case["dtypes"], strict=True)
    ]
    attributes = {
        name: np.array(value) if isinstance(value, list) else value
        for name, value in case["attributes"].items()
    }
    call = callbridge.numpy.custom_call(
        f"{library}:{case['function']}",
        texts[0] if len(texts) == 1 else f"({','.join(texts)})",
        attributes=attributes,
    )
    found = call(*case["operands"])
    return list(found) if type(found) is tuple else [found]


@pytest.mark.parametrize("name", CASES)
def test_the_same_bits(library, sources, genuine, name):
    assert not (genuine / f"{name}.error.txt").exists(), (genuine / f"{name}.error.txt").read_text()
    found = run(library, sources, CASES[name])
    for i, array in enumerate(found):
        expected = np.load(genuine / f"{name}.result{i}.npy")
        assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
        assert array.tobytes() == expected.tobytes()
    assert len(found) == len(list(genuine.glob(f"{name}.result*.npy")))


@pytest.mark.parametrize("name", FAILING)
def test_the_same_failures(library, sources, genuine, name):
    case, message = FAILING[name]
    said = (genuine / f"{name}.error.txt").read_text()
    with pytest.raises(CallbridgeError, match=message):
        run(library, sources, case)
    assert re.search(message, said), said
