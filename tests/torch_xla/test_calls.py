"""Targets of every ABI in lazily traced graphs and in torch.compile(backend="openxla").

What they return is that of the same target on CPU tensors, and what NumPy computes, bit for bit.
"""

import numpy as np
import pytest
from this_torch_xla import (
    RELEASE,
    needs_instantiate,
    torch_xla,
    xla,
)

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
import callbridge.torch_xla  # noqa: E402

RANDOM = np.random.default_rng(16)


def floats(*shape):
    return torch.from_numpy(RANDOM.standard_normal(shape).astype(np.float32))


@pytest.fixture(scope="module", autouse=True)
def libraries(uses, typed):
    callbridge.torch.load(uses)
    callbridge.torch.load(typed)


def flat(result):
    return [leaf for part in result for leaf in flat(part)] if type(result) is tuple else [result]


def lazily(call, *operands):
    return call(*operands)


def compiled(call, *operands):
    torch._dynamo.reset()
    return torch.compile(lambda *given: call(*given), backend="openxla", fullgraph=True)(*operands)


def on_xla(tree):
    return tuple(map(on_xla, tree)) if type(tree) is tuple else xla(tree)


@pytest.fixture(params=[lazily, compiled])
def way(request):
    return request.param


def same_bits(found, expected):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.untyped_storage().nbytes() >= 0  # on the CPU
    raw = [t.contiguous().view(torch.uint8) if t.ndim else t for t in (found, expected)]
    assert torch.equal(*raw) or found.numpy().tobytes() == expected.numpy().tobytes()


def check(way, call, *operands):
    """Returns the tensors that the call returns on XLA, which are those that it does on the CPU."""
    expected = flat(call(*operands))
    found = [tensor.cpu() for tensor in flat(way(call, *on_xla(operands)))]
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        same_bits(ours, theirs)
    return found


def custom_call(target, result, **options):
    return callbridge.torch.custom_call(target, result, **options)


def size(n):
    return torch.tensor(n, dtype=torch.int32)


# ---- One target of each ABI ---------------------------------------------------------------------


def test_original(way):
    x = floats(5)
    (found,) = check(way, custom_call("square", lambda n, x: x), size(5), x)
    assert found.numpy().tobytes() == (x.numpy() * x.numpy()).tobytes()


def test_status_returning(way):
    check(way, custom_call("nonnegative", "f32[]"), torch.tensor(2.5))


@pytest.mark.parametrize("opaque", [b"", b"abc", b'\0\xff"\\\n', bytes(range(256)) * 8])
def test_status_returning_unified(way, opaque):
    (found,) = check(way, custom_call("add_opaque", "f32[]", opaque=opaque), torch.tensor(1.0))
    assert found == 1 + sum(opaque)


def test_typed(way):
    x = floats(3, 2)
    (found,) = check(way, custom_call("square_typed", lambda n, x: x), size(6), x)
    assert found.numpy().tobytes() == (x.numpy() * x.numpy()).tobytes()


@needs_instantiate
def test_typed_with_state(way):
    # A program that was compiled stays, with its state.
    start = 40 if way is lazily else 50
    call = custom_call("count", "s32[]", attributes={"start": np.int32(start)})
    found = [way(call, xla(torch.zeros(2))).item() for _ in range(3)]
    assert found == [start, start + 1, start + 2]


@needs_instantiate
def test_mindspore(way, operators):
    call = custom_call(f"{operators}:Add", lambda x, y: x)
    x, y = floats(3, 5), floats(3, 5)
    (found,) = check(way, call, x, y)
    assert found.numpy().tobytes() == (x.numpy() + y.numpy()).tobytes()


@needs_instantiate
def test_mindspore_with_attributes(way, operators):
    call = custom_call(
        f"{operators}:AddReduce", "f32[4]", attributes={"axis": 1, "keep_dim": False}
    )
    check(way, call, floats(4, 5), floats(4, 5))


# ---- Trees --------------------------------------------------------------------------------------


def test_nested_tuples(way):
    call = custom_call("trees", ("f32[3]", ("f32[3]",)))
    a, b, c = floats(3), floats(3), floats(3)
    found = check(way, call, (a, (b, size(3))), c)
    assert found[0].numpy().tobytes() == (a.numpy() + b.numpy() * c.numpy()).tobytes()
    assert found[1].numpy().tobytes() == (a.numpy() - c.numpy()).tobytes()


def test_a_tuple_of_one(way):
    call = custom_call("tuple_of_one", ("f32[]",))
    (found,) = check(way, call, torch.tensor(41.0))
    assert found == 42
    assert type(call(xla(torch.tensor(1.0)))) is tuple


def test_a_tuple_of_one_of_one(way):
    check(way, custom_call("one_of_one", ("f32[]",)), ((torch.tensor(41.0),),))


def test_typed_trees(way):
    call = custom_call("trees_typed", ("f32[3]", ("f32[3]",)))
    check(way, call, (floats(3), (floats(3), size(3))), floats(3))


# ---- Forms of tensors ---------------------------------------------------------------------------

DTYPES = [
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
    *(torch.complex64, torch.complex128),
]
if RELEASE >= (2, 9):
    DTYPES += [torch.uint16, torch.uint32, torch.uint64, torch.float8_e5m2, torch.float8_e4m3fn]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    x = torch.tensor([0, 1, 1, 0, 1], dtype=torch.float32).to(dtype)
    if not dtype.is_floating_point and not dtype.is_complex and dtype != torch.bool:
        signed = getattr(torch, f"int{8 * dtype.itemsize}")
        x = torch.tensor([1, -1, -2], dtype=signed).view(dtype)
    check(lazily, custom_call("copy_typed", lambda x: x), x)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3, 4)], ids=str)
def test_shapes(way, shape):
    check(way, custom_call("copy_typed", lambda x: x), floats(*shape))


def test_nothing_of_an_untyped_target(way):
    check(way, custom_call("square", lambda n, x: x), size(0), floats(0))


def test_arrays_are_row_major(way):
    square = custom_call("square", lambda n, x: x)

    def call(x, w):
        n = (w * 0).sum().to(torch.int32) + 6
        one = square(n, x.t()).t() @ w
        return one, square(n, (x @ w).t()), square(n, torch.cat([x, x])[1:3].t())

    x = torch.arange(6.0).reshape(2, 3)
    w = torch.tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, 10]])
    check(way, call, x, w)


def test_views(way):
    x = floats(4, 6)
    square = custom_call("square", lambda n, x: x)
    check(way, lambda x: square(size(6).to(x.device), x[1:3, ::2]), x)
    check(way, lambda x: square(size(4).to(x.device), x.t()[1]), x)
    check(way, lambda x: square(size(6).to(x.device), x[1].expand(2, 6)[1]), x)


def test_a_conjugate():
    x = torch.tensor([1 + 2j, 3 - 4j])
    check(lazily, lambda x: custom_call("copy_typed", lambda x: x)(x.conj()), x)


# ---- Attributes ---------------------------------------------------------------------------------


@needs_instantiate
def test_attributes(way):
    attributes = {
        "n": 7,
        "array": np.array([1, -2, 3], np.int32),
        "inner": {"x": 0.1},
        "text": 'ä\0"\\\n',
    }
    call = custom_call("attributes", "f32[4]", attributes=attributes)
    (found,) = check(way, lambda x: call(x) if x.is_cpu else call(x), torch.zeros(1))
    assert found.tolist() == [7, 2, np.float32(0.1), 6]


@pytest.mark.parametrize("factor", [0.1, -0.0, float("inf"), 1.5, 3e38])
def test_bits_of_floats(factor):
    call = custom_call("scale", lambda x: x, attributes={"factor": np.float32(factor)})
    check(lazily, call, torch.tensor([1.0, -1.0, 0.5]))


@pytest.mark.parametrize("value", [np.float16(1), np.array([True]), np.array([1j])])
def test_attributes_that_xla_does_not_decode(value):
    call = custom_call("copy_typed", lambda x: x, attributes={"a": value})
    with pytest.raises(
        callbridge.torch.CallbridgeError, match=r"^UNIMPLEMENTED: attributes\['a'\]"
    ):
        call(xla(torch.ones(2)))


# ---- Several calls ------------------------------------------------------------------------------


def opaques():
    return [
        custom_call("add_opaque", "f32[]", opaque=opaque) for opaque in (b"\1", b"\2", b"\1\1\1")
    ]


def test_calls_that_differ_in_their_opaque_alone(way):
    # PyTorch/XLA takes its own custom calls of one name and operand for the same.
    for i, call in enumerate(opaques()):
        (found,) = check(way, call, torch.tensor(0.0))
        assert found == i + 1


def test_calls_that_differ_in_their_attributes_alone(way):
    for factor in (2, 3, 2):
        call = custom_call("scale", lambda x: x, attributes={"factor": np.float32(factor)})
        assert check(way, call, torch.ones(1))[0] == factor


def test_calls_that_differ_in_their_result_alone():
    n, x = size(4), floats(8)
    for length in (4, 8, 4):
        call = custom_call("square", f"f32[{length}]")
        assert call(xla(n), xla(x)).shape == (length,)
        assert torch.equal(call(xla(n), xla(x)).cpu()[:4], x[:4] * x[:4])


def test_a_graph_of_calls_and_operations(way):
    square = custom_call("square", lambda n, x: x)
    nonnegative = custom_call("nonnegative", "f32[]")

    def program(n, x):
        y = square(n, x + 1)
        return square(n, y) - y, nonnegative(y[0])

    check(way, program, size(4), torch.tensor([1.0, 2.0, 3.0, 4.0]))


def test_forms_that_change():
    square = custom_call("square", lambda n, x: x)
    for n in (1, 5, 2, 5):
        check(lazily, square, size(n), floats(n))


@pytest.mark.parametrize("method", ["expand_dims", "sequential"])
def test_vmap(method):
    call = custom_call("square_typed", lambda n, x: x, vmap_method=method)
    x = floats(3, 4)
    found = torch.vmap(call, in_dims=(None, 0))(xla(size(4)), xla(x))
    assert torch.equal(found.cpu(), x * x)


# ---- Aliases, gradients -------------------------------------------------------------------------


def test_an_alias_shares_the_buffer():
    call = custom_call("buffers", ("f32[4]", "s32[]"), input_output_aliases={1: 0})
    x = floats(4)
    given = xla(x)
    same, in_place = call(xla(size(4)), given)
    assert same is given
    assert in_place.item() == 1
    assert torch.equal(given.cpu(), x)


def squares_in_a_view(n, x):
    call = custom_call("square_typed", lambda n, x: x, input_output_aliases={1: 0})
    copy = x.clone()
    return call(n, copy[1:3]) + 0, copy


def test_an_alias_of_a_view():
    check(lazily, squares_in_a_view, size(2), floats(4))


def test_an_alias_in_torch_compile():
    call = custom_call("square_typed", lambda n, x: x, input_output_aliases={1: 0})
    with pytest.raises(Exception, match="torch.compile cannot call an operator that writes to"):
        compiled(lambda n, x: call(n, x.clone()), xla(size(2)), xla(floats(2)))


def test_without_an_alias_there_is_another_buffer():
    call = custom_call("buffers", ("f32[4]", "s32[]"))
    assert call(xla(size(4)), xla(floats(4)))[1].item() == 0


def test_gradients():
    derivative = custom_call("square_derivative", lambda n, x, t: x)
    square = custom_call(
        "square",
        lambda n, x: x,
        backward=lambda ctx, gradient: (None, derivative(*ctx.saved_tensors, gradient)),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    x = floats(4)
    given = xla(x).detach().requires_grad_()
    square(xla(size(4)), given).sum().backward()
    assert torch.equal(given.grad.cpu(), 2 * x)


def test_a_module(way):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.call = custom_call("copy_typed", lambda x: x)
            self.weight = torch.nn.Parameter(floats(3))

        def forward(self, x):
            return self.call((x * self.weight).detach()) + 1

    model = Model()
    expected = model(torch.ones(3))
    model.to(torch_xla.device())
    assert torch.equal(way(model, xla(torch.ones(3))).cpu(), expected)


def test_the_target_runs_when_the_graph_does():
    append, take = custom_call("append", "s32[]"), custom_call("take_log", "s32[32]")
    take()
    result = append(xla(size(7)))
    assert callbridge.torch.custom_call("take_log", "s32[32]")()[0] == 0
    assert result.item() == 7
    assert take()[:2].tolist() == [1, 7]
