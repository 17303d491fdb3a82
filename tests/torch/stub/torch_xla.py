"""As much of PyTorch/XLA as callbridge.torch_xla uses. A computation is its module's bytes, and
gives what `results` has; what was computed is in `computed`."""

import sys
import types

import torch

__path__ = []
__version__ = "2.9.0+stub"
computed = []
results = []
started = False


def _module(name, **members):
    made = types.ModuleType(f"torch_xla.{name}")
    made.__path__ = []
    vars(made).update(members)
    sys.modules[made.__name__] = made
    parent, _, last = made.__name__.rpartition(".")
    setattr(sys.modules[parent], last, made)


def _compute(name, tensors, computation):
    computed.append((name, tensors, computation))
    return [torch.Tensor(r.array, r.dtype, "xla:0") for r in results]


sys.modules.setdefault("torch_xla", sys.modules[__name__])
_module("core")
_module(
    "core.xla_builder",
    computation_from_module_proto=lambda name, module: (name, module),
    tensor_shape=lambda tensor: types.SimpleNamespace(dtype=HELD[tensor.dtype.name]),
)
_module("runtime", device_type=lambda: device_type)
device_type = "CPU"
_XLAC = types.SimpleNamespace(
    __file__="/the/extension/module.so",
    _xla_user_computation=_compute,
    _xla_runtime_is_initialized=lambda: started,
)
# By torch's names: what a device has no such tensors of, or holds as another type.
HELD = {"float32": "f32", "int32": "s32", "int64": "s64", "uint8": "u8", "int16": "s32"}


_to = torch.Tensor.to


def _to_device(tensor, where=None, **options):
    if str(where).startswith("xla") and tensor.dtype.name not in HELD:
        raise RuntimeError(f"no {tensor.dtype} there")
    return _to(tensor, where, **options)


torch.Tensor.to = _to_device
