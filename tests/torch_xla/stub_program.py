"""callbridge.torch_xla over the stubs of torch and torch_xla: which computations calls make, and
what they refuse. Its argument is callbridge's command, which shows modules."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import callbridge.torch
import numpy as np
import torch
from callbridge._core._error import CallbridgeError

custom_call = callbridge.torch.custom_call
command, *libraries = sys.argv[1:]
for library in libraries:
    callbridge.torch.load(library)
# Its operator is made before there are kernels for PyTorch/XLA.
early = custom_call("torch_add", lambda x, y: x)
assert early(torch.ones(1), torch.ones(1)).tolist() == [2]

import callbridge.torch_xla  # noqa: E402
import torch_xla  # noqa: E402
from callbridge._core import _c_api  # noqa: E402
from callbridge.torch import _xla_kernels  # noqa: E402

registered = []
refusals = {}


def register(kind):
    def record(module, name, platform, function):
        registered.append((kind, module, name, platform))
        if kind in refusals:
            raise refusals[kind]

    return record


_c_api.register_with_loaded_xla = register("version_3")
_c_api.ffi_register_with_loaded_xla = register("typed")


def on_xla(*values, dtype=torch.float32):
    return torch.tensor(np.array(values), dtype=dtype).to("xla:0")


def text_of(number=-1):
    """The module of a computation, as HLO text."""
    _, _, (name, module) = torch_xla.computed[number]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "module.pb"
        path.write_bytes(module)
        shown = subprocess.run([command, "show", path], capture_output=True, text=True, check=True)
    assert f"HloModule {name}.1" in shown.stdout
    return shown.stdout


@contextlib.contextmanager
def refused(*parts):
    try:
        yield
    except CallbridgeError as error:
        text = f"{error.code}: {error.message}"
        assert all(part in text for part in parts), text  # noqa: PT017
    else:
        raise AssertionError(parts)


# An untyped target, called by version 3, registered once.
torch_xla.results = [torch.tensor([5.0, 7.0])]
a, b = on_xla(1, 2), on_xla(3, 4)
example = custom_call("torch_add", lambda a, b: a)
assert early(a, b).tolist() == [5, 7]
for _ in range(2):
    found = example(a, b)
    assert found.tolist() == [5, 7] and found.device.type == "xla"
assert example.operator(a, b) is not early.operator(a, b)
for operator in (example.operator(a, b), early.operator(a, b)):
    assert {*operator._op.kernels} >= {"XLA", "AutogradXLA"}, operator._op.kernels
assert len(registered) == 1 and registered[0][1:] == (
    b"/the/extension/module.so", b"torch_add", b"Host"
), registered  # fmt: skip
name, tensors, _ = torch_xla.computed[-1]
assert name == f"callbridge::{example.operator(a, b)._op.schema.partition('(')[0]}"
assert [t.tolist() for t in tensors] == [[1, 2], [3, 4]]
text = text_of()
assert "p1.1 = f32[2]{0} parameter(1)" in text and 'custom_call_target="torch_add"' in text
assert torch_xla.computed[-1][2] is torch_xla.computed[-2][2]  # made once for each form
is_typed = registered[0][0] == "typed"
assert ("API_VERSION_TYPED_FFI" in text) == is_typed, text
for options, said in ((dict(has_side_effect=True), True), ({}, False)):
    custom_call("torch_add", lambda a, b: a, **options)(a, b)
    assert ("custom_call_has_side_effect=true" in text_of()) == said

# Tuples, an opaque and a descriptor; results in their own type.
torch_xla.results = [torch.tensor([1.0] * 4), torch.tensor([2.0] * 4)]
four = on_xla(1, 2, 3, 4)
nested = custom_call("nested", "(f32[4],f32[4])")
first, second = nested((four, (four, four)), four)
assert first.tolist() == [1] * 4 and second.tolist() == [2] * 4
text = text_of()
assert "(f32[4]{0},f32[4]{0}) custom-call(" in text.replace(", f32", ",f32"), text
assert registered[-1][0] == "version_3" and registered[-1][2] == b"nested"
descriptor = text.partition('backend_config="')[2]
flat = custom_call("nested_flat", "(f32[4],f32[4])", tuple_layout="flat")
flat((four, (four, four)), four)
assert text_of().partition('backend_config="')[2] != descriptor
torch_xla.results = [torch.tensor([3, 4], dtype=torch.int32)]
digest = custom_call("digest_opaque", "u8[2]", opaque=b"\0\xffbytes")
assert digest(on_xla(1)).dtype is torch.uint8
assert "bytes" in text_of() and "API_VERSION_STATUS_RETURNING_UNIFIED" in text_of()

# Typed handlers: attributes; aliases are copied to operands, and not returned.
torch_xla.results = [torch.tensor([8.0, 9.0])]
scale = custom_call(
    "torch_scale", lambda x: x, attributes={"factor": np.float32(3)}, input_output_aliases={0: 0}
)
x = on_xla(1, 2)
assert scale(x) is x and x.tolist() == [8, 9], x.tolist()
text = text_of()
assert registered[-1][0] == "typed" and "API_VERSION_TYPED_FFI" in text
assert (
    '{"factor" = 0x40400000 : f32}' in text and "output_to_operand_aliasing={{}: (0, {})}" in text
), text

# An XLA whose untyped registry takes none: by the typed entry point; other errors stand.
refusals["version_3"] = CallbridgeError("UNIMPLEMENTED", "of the old ABI")
torch_xla.results = [torch.tensor(2.5)]
custom_call("refuse_negative", "f32[]")(on_xla(2.5))
assert [kind for kind, _, name, _ in registered if name == b"refuse_negative"] == [
    "version_3", "typed"
]  # fmt: skip
assert "API_VERSION_TYPED_FFI" in text_of()
refusals["version_3"] = CallbridgeError("ALREADY_EXISTS", "another function")
for _ in range(2):  # the second tries again
    with refused("ALREADY_EXISTS", "'throw_int' on Host in PyTorch/XLA 2.9.0+stub: another func"):
        custom_call("throw_int", "f32[]")(on_xla(1))
assert [name for _, _, name, _ in registered].count(b"throw_int") == 2
refusals.clear()

# What is refused.
with refused("UNIMPLEMENTED", "'gpu_add_opaque' on CUDA", "registered for that platform"):
    custom_call("gpu_add_opaque", "f32[]", platform="CUDA", opaque=b"\1\1")(on_xla(1))
with refused("UNIMPLEMENTED", "its call has no result"):
    custom_call("torch_add", "()")(a, b)
with refused("UNIMPLEMENTED", "operands are not written to"):
    custom_call("torch_add", lambda a, b: a, mutated_operands=[1])(a, b)
with refused("UNIMPLEMENTED", "operands[1] is of torch.float64, which PyTorch/XLA does not have"):
    custom_call("torch_add", lambda a, b: a)(a, torch.Tensor(np.ones(1), None, "xla:0"))
with refused("UNIMPLEMENTED", "result is of torch.int16, but on the device of s32", "unset them"):
    custom_call("torch_add", "s16[2]")(a, b)
with refused("INVALID_ARGUMENT", "operands before it on xla:0"):
    example(a, torch.tensor([1.0, 2.0]))
torch_xla.device_type = "TPU"
with refused("UNIMPLEMENTED", "its tensors are on a TPU", "PJRT_DEVICE=CPU"):
    custom_call("torch_add", lambda a, b: a, has_side_effect=True)(on_xla(1), on_xla(2))
torch_xla.device_type = "CPU"
a.requires_grad = True
with refused("FAILED_PRECONDITION", "operands[0] requires grad"):
    example(a, b)
torch_xla.results = [torch.tensor([5.0, 7.0])]
with torch.no_grad():
    example(a, b)
a.requires_grad = False

# Processes that were forked: before and after XLA had started.
for torch_xla.started in (False, True):
    child = os.fork()
    if child == 0:
        status = 0 if _xla_kernels._has_lost_threads == torch_xla.started else 1
        if torch_xla.started:
            with refused("FAILED_PRECONDITION", "forked", "spawn"):
                example(a, b)
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
example(a, b)
assert _xla_kernels.extension_module() == "/the/extension/module.so"
print("done")
