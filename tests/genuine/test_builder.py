"""callbridge's XlaBuilder against the genuine one of TensorFlow 2.13.1.

builder_programs.cc is compiled against both. The modules that it builds are compared field by
field, as text: numbers, names, shapes, layouts, literals, and the instructions that implicit
broadcasting adds. Errors have the genuine code and text, behind which callbridge's may say more.
"""

import os
import pathlib
import re
import subprocess
from typing import NamedTuple

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/genuine"


class Difference(NamedTuple):
    """A program for which callbridge's builder does something else: what is in its output, and not
    in the genuine one's; and why."""

    says: str
    why: str


EARLIER = "what no XLA compiles is refused where it is built"
NO_INSTRUCTION = "takes an instruction that callbridge does not have"
NO_CHECK = "an error instead of a failed internal check"
NO_ABORT = "an error instead of an abort"
DIFFERENCES = {
    "negative_zero": Difference("f32s: -0", "constants keep their bits: XLA's -0.0 becomes 0.0"),
    "add_precisions": Difference("f32[2] and bf16[2]", "element types are converted by request"),
    "convert_complex": Difference("error 12: Converting c64[2] to F32", NO_INSTRUCTION),
    "convert_complex_pred": Difference("error 12: Converting c64[2] to PRED", NO_INSTRUCTION),
    "reshape_permutation": Difference("error 12: Reshape with dimensions [1,0]", NO_INSTRUCTION),
    "reshape_other_type": Difference("error 3: Reshape keeps the element type", EARLIER),
    "layout_of_other_shape": Difference("expected f32[2]{0}, as the operand has it", EARLIER),
    "alias_of_no_operand": Difference("there are 0 operands", EARLIER),
    "bad_alias_index": Difference("error 3: input/output alias of output {1}: expected", NO_CHECK),
    "bad_alias_parameter": Difference("there are 1 parameters", "the check of all modules"),
    "bad_alias_parameter_index": Difference("parameter 0 {0}: expected a leaf", "likewise"),
    "missing_parameter": Difference("error 3: invalid parameter number: 1; ", NO_CHECK),
    "negative_parameter": Difference("error 3: invalid parameter number: -1; ", NO_CHECK),
    "in_dim_negative_size": Difference("expected 0 or more, got -2", "the text of all shapes"),
    "add_of_uninitialized": Difference("error 3: invalid XlaOp with handle -1", NO_ABORT),
    "shape_of_uninitialized": Difference("error 3: invalid XlaOp with handle -1", NO_ABORT),
}


def outputs(program):
    path = BUILD / program
    assert path.is_file(), f"{path}: built where CALLBRIDGE_TENSORFLOW is set; `make test` does"
    done = subprocess.run([path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    parts = re.split(r"^=== (.*)\n", done.stdout, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def fields(message):
    """The lines of a message's text, without a field that the genuine builder always adds, empty,
    and that callbridge's hlo.proto has not."""
    return message.replace("dynamic_parameter_binding {\n}\n", "").splitlines()


def is_error(line):
    return line.startswith("error ")


def agrees(ours, genuine):
    """Whether a line of callbridge's says what the genuine one does."""
    if is_error(genuine):
        # Behind the colon stood a stack trace.
        return ours.startswith(genuine.rstrip(": ").removesuffix("."))
    return ours == genuine


@pytest.fixture(scope="module")
def ours():
    return outputs("builder_programs")


@pytest.fixture(scope="module")
def genuine():
    return outputs("genuine_builder_programs")


def differs(name, ours, genuine):
    a, b = fields(ours[name]), fields(genuine[name])
    return len(a) != len(b) or not all(map(agrees, a, b))


def test_same_modules_and_errors(ours, genuine):
    assert ours.keys() == genuine.keys() and len(ours) > 100
    differing = {name for name in ours if differs(name, ours, genuine)}
    for name in sorted(differing - DIFFERENCES.keys()):
        print(f"--- {name}\ncallbridge:\n{ours[name]}\ngenuine:\n{genuine[name]}")
    assert differing == DIFFERENCES.keys()


def test_the_comparison_sees_what_differs(ours, genuine):
    """Of modules, every line; of errors, the code and the text."""
    for name in ("calls", "custom_calls_with_layout", "attributes", "replicated_parameter"):
        for i, line in enumerate(lines := genuine[name].splitlines()):
            if line.startswith("dynamic_parameter_binding") or lines[i - 1].startswith("dyn"):
                continue
            changed = [*lines[:i], line + "1", *lines[i + 1 :]]
            assert differs(name, ours, {name: "\n".join(changed)}), (name, line)
    for text in ("error 4: Operand", "error 3: Operator"):
        assert differs("element_of_array", ours, {"element_of_array": text})


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences(name, ours, genuine):
    assert DIFFERENCES[name].says in ours[name]
    assert DIFFERENCES[name].says not in genuine[name]
