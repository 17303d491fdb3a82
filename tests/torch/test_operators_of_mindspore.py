"""AOT operators of MindSpore whose results are inferred, and operator information, in PyTorch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
from callbridge.torch import CallbridgeError  # noqa: E402

A = torch.arange(6, dtype=torch.float32).reshape(2, 3)
B = torch.tensor([[10.0, 20, 30], [40, 50, 60]])
REDUCTION = {"axis": 1, "keep_dim": False}
# What CustomRegOp(...).get_op_info() returns, as far as it matters.
INFORMATION = {
    "op_name": "reduce",
    "inputs": [{"index": 0, "name": "x1"}, {"index": 1, "name": "x2"}],
    "outputs": [{"index": 0, "name": "y"}],
    "attr": [
        {"name": "axis", "paramType": "required", "type": "int", "value": 1},
        {"name": "keep_dim", "paramType": "required", "type": "bool", "value": False},
    ],
    "dtype_format": [[["float32", ""], ["float32", ""], ["float32", ""]]],
    "target": "CPU",
}


@pytest.fixture(params=["aot_operators_old", "aot_operators_new"])
def operators(built, request):
    return f"{built}/mindspore_aot/{request.param}.so"


@pytest.mark.parametrize("result", [None, torch.float32, np.float32], ids=str)
def test_results_are_inferred(operators, result):
    call = callbridge.torch.custom_call(f"{operators}:AddReduce", result, attributes=REDUCTION)
    for a, b in ((A, B), (B.T.contiguous(), A.T.contiguous()), (A, B)):
        found = call(a, b)
        assert found.dtype == torch.float32
        assert torch.equal(found, (a + b).sum(dim=1))
    triple = callbridge.torch.custom_call(f"{operators}:AddMulDiv", (torch.float32,) * 3)
    for found, expected in zip(triple(A, B), (A + B, A * B, A / B), strict=True):
        assert torch.equal(found, expected)


@pytest.mark.parametrize("dynamic", [False, True])
def test_in_torch_compile(operators, dynamic):
    torch.compiler.reset()  # it makes eight programs of one code
    call = callbridge.torch.custom_call(f"{operators}:AddReduce", attributes=REDUCTION)
    program = torch.compile(lambda a, b: call(a, b) * 2, fullgraph=True, dynamic=dynamic)
    for rows in (2, 5, 7):
        a, b = torch.ones(rows, 3), torch.arange(3.0 * rows).reshape(rows, 3)
        assert torch.equal(program(a, b), (a + b).sum(dim=1) * 2)


def test_equal_calls_are_one_operator(operators):
    def call(**attributes):
        name = f"{operators}:AddReduce"
        made = callbridge.torch.custom_call(name, attributes={**REDUCTION, **attributes})
        return made.operator(A, B)

    assert call() is call()
    assert call() is not call(axis=0)


def test_what_is_not_known_is_an_error(operators):
    def refused(message, function, result, *operands, **options):
        with pytest.raises(CallbridgeError, match=message):
            callbridge.torch.custom_call(f"{operators}:{function}", result, **options)(*operands)

    refused("has no function AddInferShape", "Add", None, A, B)
    refused("torch.float32, torch.int32; pass its dtype", "AddReduce", None, A, B.int())
    refused("have none", "Counts", None)
    refused("which is not an element type", "AddReduce", torch.complex32, A, B)
    given = {"shape": np.array([-1, 2]), "workspaces": np.array([], np.int64)}
    refused("-1 is not known", "Describe", None, A.byte(), attributes=given)


def test_operator_information(operators):
    name = f"{operators}:AddReduce"
    call = callbridge.torch.custom_call(name, operator_info=INFORMATION)
    assert torch.equal(call(A, B), (A + B).sum(dim=1))
    for program in (call, torch.compile(call, fullgraph=True)):
        with pytest.raises(Exception, match="float32|f32") as raised:
            program(A.double(), B.double())
        assert "x1" in str(raised.value)
    with pytest.raises(CallbridgeError, match="1 operand|operands"):
        call(A)
    assert torch.equal(call(A, B), (A + B).sum(dim=1))


def test_operator_information_of_an_untyped_target():
    """A target of any ABI may have it."""
    call = callbridge.torch.custom_call(
        "torch_add", lambda a, b: a, operator_info={**INFORMATION, "attr": []}
    )
    assert torch.equal(call(A, B), A + B)
    with pytest.raises(CallbridgeError, match="float32|f32"):
        call(A.double(), B.double())


def test_the_function_is_the_file_s_and_not_the_name_s(tmp_path, monkeypatch):
    """After an edit, in another folder, and by another spelling; in compiled programs too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    x = torch.tensor([7.0])

    def write(folder, number):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "number.cc").write_text(
            "#include <cstdint>\n"
            "static float kept;\n"
            'extern "C" int Number(int, void** p, int*, int64_t**, const char**, void*, void*) {\n'
            f"  return *(float*)p[1] = {number}, 0;\n"
            "}\n"
            'extern "C" int Keep(int, void** p, int*, int64_t**, const char**, void*, void*) {\n'
            "  return *(float*)p[1] = kept, kept = *(float*)p[0], 0;\n"
            "}\n"
        )
        monkeypatch.chdir(tmp_path / folder)
        call = callbridge.torch.custom_call("number.cc:Number", "f32[1]")
        return call, torch.compile(lambda x: call(x) * 2, fullgraph=True)

    made = [(number, *write(folder, number)) for folder, number in (("a", 1), ("a", 2), ("b", 3))]
    # Equal sources are two files, with variables of their own.
    made.append((1, *write("c", 1)))
    for number, call, program in made * 2:
        assert call(x) == number
        assert program(x) == 2 * number
    assert len({call.operator(x) for _, call, _ in made}) == 4
    (tmp_path / "link.cc").symlink_to(tmp_path / "c/number.cc")
    for i, name in enumerate(["number.cc", "./number.cc", "../c/number.cc", "../link.cc"]):
        assert callbridge.torch.custom_call(f"{name}:Keep", "f32[1]")(x + i) == (6 + i) * (i > 0)
