"""The same operator information and operands in genuine MindSpore and through callbridge: both
accept a call, or both refuse it. Where they differ is in a table, with the reason.

CALLBRIDGE_MINDSPORE_PYTHON names a Python that has MindSpore; `make test-frameworks` sets it.
"""

import json
import os

import callbridge.numpy
import ml_dtypes
import numpy as np
import pytest
from callbridge.library import CallbridgeError

PYTHON = os.environ.get("CALLBRIDGE_MINDSPORE_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="make test-frameworks has MindSpore")

# The element types of DataType, by the beginning of its members' names.
TYPES = {
    "BOOL": "bool",
    "I8": "int8",
    "U8": "uint8",
    "I16": "int16",
    "U16": "uint16",
    "I32": "int32",
    "U32": "uint32",
    "I64": "int64",
    "U64": "uint64",
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "BF16": "bfloat16",
    "C64": "complex64",
    "C128": "complex128",
}
BLOCKS = {
    *("FRACTAL_Z", "FRACTAL_NZ", "FRACTAL_Z_3D"),
    *("FRACTAL_ZN_LSTM", "FRACTAL_ZN_RNN", "ND_RNN_BIAS"),
}
DESCRIBED = [
    {"name": "workspaces", "param_type": "required", "value_type": "all", "value": []},
    {"name": "shape", "param_type": "required", "value_type": "all", "value": [60]},
]


def value(index, name, presence="required"):
    return {"index": index, "name": name, "param_type": presence}


def case(combinations, operands, **changes):
    """A call of Describe, which returns what it is told of its operands; or of another function."""
    count = len(combinations[0]) - 1
    return {
        "function": "Describe",
        "inputs": [value(i, f"x{i}") for i in range(count)],
        "outputs": [value(0, "y")],
        "combinations": combinations,
        "attributes": DESCRIBED,
        "target": "CPU",
        "operands": operands,
        "result": ("uint8", (60,)),
        **changes,
    }


def described(*attributes):
    return case([("F32_Default", "U8_Default")], [("float32", (2,))], attributes=[*attributes])


F, S, U, ANY = "F32_Default", "I32_Default", "U8_Default", "None_None"
F2, S2 = ("float32", (2,)), ("int32", (2,))
CASES = {
    f"type_{came}_as_{declared}": case([(f"{declared}_Default", U)], [(TYPES[came], (2,))])
    for came in TYPES
    for declared in TYPES
}
CASES |= {
    "none": case([(ANY, U)], [S2]),
    "none_of_a_format": case([("None_Default", U)], [S2]),
    "none_of_all": case([(ANY, ANY)], [S2]),
    "no_format": case([("F32_None", U)], [F2]),
    "no_format_other_type": case([("F32_None", U)], [S2]),
    "one_none": case([(ANY, F, U)], [S2, F2]),
    "one_none_other_type": case([(ANY, F, U)], [S2, S2]),
    "first": case([(F, F, U), (S, S, U)], [F2, F2]),
    "second": case([(F, F, U), (S, S, U)], [S2, S2]),
    "mixed": case([(F, F, U), (S, S, U)], [S2, F2]),
    "typed_or_none": case([(S, U), (ANY, U)], [F2]),
    "none_or_typed": case([(ANY, U), (S, U)], [F2]),
    "twice": case([(F, U), (F, U)], [F2]),
    "too_many": case([(F, U)], [F2, F2]),
    "too_few": case([(F, F, U)], [F2]),
    "no_operands": case([(U,)], []),
    "one_for_no_operands": case([(U,)], [F2]),
    "more_results": case(
        [(F, U, U)], [F2], inputs=[value(0, "x")], outputs=[value(0, "y"), value(1, "z")]
    ),
    "in_order_of_declaration": case([(S, F, U)], [S2, F2], inputs=[value(1, "a"), value(0, "b")]),
    "not_by_index": case([(S, F, U)], [F2, S2], inputs=[value(1, "a"), value(0, "b")]),
    "one_index": case([(F, F, U)], [F2, F2], inputs=[value(0, "x1"), value(0, "x2")]),
    "one_name": case([(F, F, U)], [F2, F2], inputs=[value(0, "x"), value(1, "x")]),
    "dynamic": case([(F, U)], [F2], inputs=[value(0, "x", "dynamic")]),
    "dynamic_of_two": case([(F, U)], [F2, F2], inputs=[value(0, "x", "dynamic")]),
    "optional": case([(F, U)], [F2], inputs=[value(0, "x", "optional")]),
    "default_of_an_attribute": described(*DESCRIBED),
    "optional_attribute": described(
        *DESCRIBED, {"name": "n", "param_type": "optional", "value_type": "int"}
    ),
    "missing_attribute": described(
        DESCRIBED[0], {"name": "shape", "param_type": "required", "value_type": "listInt"}
    ),
    "missing_attribute_that_is_read": described(
        {"name": "workspaces", "param_type": "required", "value_type": "listInt"}, DESCRIBED[1]
    ),
    "sum": case(
        [(F, F, F)],
        [("float32", (3, 4))] * 2,
        function="Add",
        attributes=[],
        result=("float32", (3, 4)),
    ),
    "no_target": case([(F, U)], [F2], target=None),
    "target_in_other_letters": case([(F, U)], [F2], target="cpu"),
    **{
        f"format_{format_}": case([(f"F32_{format_}", U)], [("float32", (2,) * rank)])
        for format_, rank in [
            *(("Default", 0), ("Default", 3), ("NCHW", 4), ("NHWC", 4), ("HWCN", 4)),
            *(("NCDHW", 5), ("NDHWC", 5), ("DHWCN", 5), ("5HD", 5), ("NDC1HWC0", 6)),
            *(("C1HWNCoC0", 6), ("ChannelLast", 3)),
        ]
    },
}
# What MindSpore accepts and callbridge refuses, with callbridge's reason.
ONLY_MINDSPORE = {
    # It casts operands of these types to the declared one. XLA's programs cast by themselves.
    **dict.fromkeys(
        ["type_I16_as_I32", "type_I64_as_I32", "type_F16_as_F32", "type_F64_as_F32"],
        r"operand 0 \(x0\) must be",
    ),
    # It casts every result, whatever its type.
    "result_is_cast": r"result 0 \(y\) must be s8, but is u8",
    # On CPU, formats of operands mean nothing to it.
    "format_of_another_rank": "f32 NCHW, which has rank 4",
    "format_of_blocks": "padded blocks",
    # It ignores the type of an attribute, and the presence of operands.
    "attribute_of_another_type": r'attr.1..value of "shape" is a list of 1: expected int',
    "unknown_presence": 'paramType is "needed"',
    "unknown_attribute_type": "type is .listStr.",
    "a_tensor_for_a_tuple": r"operand 0 \(x0\) must be a tuple of f32",
    # It checks no count if there are no inputs, and leaves missing attributes to the operator.
    "one_for_no_operands": "declares 0 operands, but the call has 1",
    "missing_attribute": 'requires attribute "shape", listInt',
    # It takes an operator for Ascend on any device.
    "for_another_device": "is for Ascend, but the call is made on Host",
}
CASES |= {
    "result_is_cast": case([(F, "I8_Default")], [F2]),
    "format_of_another_rank": case([("F32_NCHW", U)], [F2]),
    "format_of_blocks": case([("F32_FracNZ", U)], [F2]),
    "attribute_of_another_type": described(DESCRIBED[0], {**DESCRIBED[1], "value_type": "int"}),
    "unknown_presence": case([(F, U)], [F2], inputs=[value(0, "x", "needed")]),
    "unknown_attribute_type": described(
        *DESCRIBED, {"name": "n", "param_type": "optional", "value_type": "listStr"}
    ),
    "a_tensor_for_a_tuple": case([("F32_Default_Tuple", U)], [F2]),
    "for_another_device": case([(F, U)], [F2], target="Ascend"),
}
# What callbridge accepts and MindSpore refuses, with MindSpore's reason.
ONLY_CALLBRIDGE = {
    "without_names": "registration information is registered failed",
    "without_presences_of_attributes": "registration information is registered failed",
    # The documentation has both: "may exist and be a single tensor or may not exist", and
    # defaultValue, which MindSpore uses elsewhere than on CPU.
    "an_optional_one_is_missing": "KernelObjectTypeNotSupported",
    "default_value_of_an_attribute": "CreateKernel",
}
CASES |= {
    "without_names": case([(F, U)], [F2], inputs=[{"param_type": "required"}]),
    "without_presences_of_attributes": described(DESCRIBED[0], {"name": "shape", "value": [60]}),
    "an_optional_one_is_missing": case(
        [(F, F, U)], [F2], inputs=[value(0, "x"), value(1, "y", "optional")]
    ),
    "default_value_of_an_attribute": described(
        {**DESCRIBED[0], "value": None, "value_type": "listInt", "default_value": "8"},
        DESCRIBED[1],
    ),
}


@pytest.fixture(scope="module")
def genuine(library, tmp_path_factory, run_in_mindspore):
    """The folder with what MindSpore wrote."""
    folder = tmp_path_factory.mktemp("mindspore")
    (folder / "cases.json").write_text(json.dumps(CASES))
    run_in_mindspore("genuine_operator_info.py", library, folder)
    return folder


@pytest.fixture(scope="module")
def results(genuine):
    return json.loads((genuine / "results.json").read_text())


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def run(library, case, information):
    dtype, shape = case["result"]
    like = np.empty(shape, dtype_of(dtype))
    call = callbridge.numpy.custom_call(
        f"{library}:{case['function']}", like, operator_info=information
    )
    return call(*(np.ones(shape, dtype_of(dtype)) for dtype, shape in case["operands"]))


@pytest.mark.parametrize("name", CASES)
def test_both_accept_or_both_refuse(library, results, name):
    case, theirs = CASES[name], results[name]
    if "error" in theirs or name in ONLY_MINDSPORE:
        if name in ONLY_CALLBRIDGE:
            assert ONLY_CALLBRIDGE[name] in theirs["error"]
            run(library, case, theirs["information"])
            return
        with pytest.raises(CallbridgeError, match=ONLY_MINDSPORE.get(name)) as raised:
            run(library, case, theirs["information"])
        assert raised.value.code == "INVALID_ARGUMENT", raised.value
        assert (name in ONLY_MINDSPORE) == ("error" not in theirs), theirs
        return
    assert name not in ONLY_CALLBRIDGE
    assert run(library, case, theirs["information"]).tobytes().hex() == theirs["bytes"]


def test_information_that_mindspore_has_used(library, results):
    used = results["sum"]["after_use"]
    assert used["op_name"] != results["sum"]["information"]["op_name"] and "imply_type" in used
    assert (run(library, CASES["sum"], used) == 2).all()


def test_what_mindspore_casts_is_what_the_operator_sees(results):
    for name in ONLY_MINDSPORE:
        if name.startswith("type_"):
            declared = TYPES[name.rpartition("_")[2]]
            assert f"\n{declared} 2\n".encode() in bytes.fromhex(results[name]["bytes"])


def test_mindspore_names_the_types_that_it_refuses(results):
    assert "Unsupported data type!" in results["type_F32_as_I32"]["error"]
    assert results["type_F32_as_I32"]["error"].startswith("TypeError")


def test_every_member_of_data_type(library, genuine):
    members = json.loads((genuine / "data_types.json").read_text())
    assert len(members) > 200
    assert {member[0] for member in members.values()} == {*TYPES.values(), ""}
    refused = set()
    for name, member in members.items():
        information = {
            "op_name": name,
            "inputs": [value(0, "x")],
            "outputs": [],
            "dtype_format": [[member]],
            "target": "CPU",
        }
        try:
            callbridge.numpy.custom_call(f"{library}:Describe", "()", operator_info=information)
        except CallbridgeError as error:
            assert "padded blocks in the memory of Ascend devices" in str(error), name
            refused.add(member[1])
            continue
        assert member[1] not in BLOCKS
    assert refused == BLOCKS
