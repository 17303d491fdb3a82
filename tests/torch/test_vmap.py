"""torch.vmap: jax.ffi.ffi_call's methods, a rule of the user's, and calls that have neither."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

from callbridge.torch import CallbridgeError, custom_call  # noqa: E402

METHODS = ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]
FACTOR = {"factor": np.float32(3)}


@pytest.fixture(autouse=True)
def no_cached_programs():
    torch._dynamo.reset()


def rows_of(x):
    return (x[..., 0], (x[..., 0], x[..., 0].to(torch.int64)))


def by_hand(call, xs):
    sums, rest = zip(*[call(x) for x in xs])
    largest, places = zip(*rest)
    return torch.stack(sums), (torch.stack(largest), torch.stack(places))


def equal(found, expected):
    pairs = zip(*map(torch.utils._pytree.tree_leaves, (found, expected)))
    assert all(torch.equal(*pair) for pair in pairs)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("backend", [None, "aot_eager", "inductor"])
def test_methods(method, backend):
    call = custom_call("torch_rows", rows_of, vmap_method=method)
    mapped = torch.vmap(call)
    if backend is not None:
        mapped = torch.compile(mapped, backend=backend, fullgraph=True)
    x = torch.randn(5, 4, 3)
    equal(mapped(x), by_hand(call, x))


@pytest.mark.parametrize("method", METHODS)
def test_dimensions_in_and_out(method):
    call = custom_call("torch_rows", rows_of, vmap_method=method)
    x = torch.randn(4, 5, 3)
    found = torch.vmap(call, in_dims=1, out_dims=1)(x)
    expected = by_hand(call, x.unbind(1))
    equal(found[0], expected[0].t())
    nested = torch.vmap(torch.vmap(call))(x[None].expand(2, 4, 5, 3))
    assert torch.equal(nested[0][1], call(x)[0])


@pytest.mark.parametrize("method", ["sequential", "broadcast_all"])
def test_operands_that_are_not_mapped(method):
    call = custom_call("torch_add", lambda a, b: a, vmap_method=method)
    a, b = torch.randn(5, 3), torch.randn(3)
    assert torch.equal(torch.vmap(call, in_dims=(0, None))(a, b), a + b)
    assert torch.equal(torch.vmap(call, in_dims=(None, 0))(b, a), b + a)
    assert torch.equal(torch.vmap(lambda a: (call(b, b), a)[0], out_dims=None)(a), b + b)
    assert torch.equal(torch.vmap(lambda a: call(a, b), in_dims=1)(a.t()), a + b)


def test_what_the_target_gets():
    """The operand that is not mapped over has 3 elements, or 15 as the other."""
    call = {
        method: custom_call("torch_sum_all", "f32[2]", vmap_method=method)
        for method in ("expand_dims", "broadcast_all")
    }
    a, b = torch.ones(5, 3), torch.ones(3)
    for method, expected in (("expand_dims", 18), ("broadcast_all", 30)):
        found = torch.vmap(call[method], in_dims=(0, None))(a, b)
        assert found.shape == (5, 2)
        assert found[0].tolist() == [2, expected]


@pytest.mark.parametrize("method", ["expand_dims", "broadcast_all"])
@pytest.mark.parametrize("order", [1, -1])
def test_each_choice_of_operands_that_are_mapped(method, order):
    """By one function: what it keeps of one choice is not for another."""
    call = custom_call("torch_sum_all", "f32[2]", vmap_method=method)
    choices = [in_dims for in_dims in itertools.product((0, None), repeat=3) if 0 in in_dims]
    for in_dims in choices[::order]:
        operands = [torch.ones(5, 3) if in_dim == 0 else torch.ones(3) for in_dim in in_dims]
        found = torch.vmap(call, in_dims=in_dims)(*operands)
        expected = sum(15 if d == 0 or method == "broadcast_all" else 3 for d in in_dims)
        assert found.shape == (5, 2), in_dims
        assert found[0].tolist() == [3, expected], in_dims


def test_the_target_is_called_as_often_as_the_method_says():
    def result(x):
        return torch.empty(2, dtype=torch.int64, device="meta")

    calls = custom_call("torch_address", "s64[2]")
    x = torch.zeros(4, 16)
    for method, expected in (("sequential", 4), ("expand_dims", 1), ("broadcast_all", 1)):
        call = custom_call("torch_address", result, vmap_method=method)
        before = int(calls(x)[1])
        torch.vmap(call)(x)
        assert int(calls(x)[1]) - before - 1 == expected, method


@pytest.mark.parametrize("method", METHODS)
def test_of_nothing(method):
    call = custom_call("torch_add", lambda a, b: a, vmap_method=method)
    a = torch.randn(0, 3)
    assert torch.vmap(call)(a, a).shape == (0, 3)


def test_a_rule_of_the_users():
    def rule(info, in_dims, a, b):
        assert (info.batch_size, in_dims) == (5, (0, None))
        return call(a, b.expand(a.shape)), 0

    call = custom_call("torch_add", lambda a, b: a, vmap_method=rule)
    a, b = torch.randn(5, 3), torch.randn(3)
    for mapped in (
        torch.vmap(call, in_dims=(0, None)),
        torch.compile(torch.vmap(call, in_dims=(0, None)), backend="aot_eager"),
    ):
        assert torch.equal(mapped(a, b), a + b)


@pytest.mark.parametrize("method", METHODS)
def test_gradients_of_mapped_calls(method):
    call = custom_call(
        "torch_scale",
        lambda x: x,
        attributes=FACTOR,
        vmap_method=method,
        backward=lambda ctx, gradient: gradient * 7,
    )
    x = torch.ones(2, 3, requires_grad=True)
    torch.vmap(call)(x).sum().backward()
    assert x.grad.tolist() == [[7] * 3] * 2


@pytest.mark.parametrize("method", METHODS)
def test_mutated_operands(method):
    call = custom_call(
        "torch_scale",
        lambda x: x,
        attributes=FACTOR,
        vmap_method=method,
        input_output_aliases={0: 0},
    )
    x = torch.ones(2, 3)
    assert torch.vmap(call)(x).tolist() == [[3] * 3] * 2
    assert x.tolist() == [[3] * 3] * 2
    with pytest.raises(CallbridgeError, match="does not map over it"):
        add = custom_call("torch_add_to", "f32[]", mutated_operands=[0], vmap_method=method)
        torch.vmap(add, in_dims=(None, 0))(torch.zeros(3), x)


def test_without_a_method():
    call = custom_call("torch_add", lambda a, b: a)
    a = torch.ones(2, 3)
    for mapped in (torch.vmap(call), torch.vmap(call, in_dims=(0, None))):
        with pytest.raises(NotImplementedError, match="has no rule for torch.vmap: custom_call"):
            mapped(a, a)
    # Those that are not mapped over need none.
    assert torch.vmap(lambda x: (x, call(a, a))[1], out_dims=None)(a).tolist() == [[2] * 3] * 2


@pytest.mark.parametrize(
    "method, error", [("parallel", ValueError), (3, TypeError), (b"sequential", TypeError)]
)
def test_what_is_no_method(method, error):
    with pytest.raises(error, match="vmap_method: expected"):
        custom_call("torch_add", lambda a, b: a, vmap_method=method)
