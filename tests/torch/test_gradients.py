"""Gradients: rules that users pass, and what has no rule."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import torch.autograd.forward_ad as forward_ad  # noqa: E402
from callbridge.torch import CallbridgeError, custom_call  # noqa: E402

FACTOR = {"factor": np.float32(3)}
NO_RULE = "requires grad, and the call of target .* has no rule for gradients"


def keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def product():
    """a + b, whose rule is that of a * b, so that a gradient tells it was called."""

    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        return gradient * b, gradient * a

    return custom_call("torch_add", lambda a, b: a, backward=backward, setup_context=keep)


@pytest.fixture(autouse=True)
def no_cached_programs():
    torch._dynamo.reset()


def leaves(*values):
    return [torch.tensor(value, requires_grad=True) for value in values]


@pytest.mark.parametrize("backend", [None, "eager", "aot_eager", "inductor"])
def test_a_rule(backend):
    call = product()
    function = call if backend is None else torch.compile(call, backend=backend, fullgraph=True)
    for _ in range(2):
        a, b = leaves([1.0, 2.0], [3.0, 5.0])
        found = function(a, b)
        assert found.tolist() == [4, 7] and found.requires_grad
        found.sum().backward()
        assert (a.grad.tolist(), b.grad.tolist()) == ([3, 5], [1, 2])
    assert not function(a.detach(), b.detach()).requires_grad


def test_a_rule_for_tuples_and_results_without_gradients():
    def backward(ctx, *gradients):
        sums, largest, places = gradients
        (x,) = ctx.saved_tensors
        gradient = sums[:, None].expand(x.shape).clone()
        gradient.scatter_add_(1, x.argmax(1)[:, None], largest[:, None])
        return gradient

    def result(x):
        return (x[:, 0], (x[:, 0], x[:, 0].long()))

    call = custom_call("torch_rows", result, backward=backward, setup_context=keep)
    for function in (call, torch.compile(call, backend="aot_eager", fullgraph=True)):
        (x,) = leaves([[1.0, 5.0], [7.0, 2.0]])
        sums, (largest, places) = function(x)
        assert not places.requires_grad
        (sums.sum() + 10 * largest.sum()).backward()
        assert x.grad.tolist() == [[1, 11], [11, 1]]


def test_gradcheck():
    def backward(ctx, gradient):
        return gradient * 3

    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR, backward=backward)
    (x,) = leaves([1.0, 2.0])
    assert torch.autograd.gradcheck(call, (x,), eps=1e-2, atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize("backend", [None, "eager", "aot_eager", "inductor"])
def test_without_a_rule(backend):
    call = custom_call("torch_add", lambda a, b: a)
    function = call if backend is None else torch.compile(call, backend=backend)
    a, b = leaves([1.0], [2.0])
    for operands in ((a, b), (a.detach(), b), (a * 2, b.detach())):
        with pytest.raises(RuntimeError) as raised:
            function(*operands)
        text = str(raised.value) + str(raised.value.__cause__)
        assert "has no rule for gradients: custom_call() got no backward=" in text
    # A second try after the failure.
    with torch.no_grad():
        assert function(a, b).tolist() == [3]
    assert function(a.detach(), b.detach()).tolist() == [3]


def test_the_error_is_torchs_and_ours():
    call = custom_call("torch_add", lambda a, b: a)
    a, b = leaves([1.0], [2.0])
    with pytest.raises(CallbridgeError, match=r"operands\[1\] " + NO_RULE) as raised:
        call(a.detach(), b)
    assert isinstance(raised.value, RuntimeError)
    assert raised.value.code == "FAILED_PRECONDITION"
    with pytest.raises(CallbridgeError, match=NO_RULE):
        call.operator(a, b)(a, b)
    with pytest.raises(CallbridgeError, match=r"operands\[0\]\[1\] " + NO_RULE):
        custom_call("torch_sum_all", "f32[2]")((a.detach(), b))


def test_results_without_gradients_need_no_rule():
    call = custom_call("torch_address", "s64[2]")
    (x,) = leaves([1.0])
    for function in (call, torch.compile(call, backend="aot_eager", fullgraph=True)):
        assert not function(x).requires_grad


def test_forward_mode_without_a_rule():
    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR)
    x = torch.ones(3)
    with forward_ad.dual_level():
        with pytest.raises(CallbridgeError, match=NO_RULE):
            call(forward_ad.make_dual(x, x))
        assert call(x).tolist() == [3, 3, 3]
    assert call(x).tolist() == [3, 3, 3]


@pytest.mark.parametrize(
    "transform",
    [
        lambda call, x: torch.func.grad(lambda x: call(x).sum())(x),
        lambda call, x: torch.func.jvp(call, (x,), (x,)),
        lambda call, x: torch.func.vjp(call, x),
        lambda call, x: torch.func.jacfwd(call)(x),
        lambda call, x: torch.func.jacrev(call)(x),
        lambda call, x: torch.func.grad(lambda x: torch.vmap(call)(x[None]).sum())(x),
        lambda call, x: torch.vmap(torch.func.grad(lambda x: call(x).sum()))(x[None]),
        lambda call, x: torch.func.grad(
            lambda x: torch.func.grad(lambda y: (y * call(x)).sum())(x).sum()
        )(x),
    ],
)
def test_transforms_without_a_rule(transform):
    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR, vmap_method="sequential")
    x = torch.ones(3)
    with pytest.raises(CallbridgeError, match=NO_RULE):
        transform(call, x)
    assert call(x).tolist() == [3, 3, 3]


def test_a_compiled_transform_without_a_rule():
    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR)
    function = torch.compile(torch.func.grad(lambda x: call(x).sum()), backend="eager")
    with pytest.raises(Exception, match="has no rule for gradients"):
        function(torch.ones(3))


def test_in_an_autograd_function():
    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR)

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return call(x)

        @staticmethod
        def backward(ctx, gradient):
            return call(gradient)

    (x,) = leaves([1.0, 2.0])
    found = Scale.apply(x)
    found.sum().backward()
    assert (found.tolist(), x.grad.tolist()) == ([3, 6], [3, 3])


def test_a_rule_that_fails():
    def backward(ctx, gradient):
        raise ZeroDivisionError("mine")

    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR, backward=backward)
    (x,) = leaves([1.0])
    with pytest.raises(ZeroDivisionError, match="mine"):
        call(x).sum().backward()


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"backward": 3}, TypeError, "backward: expected a function, got int"),
        ({"backward": max, "setup_context": 3}, TypeError, "setup_context: expected a function"),
        ({"setup_context": keep}, ValueError, "setup_context= is for backward=, which is missing"),
        ({"backward": max, "input_output_aliases": {0: 0}}, ValueError, "write to none of their"),
        ({"backward": max, "mutated_operands": [0]}, ValueError, "write to none of their operands"),
    ],
)
def test_what_is_no_rule(options, error, message):
    with pytest.raises(error, match=message):
        custom_call("torch_scale", lambda x: x, attributes=FACTOR, **options)
