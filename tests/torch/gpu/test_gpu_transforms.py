"""Gradients, torch.vmap, shapes alone, torch.compile and torch.export, on CUDA tensors.

Only what needs no kernel of torch's.
"""

import io

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402, F401
from callbridge.torch import custom_call  # noqa: E402
from recorded_calls import SIZE, count  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

A = np.arange(1, SIZE + 1, dtype=np.float32)


def on_device(array=A, device="cuda", requires_grad=False):
    return torch.from_numpy(array).to(device).requires_grad_(requires_grad)


def squared(**options):
    return custom_call("typed_square", lambda x: x, **options)


def same_bits(tensor, array):
    assert tensor.device.type == "cuda"
    assert tensor.detach().cpu().numpy().tobytes() == array.tobytes()


# ---- Gradients ----------------------------------------------------------------------------------


def add():
    return custom_call("torch_add", lambda a, b: a)


def twice(context, gradient):
    return add()(gradient, gradient)


@pytest.mark.parametrize("device", [0, 1])
def test_backward(device, two_devices):
    call = squared(backward=twice)
    x = on_device(A, two_devices[device], requires_grad=True)
    y = call(x)
    assert y.grad_fn is not None
    same_bits(y, A * A)
    y.backward(on_device(A, two_devices[device]))
    assert x.grad.device == two_devices[device]
    same_bits(x.grad, A + A)


def test_no_rule():
    x = on_device(requires_grad=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"operands\[0\] requires grad, and the call of"):
            squared()(x)
        with torch.no_grad():
            same_bits(squared()(x), A * A)
    same_bits(squared()(x.detach()), A * A)


# ---- torch.vmap ---------------------------------------------------------------------------------


@pytest.mark.parametrize("vmap_method", ["expand_dims", "broadcast_all"])
def test_vmap_calls_once_for_all(vmap_method):
    a = np.arange(24, dtype=np.float32).reshape(3, SIZE)
    call = custom_call("torch_add", lambda a, b: a, vmap_method=vmap_method)
    same_bits(torch.vmap(call)(on_device(a), on_device(a)), a + a)


@pytest.mark.parametrize("vmap_method", ["sequential", "expand_dims"])
def test_vmap_over_nothing(vmap_method):
    call = squared(vmap_method=vmap_method)
    found = torch.vmap(call)(torch.empty(0, 3, device="cuda"))
    assert (found.shape, found.device.type) == ((0, 3), "cuda")


def test_no_method():
    with pytest.raises(NotImplementedError, match="no rule for torch.vmap"):
        torch.vmap(squared())(on_device())


# ---- Shapes alone -------------------------------------------------------------------------------


def test_fake_tensors(two_devices):
    for device in two_devices:
        with FakeTensorMode():
            x = torch.empty(2, 3, device=device)
            y = squared()(x)
        assert (y.shape, y.device) == ((2, 3), device)
    for device in ("cpu", "xla"):
        with FakeTensorMode():
            x = torch.empty(2, 3, device=device)
            with pytest.raises(NotImplementedError, match="registered for CUDA alone; pass its to"):
                squared()(x)


def test_meta_tensors():
    assert squared()(torch.empty(2, 3, device="meta")).shape == (2, 3)


# ---- Programs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(backend, dynamic):
    call = squared()
    program = torch.compile(
        lambda x: (call(call(x)), call(x)), backend=backend, fullgraph=True, dynamic=dynamic
    )
    for size in (SIZE, 5, 3):
        a = A[:size].copy()
        fourth, second = program(on_device(a))
        same_bits(fourth, (a * a) ** 2)
        same_bits(second, a * a)


def test_compile_with_gradients():
    call = squared(backward=twice)
    program = torch.compile(lambda x: call(x), backend="aot_eager", fullgraph=True)
    x = on_device(requires_grad=True)
    program(x).backward(on_device())
    same_bits(x.grad, A + A)


def test_compile_what_writes_to_operands():
    call = custom_call("gpu_double_in_place", lambda x: x, opaque=b"8", input_output_aliases={0: 0})
    program = torch.compile(lambda x: call(x), backend="aot_eager", fullgraph=True)
    x = on_device()
    program(x)
    same_bits(x, A + A)


def test_compile_on_both_devices():
    program = torch.compile(add(), backend="aot_eager", fullgraph=True)
    for _ in range(2):
        same_bits(program(on_device(), on_device()), A + A)
        assert program(torch.from_numpy(A), torch.from_numpy(A)).tolist() == (A + A).tolist()


def test_compile_on_a_stream(recorder):
    call = custom_call("recorder", lambda a, b: a)
    program = torch.compile(call, backend="aot_eager", fullgraph=True)
    x = on_device()
    program(x, x)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        program(x, x)
    assert recorder.last()[0] == stream.cuda_stream


def test_export():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.square = custom_call("untyped_gpu_square", lambda x: x, opaque=count())

        def forward(self, x):
            return self.square(self.square(x))

    exported = torch.export.export(Model(), (on_device(),))
    saved = io.BytesIO()
    torch.export.save(exported, saved)
    saved.seek(0)
    for program in (exported, torch.export.load(saved)):
        same_bits(program.module()(on_device()), (A * A) ** 2)


def test_opcheck():
    x = on_device(requires_grad=True)
    for call, operand in ((squared(backward=twice), x), (squared(), x.detach())):
        torch.library.opcheck(
            call.operator(operand),
            (operand,),
            # "test_schema" compares tensors by a kernel of torch's.
            test_utils=("test_faketensor", "test_autograd_registration"),
        )
