"""What calls refuse, with torch's meaning; each twice, and a good call after it."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
from callbridge.torch import CallbridgeError, custom_call  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

X = torch.ones(2, 2)


def add():
    return custom_call("torch_add", lambda a, b: a)


OPERANDS = {
    "a NumPy array": (lambda: X.numpy(), TypeError, r"\[1\] is a NumPy array; pass torch.from_num"),
    "a NumPy scalar": (lambda: np.float32(1), TypeError, "is a NumPy array"),
    "a list": (lambda: [1.0], TypeError, "is a list; pass a plain tuple"),
    "None": (lambda: None, TypeError, "is None; pass"),
    "a number": (lambda: 1.0, TypeError, "is a Python number; pass a tensor"),
    "a dict": (lambda: {}, TypeError, "is a dict; pass a plain tuple"),
    "an object": (lambda: object(), TypeError, "expected a tensor or a plain tuple of tensors"),
    "a text": (lambda: "x", TypeError, "expected a tensor or a plain tuple of tensors, got str"),
    "a size": (lambda: X.shape, TypeError, "is a named tuple"),
    "sparse": (lambda: X.to_sparse(), NotImplementedError, "layout torch.sparse_coo.*to_dense"),
    "sparse rows": (lambda: X.to_sparse_csr(), NotImplementedError, "layout torch.sparse_csr"),
    "mkldnn": (lambda: X.to_mkldnn(), NotImplementedError, "layout torch._mkldnn.*to_dense"),
    "quantized": (
        lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.quint8),
        NotImplementedError,
        "is quantized.*dequantize",
    ),
    "nested": (
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(1)]),
        NotImplementedError,
        "is a nested tensor",
    ),
    "another device": (
        lambda: torch.ones(2, 2, device="meta"),
        ValueError,
        r"\[1\] is on the device meta, operands before it on cpu",
    ),
    "complex halves": (
        lambda: torch.ones(2, 2, dtype=torch.complex32),
        ValueError,
        "is of dtype torch.complex32, which is not an element type",
    ),
    "another type": (
        lambda: X.double(),
        ValueError,
        "Wrong buffer dtype: expected F32 but got F64",
    ),
    "another size": (lambda: torch.ones(3), ValueError, "unequal sizes"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERANDS)
def test_operands(name):
    make, error, message = OPERANDS[name]
    call = add()
    for _ in range(2):
        with pytest.raises(error, match=message):
            call(X, make())
    assert call(X, X).tolist() == [[2, 2], [2, 2]]
    # Also of an operator that has been made.
    for _ in range(2):
        with pytest.raises(error, match=message):
            call(X, make())
    assert call(X, X).tolist() == [[2, 2], [2, 2]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [name for name, (_, error, _) in OPERANDS.items() if error is not TypeError]
)
def test_operators(name):
    """Operators themselves refuse tensors alike."""
    make, error, message = OPERANDS[name]
    operator = add().operator(X, X)
    for _ in range(2):
        with pytest.raises(error, match=message):
            operator(X, make())
    assert operator(X, X).tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize("device", ["cuda", "cuda:1", "xla", "mps"])
def test_devices_that_this_machine_has_not(device):
    with FakeTensorMode():
        x = torch.empty(2, 2, device=device)
        with pytest.raises(NotImplementedError, match="is on the device .*pass its cpu()"):
            add()(x, x)


def test_a_target_of_gpus_on_the_cpu():
    """Its function of another platform is called if that is asked for: test_calls.py."""
    call = custom_call("gpu_add_opaque", "f32[]", opaque=b"\1\1")
    message = r"\[0\] is on the device cpu, and .* is registered for CUDA alone; pass its to\(.cuda"
    for _ in range(2):
        with pytest.raises(NotImplementedError, match=message):
            call(torch.tensor(1.0))
        with pytest.raises(NotImplementedError, match="has no operands, and .* for CUDA alone"):
            call()
    assert call(torch.ones(2, device="meta")).shape == ()


def test_the_wrong_number_of_operands():
    call = custom_call("torch_add", "f32[2,2]")
    for operands in ((), (X,), (X, X, X), ((X, X), X)):
        with pytest.raises(ValueError, match="INVALID_ARGUMENT"):
            call(*operands)
    assert call(X, X).tolist() == [[2, 2], [2, 2]]


def test_a_named_tuple():
    import collections

    pair = collections.namedtuple("Pair", "a b")(X, X)
    with pytest.raises(TypeError, match="is a named tuple; pass a plain tuple"):
        add()(pair)


def test_jagged_tensors():
    jagged = torch.nested.nested_tensor([torch.ones(2), torch.ones(1)], layout=torch.jagged)
    with pytest.raises(NotImplementedError):
        add()(jagged, jagged)
    assert add()(X, X).tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize(
    "result, error, message",
    [
        ("f32[", ValueError, "INVALID_ARGUMENT"),
        ("f32[2]{0}", ValueError, "has a layout; leave it out"),
        ("token[]", ValueError, "has a token"),
        ("", ValueError, "INVALID_ARGUMENT"),
        (None, TypeError, "result is required|result: expected a shape's text"),
        (3, TypeError, "got int"),
        ([X], TypeError, "got list"),
        ((X, None), TypeError, r"result\[1\]: expected a shape's text"),
        (torch.float32, TypeError, "result is required|result: expected a shape's text"),
        (torch.Tensor, TypeError, "got _TensorMeta|got type|returned a function"),
        (torch.ones(2, dtype=torch.complex32, device="meta"), ValueError, "torch.complex32"),
        (np.zeros(2, "U3"), ValueError, "is of dtype str96"),
        (type("Form", (), {"shape": (2, -1), "dtype": torch.float32})(), ValueError, "negative"),
        (type("Form", (), {"shape": 3, "dtype": torch.float32})(), TypeError, "tuple of sizes"),
        (type("Form", (), {"shape": ("a",), "dtype": torch.float32})(), TypeError, "of sizes"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_results(result, error, message):
    with pytest.raises(error, match=message):
        custom_call("torch_add", result)
    call = custom_call("torch_add", lambda a, b: result)
    for _ in range(2):
        with pytest.raises(error, match=message):
            call(X, X)


def test_a_function_that_returns_a_function():
    with pytest.raises(TypeError, match="the function returned a function"):
        custom_call("torch_add", lambda a, b: lambda: a)(X, X)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"opaque": "text"}, TypeError, "opaque is a str"),
        ({"opaque": 3}, TypeError, "opaque: expected bytes"),
        ({"opaque": b"x"}, ValueError, "is a typed handler, which gets no opaque"),
        ({"attributes": [1]}, TypeError, "attributes: expected a dict"),
        ({"attributes": {"x": object()}}, TypeError, "attributes"),
        ({"tuple_layout": "round"}, ValueError, "tuple_layout: expected one of"),
        ({"abi": "original"}, ValueError, "abi"),
        ({"abi": "none"}, ValueError, "abi: expected one of"),
        ({"platform": "tpu"}, ValueError, "platform: expected"),
        ({"platform": "CUDA"}, LookupError, "no target 'torch_add' is registered for CUDA"),
        ({"prefer": "typed"}, TypeError, "prefer= is for callbridge.jax"),
        ({"input_layouts": None}, TypeError, "tensors are row-major here"),
        ({"color": 1}, TypeError, "unexpected keyword argument 'color'"),
    ],
)
def test_options(options, error, message):
    with pytest.raises(error, match=message):
        custom_call("torch_add", "f32[2]", **options)


def test_targets():
    with pytest.raises(LookupError, match="no target 'nothing' is registered"):
        custom_call("nothing", "f32[]")
    with pytest.raises(TypeError, match="target: expected a str"):
        custom_call(3, "f32[]")
    with pytest.raises(ValueError, match="expected a text without NULs"):
        custom_call("nothing\0", "()")


def test_memory_that_there_is_not():
    call = custom_call("torch_add", f"f32[{2**50}]")
    with pytest.raises(RuntimeError, match="memory|allocate"):
        call(X, X)
    assert add()(X, X).tolist() == [[2, 2], [2, 2]]


def test_loading(tmp_path, built):
    with pytest.raises(CallbridgeError, match="NOT_FOUND"):
        callbridge.torch.load(tmp_path / "none.so")
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT"):
        callbridge.torch.load(tmp_path / "text.so")
    library = callbridge.torch.load(built / "torch/torch_targets.so")
    assert library is callbridge.torch.load(built / "torch/torch_targets.so")
    import ctypes

    other = ctypes.CFUNCTYPE(None)(lambda: None)
    with pytest.raises(CallbridgeError, match="ALREADY_EXISTS"):
        callbridge.torch.register("torch_halve_four", other, abi="original")
