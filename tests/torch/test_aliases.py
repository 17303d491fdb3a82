"""Operands that targets write to: aliased to results, or declared by mutated_operands=."""

import types

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
from callbridge.torch import CallbridgeError, custom_call  # noqa: E402

FACTOR = {"factor": np.float32(3)}
BACKENDS = [None, "eager", "aot_eager", "inductor"]


@pytest.fixture(autouse=True)
def no_cached_programs():
    torch._dynamo.reset()


def scale():
    return custom_call("torch_scale", lambda x: x, attributes=FACTOR, input_output_aliases={0: 0})


def add_to():
    return custom_call("torch_add_to", "f32[]", mutated_operands=[0])


def of(backend, function):
    if backend is None:
        return function
    return torch.compile(function, backend=backend, fullgraph=True)


def test_schemas():
    x = torch.ones(2)
    assert "(Tensor(a0!) x0) -> ()" in str(scale().operator(x)._schema)
    assert "(Tensor(a0!) x0, Tensor x1) -> Tensor" in str(add_to().operator(x, x)._schema)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_aliased_operand_is_the_result(backend):
    call = of(backend, scale())
    x = torch.ones(4)
    found = call(x)
    assert found.data_ptr() == x.data_ptr()
    assert (x.tolist(), found.tolist()) == ([3] * 4, [3] * 4)
    assert scale()(x) is x


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_mutated_operand(backend):
    call = add_to()

    def run(x, by):
        total = call(x, by)
        return total + call(x, x + 1), x * 2

    for _ in range(2):
        x, by = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
        total, doubled = of(backend, run)(x, by)
        # 3, then 11 + 22; 11 + 12 and 22 + 23.
        assert (float(total), x.tolist(), doubled.tolist()) == (36, [23, 45], [46, 90])


@pytest.mark.parametrize(
    "view", [lambda x: x.t(), lambda x: x[:, 1:], lambda x: x[::2], lambda x: x.view(-1)[1:7]]
)
@pytest.mark.parametrize("backend", [None, "aot_eager", "inductor"])
def test_views_of_what_is_written_to(view, backend):
    x = torch.arange(24.0).reshape(4, 6)
    expected = x.clone()
    view(expected).mul_(3)
    call = scale()
    of(backend, lambda x: call(view(x)))(x)
    assert torch.equal(x, expected)


class View:
    """Stands in for a view whose values PyTorch computes."""

    def __init__(self, values, of):
        self.values, self.of = values, of

    def resolve_conj(self):
        return self

    def resolve_neg(self):
        return self.of

    def copy_(self, other):
        assert other is self.of
        self.values = [-value for value in other.values]


def test_what_is_written_to_values_of_a_view_is_written_to_it():
    plain = View([1], None)
    plain.of = plain
    of_kept, of_written = View([2], None), View([3], None)
    kept, written = View([-2], of_kept), View([-3], of_written)

    def add_one(*tensors):
        assert tensors == (plain, of_kept, of_written)
        for tensor in tensors:
            tensor.values = [value + 1 for value in tensor.values]
        return "result"

    def kernel(*mutated):
        site = types.SimpleNamespace(mutated=mutated)
        operator = types.SimpleNamespace(site=site, overload=add_one)
        return callbridge.torch._kernels._lazy_kernel(operator)

    assert kernel() is None
    assert kernel(0, 2)(plain, kept, written) == "result"
    assert (plain.values, kept.values, written.values) == ([2], [-2], [-4])


def test_conjugate_and_negative_views_of_what_is_written_to():
    x = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex64)
    scaled = scale()(x.conj().imag)  # negative, and not contiguous
    assert scaled.tolist() == [-6, 12]
    assert x.tolist() == [1 + 6j, 3 - 12j]
    # Which the call does not return.
    total = add_to()(x.conj().imag, torch.tensor([10.0, 20.0]))
    assert (float(total), x.tolist()) == (6, [1 - 4j, 3 - 32j])


def test_versions_count_writes():
    x, by = torch.ones(3), torch.ones(3)
    version = x._version
    scale()(x)
    add_to()(x, by)
    assert x._version == version + 2 and by._version == 0
    w = torch.ones(3, requires_grad=True)
    kept = w * x
    scale()(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.sum().backward()


def test_inference_tensors():
    with torch.inference_mode():
        x = torch.ones(3)
        assert scale()(x).tolist() == [3, 3, 3]
        assert scale()(x[1:]).tolist() == [9, 9]


def test_operands_that_share_memory():
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    # The operand that is read is as it was before the call.
    assert float(add_to()(x[1:], x[:-1])) == 9
    assert x.tolist() == [1, 3, 5, 7]
    # So are those that share an element alone, of memory that no copy is made of.
    x = torch.arange(1.0, 34)
    assert x.data_ptr() % 64 == 0
    add_to()(x[16:], x[:17])
    assert torch.equal(x[16:], torch.arange(18.0, 51, 2))
    x = torch.tensor([1.0, 2.0])
    assert float(add_to()(x, x)) == 3
    assert x.tolist() == [2, 4]
    both = custom_call("torch_add_to", "f32[]", mutated_operands=[0, 1])
    with pytest.raises(CallbridgeError, match=r"operands\[0\] and operands\[1\] share memory"):
        both(x, x)
    with pytest.raises(CallbridgeError, match="several of its elements are one in memory"):
        scale()(torch.ones(1).expand(3))
    assert both(x, x.clone()) == 6


def test_what_requires_grad():
    leaf = torch.ones(3, requires_grad=True)
    # That writes to it, whatever it returns.
    no_gradient = custom_call("torch_add_to", "s32[]", mutated_operands=[0])
    for call in (
        scale(),
        lambda x: add_to()(x, torch.ones(3)),
        lambda x: no_gradient(x, torch.ones(3)),
    ):
        with pytest.raises(RuntimeError, match="requires grad"):
            call(leaf)
    with torch.no_grad():
        assert scale()(leaf) is leaf
    assert leaf.tolist() == [3, 3, 3]


def test_results_with_and_without_aliases():
    nested = custom_call("nested", "(f32[4],f32[4])", input_output_aliases={0: 1})
    a, b, c, d = (torch.tensor([float(i)] * 4) for i in (1, 2, 3, 9))
    first, second = nested((a, (b, c)), d)
    assert second is a
    assert (first.tolist(), a.tolist()) == ([-1] * 4, [-6] * 4)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"input_output_aliases": {1: 0}}, ValueError, "there is no operand 1, but 1 operands"),
        ({"input_output_aliases": {0: 1}}, ValueError, "there is no result 1, but 1 results"),
        ({"input_output_aliases": {-1: 0}}, ValueError, "there is no operand -1"),
        ({"input_output_aliases": [0]}, TypeError, "expected a dict"),
        ({"input_output_aliases": {"0": 0}}, TypeError, "expected the numbers of operands"),
        ({"mutated_operands": [3]}, ValueError, "there is no operand 3"),
        ({"mutated_operands": 3}, TypeError, "expected the numbers of operands"),
        ({"mutated_operands": ["x"]}, TypeError, "expected the numbers of operands"),
    ],
)
def test_wrong_numbers(options, error, message):
    with pytest.raises(error, match=message):
        custom_call("torch_scale", lambda x: x, attributes=FACTOR, **options)(torch.ones(2))


@pytest.mark.parametrize("result", ["f32[3]", "s32[2]", "f32[1,2]"])
def test_unlike_aliases(result):
    call = custom_call("torch_scale", result, attributes=FACTOR, input_output_aliases={0: 0})
    for operand in (torch.ones(2), torch.ones(2, device="meta")):
        with pytest.raises(CallbridgeError, match="tensors that share memory must be alike"):
            call(operand)
