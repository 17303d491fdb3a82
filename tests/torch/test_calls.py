"""Calls of targets of each ABI on tensors, compared with NumPy bit for bit."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

from callbridge.torch import CallbridgeError, custom_call  # noqa: E402

RANDOM = np.random.default_rng(16)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def same_bits(found, expected):
    expected = np.asarray(expected)
    assert type(found) is torch.Tensor
    assert tuple(found.shape) == expected.shape
    array = found.numpy()
    assert array.dtype == expected.dtype
    assert array.tobytes() == expected.tobytes()


# ---- Each ABI -----------------------------------------------------------------------------------


def test_original():
    b, c = floats(128), floats(2048)
    found = custom_call("example", "f32[2048]")(torch.from_numpy(b), torch.from_numpy(c))
    same_bits(found, np.tile(b, 16) + c)


def test_tuples_of_operands_and_results():
    a, b, c, d = (floats(4) for _ in range(4))
    operands = ((torch.tensor(a), (torch.tensor(b), torch.tensor(c))), torch.tensor(d))
    for name, options in (("nested", {}), ("nested_flat", {"tuple_layout": "flat"})):
        call = custom_call(name, "(f32[4],f32[4])", **options)
        for _ in range(2):
            found = call(*operands)
            assert type(found) is tuple
            same_bits(found[0], a - b)
            same_bits(found[1], c - d)


def test_nested_and_empty_tuples():
    x = torch.tensor(2.5)
    found = custom_call("nested_result", "((f32[]),(),(f32[],(f32[])))")(x)
    assert found == ((x,), (), (x, (x,)))
    assert custom_call("single_result", "(f32[])")(x) == (x,)
    assert custom_call("empty_and_single", "f32[]")((), (x,)) == x
    assert custom_call("without_result", "()")() == ()


def test_status_and_opaque():
    x = torch.tensor(2.0)
    assert custom_call("refuse_negative", "f32[]")(x) == 2
    opaque = bytes(range(256))
    call = custom_call("digest_opaque", "u64[2]", opaque=opaque)
    assert int(call().numpy()[0]) == 256
    with pytest.raises(CallbridgeError, match="CustomCall failed: negative operand") as raised:
        custom_call("refuse_negative", "f32[]")(-x)
    assert raised.value.code == "INTERNAL"
    # A second try after a failure.
    assert custom_call("refuse_negative", "f32[]")(x) == 2


def test_what_a_target_throws():
    call = custom_call("throw_exception", "f32[]", opaque=b"no licence")
    for _ in range(2):
        with pytest.raises(CallbridgeError, match="no licence"):
            call()
    with pytest.raises(CallbridgeError, match="INTERNAL"):
        custom_call("throw_int", "f32[]")()


def test_typed_handlers_and_attributes():
    a, b = floats(3, 5), floats(3, 5)
    same_bits(custom_call("torch_add", lambda a, b: a)(torch.tensor(a), torch.tensor(b)), a + b)
    attributes = {"n": 3, "array": np.arange(3, dtype=np.int32), "inner": {"x": 0.5}, "text": "abc"}
    found = custom_call("attributes", "f32[4]", attributes=attributes)()
    assert found.tolist() == [3, 3, 0.5, 3]
    with pytest.raises(IndexError, match="too far"):
        custom_call("refuse", "()", attributes={"why": "too far"})()


def test_state_is_kept_for_each_form():
    call = custom_call("count", "s32[]", attributes={"start": np.int32(10)})
    assert [int(call()) for _ in range(3)] == [10, 11, 12]


def test_mindspores_operators(loaded):
    a, b = floats(2, 3), floats(2, 3)
    add = custom_call(f"{loaded}:Add", lambda a, b: a)
    same_bits(add(torch.tensor(a), torch.tensor(b)), a + b)
    attributes = {"axis": 0, "keep_dim": False}
    reduce = custom_call(f"{loaded}:AddReduce", "f32[3]", attributes=attributes)
    same_bits(reduce(torch.tensor(a), torch.tensor(b)), (a + b).sum(axis=0))


def test_declared_abi():
    assert custom_call("untold_double", "f32[]", abi="original")(torch.tensor(1.5)) == 3
    with pytest.raises(
        CallbridgeError,
        match=r"declare it: custom_call\(\), register\(\) and Library.run\(\) take abi=, one of",
    ):
        custom_call("untold_opaque_size", "u64[]")


def test_gpu_targets_get_host_memory():
    call = custom_call("gpu_add_opaque", "f32[]", platform="CUDA", opaque=b"\1\1")
    assert call(torch.tensor(1.0)) == 3


# ---- Results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "result",
    [
        "f32[2,3]",
        torch.empty(2, 3, device="meta"),
        torch.zeros(2, 3),
        np.zeros((2, 3), np.float32),
        lambda a, b: a,
        lambda a, b: a.new_empty(b.shape),
        lambda a, b: torch.empty(a.shape, dtype=torch.float32, device="meta"),
        lambda a, b: f"f32[{a.shape[0]},{a.shape[1]}]",
        lambda a, b: np.zeros((2, 3), np.float32),
    ],
)
def test_ways_to_say_the_result(result):
    a, b = floats(2, 3), floats(2, 3)
    call = custom_call("torch_add", result)
    for _ in range(2):
        same_bits(call(torch.tensor(a), torch.tensor(b)), a + b)


def rows_of(x):
    return (x[..., 0], (x[..., 0], x[..., 0].to(torch.int64)))


def test_a_function_of_the_shapes_for_several_results():
    call = custom_call("torch_rows", rows_of)
    for shape in ((2, 3), (4, 1), (2, 2, 2), (0, 3), (7,)):
        x = floats(*shape)
        sums, (largest, places) = call(torch.tensor(x))
        assert sums.shape == shape[:-1]
        np.testing.assert_array_equal(largest.numpy(), x.max(axis=-1))
        np.testing.assert_array_equal(places.numpy(), x.argmax(axis=-1))
        expected = np.zeros(shape[:-1], np.float32)
        for i in range(shape[-1]):
            expected = expected + x[..., i]
        same_bits(sums, expected)


def test_a_result_must_not_change_its_nesting():
    call = custom_call("torch_copy", lambda x: (x, "s32[]") if x.shape[0] < 3 else x)
    call(torch.ones(2))
    with pytest.raises(CallbridgeError, match="nesting of a result must not change"):
        call(torch.ones(3))
    call(torch.ones(2))


def test_what_a_function_of_the_shapes_raises_is_the_users():
    class Mine(Exception):
        pass

    def result(x):
        raise Mine("mine")

    call = custom_call("torch_scale", result, attributes={"factor": np.float32(1)})
    for _ in range(2):
        with pytest.raises(Mine, match="mine"):
            call(torch.ones(2))


@pytest.mark.parametrize("operand", [torch.ones(2), torch.ones(2, device="meta")])
def test_a_function_of_the_shapes_gets_no_memory(operand):
    seen = []

    def result(x):
        seen.append(x.device.type)
        return x

    custom_call("torch_scale", result, attributes={"factor": np.float32(1)})(operand)
    assert set(seen) == {"meta"}


# ---- Element types ------------------------------------------------------------------------------

TYPES = {
    "pred": torch.bool,
    "s8": torch.int8,
    "s16": torch.int16,
    "s32": torch.int32,
    "s64": torch.int64,
    "u8": torch.uint8,
    "u16": torch.uint16,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "c64": torch.complex64,
    "c128": torch.complex128,
    "f8e5m2": torch.float8_e5m2,
    "f8e4m3fn": torch.float8_e4m3fn,
    "f8e5m2fnuz": torch.float8_e5m2fnuz,
    "f8e4m3fnuz": torch.float8_e4m3fnuz,
}


@pytest.mark.parametrize("name", TYPES)
def test_each_element_type(name):
    dtype = TYPES[name]
    size = torch.empty((), dtype=dtype).element_size()
    raw = RANDOM.integers(0, 2 if name == "pred" else 256, 6 * size, dtype=np.uint8)
    x = torch.from_numpy(raw).view(dtype).reshape(2, 3)
    for result in (f"({name}[2,3],s32[])", lambda x: (x, "s32[]")):
        found, rank = custom_call("torch_copy", result)(x)
        assert (found.dtype, found.shape, int(rank)) == (dtype, (2, 3), 2)
        assert found.contiguous().view(torch.uint8).numpy().tobytes() == raw.tobytes()


@pytest.mark.parametrize("name", ["s4", "u4", "u1", "s2", "f8e4m3b11fnuz", "f4e2m1fn"])
def test_types_that_torch_has_not(name):
    with pytest.raises(CallbridgeError, match=f"of type {name}, which torch .* has no tensors"):
        custom_call("torch_copy", f"({name}[2],s32[])")


# ---- Forms of tensors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.t(),
        lambda x: x[::2],
        lambda x: x[:, 1:],
        lambda x: x[:, :1].expand(-1, 5),
        lambda x: x.flip(0),
        lambda x: x[1:, 2],
        lambda x: x.unfold(0, 2, 1),
        lambda x: x.view(1, 4, 1, 6).to(memory_format=torch.channels_last),
        lambda x: x[3, 5],
        lambda x: x[2:2],
        lambda x: x[:0].t(),
        lambda x: x.as_strided((2, 2), (1, 3), 1),
        lambda x: torch.nn.Parameter(x, requires_grad=False),
        lambda x: x.as_subclass(type("Mine", (torch.Tensor,), {})),
    ],
)
def test_views(view):
    x = view(torch.from_numpy(floats(4, 6)))
    found, rank = custom_call("torch_copy", lambda x: (x.new_empty(x.shape), "s32[]"))(x)
    assert found.is_contiguous()
    # As other operators, on a subclass it returns that.
    assert type(found) is (type(x) if type(x).__name__ == "Mine" else torch.Tensor)
    expected = x.detach().as_subclass(torch.Tensor).numpy()
    same_bits(found.as_subclass(torch.Tensor), np.asarray(expected, order="C"))
    assert int(rank) == x.ndim


def test_conjugate_and_negative_views():
    x = torch.tensor([1 + 2j, -3 + 0.5j], dtype=torch.complex64)
    for view in (x.conj(), torch._neg_view(x), torch._neg_view(x).conj(), x.conj()[1:]):
        found, _ = custom_call("torch_copy", lambda x: (x.new_empty(x.shape), "s32[]"))(view)
        assert torch.equal(found, view.resolve_conj().resolve_neg())
        assert not found.is_conj() and not found.is_neg()
    imaginary = x.conj().imag  # a negative view of floats
    assert imaginary.is_neg()
    scaled = custom_call("torch_scale", lambda x: x, attributes={"factor": np.float32(2)})
    assert torch.equal(scaled(imaginary), imaginary * 2)


def test_zero_tensors_of_forward_differentiation():
    zero = torch._efficientzerotensor(3)
    scaled = custom_call("torch_scale", lambda x: x, attributes={"factor": np.float32(2)})
    assert scaled(zero).tolist() == [0, 0, 0]


def test_no_copy_is_made():
    address = custom_call("torch_address", "s64[2]")
    x = torch.zeros(1000)
    assert int(address(x)[0]) == x.data_ptr()
    assert int(address(x.view(10, 100))[0]) == x.data_ptr()
    assert int(address(x[16:])[0]) == x.data_ptr() + 64
    # As XLA:CPU, targets get memory that is aligned to 64 bytes.
    for other in (x[1:], x.view(10, 100).t()):
        found = int(address(other)[0])
        assert found % 64 == 0 and found != other.data_ptr()
    shared = torch.from_dlpack(x)
    assert int(address(shared)[0]) == x.data_ptr()


def test_results_are_aligned():
    found = custom_call("misalignment", "u64[2]")(torch.zeros(3)[1:])
    assert found.tolist() == [0, 0]


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0, 2)])
def test_zero_sizes(shape):
    found = custom_call("torch_add", lambda a, b: a)(torch.ones(shape), torch.ones(shape))
    assert found.shape == shape
    found, rank = custom_call("torch_copy", lambda x: (x, "s32[]"))(torch.ones(shape))
    assert found.shape == shape and rank == len(shape)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 40])
def test_any_number_of_operands(count):
    call = custom_call("torch_sum_all", "f32[2]")
    tensors = [torch.full((i % 3 + 1,), float(i)) for i in range(count)]
    for _ in range(2):
        expected = [count, float(sum(t.sum() for t in tensors))]
        assert call(*tensors).tolist() == expected
        assert call(tuple(tensors)).tolist() == expected


def test_many_dimensions_and_many_forms():
    call = custom_call("torch_copy", lambda x: (x, "s32[]"))
    for rank in (0, 1, 8, 40):
        assert call(torch.ones([1] * rank))[1] == rank
    for size in [*range(300), 0, 299]:  # more than are kept bound
        found, _ = call(torch.full((size,), float(size)))
        assert found.shape == (size,) and bool((found == size).all())


def test_shapes_that_differ_share_nothing():
    add = custom_call("torch_add", lambda a, b: a)
    a, b = floats(6), floats(6)
    for shape in ((6,), (2, 3), (3, 2), (6, 1), (1, 6), (2, 3)):
        found = add(torch.tensor(a).view(shape), torch.tensor(b).view(shape))
        same_bits(found, (a + b).reshape(shape))


# ---- Operators ----------------------------------------------------------------------------------


def gradients_of(context, *gradients):
    return gradients


def saves(context, inputs, output):
    pass


INFO = {
    "op_name": "example",
    "inputs": [{"index": 0, "name": "x0"}, {"index": 1, "name": "x1"}],
    "outputs": [{"index": 0, "name": "y0"}],
    "attr": [],
    "dtype_format": [[["float32", ""]] * 3],
    "target": "CPU",
}
# By the field of a Site: two options that differ in it alone.
DIFFERENCES = {
    "result": ({"result": "f32[2048]"}, {"result": "f32[2048,1]"}),
    "opaque": ({"opaque": b"a"}, {"opaque": b"a\0"}),
    "attribute_values": (
        {"attributes": {"a": np.int32(1)}},
        {"attributes": {"a": np.uint32(1)}},
    ),
    "operator_info": ({}, {"operator_info": INFO}),
    "tuple_layout": ({}, {"tuple_layout": "flat"}),
    "aliases": ({"mutated_operands": [1]}, {"input_output_aliases": {1: 0}}),
    "mutated": ({"mutated_operands": [0]}, {"mutated_operands": [1]}),
    "backward": ({}, {"backward": gradients_of}),
    "setup_context": (
        {"backward": gradients_of},
        {"backward": gradients_of, "setup_context": saves},
    ),
    "vmap": ({"vmap_method": "sequential"}, {"vmap_method": "broadcast_all"}),
    "has_side_effect": ({}, {"has_side_effect": True}),
}
# The target, what the others make, and HLO modules alone.
OTHER_FIELDS = {"name", "entry", "entries", "attributes", "key", "program"}


@pytest.mark.parametrize("field", DIFFERENCES)
def test_calls_that_differ_in_anything_are_two_operators(field):
    from callbridge.torch._operators import Site

    assert {*Site._fields} == {*DIFFERENCES, *OTHER_FIELDS}
    target = "torch_scale" if field == "attribute_values" else "example"
    operands = (torch.zeros(128), torch.zeros(2048))

    def operator(options):
        return custom_call(target, **{"result": "f32[2048]", **options}).operator(*operands)

    one, other = DIFFERENCES[field]
    assert operator(one) is not operator(other)
    assert operator(one) is operator(dict(one)) and operator(other) is operator(dict(other))
