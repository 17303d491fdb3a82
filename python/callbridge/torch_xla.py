"""callbridge.torch's operators on tensors of PyTorch/XLA, on its CPU device.

    import callbridge.torch, callbridge.torch_xla
    call = callbridge.torch.custom_call("do_custom_call", lambda b, c: c)
    a = call(b.to("xla"), c.to("xla"))                           # in a lazily traced graph
    a = torch.compile(call, backend="openxla")(b.to("xla"), c.to("xla"))

Importing this module is all: the operators that exist, and those that are made later, then work on
XLA's tensors. Each call is a custom call in the traced HLO, under the target's own name.

An optional extra, since it relies on what is not PyTorch/XLA's interface: PyTorch/XLA has no function
that registers a custom call for the CPU. callbridge finds XLA's own in the symbol table of the
extension module _XLAC: `xla::CustomCallTargetRegistry::Global`, `Lookup` and `Register` for untyped
targets, `xla::ffi::GetXlaFfiApi` for typed handlers. PyPI's wheels have that table, and a release may
change the functions. It is tested with torch_xla 2.9.0. With 2.4.0, whose XLA has std::string of the
old ABI and no stage INSTANTIATE, only typed handlers without that stage work.

The first call of a target raises CallbridgeError where something is missing:

  FAILED_PRECONDITION  if a symbol is missing, which the message names: the module was stripped, or is
                       of another release; and in a process that was forked after PyTorch/XLA had
                       started, where it hangs.
  UNIMPLEMENTED        if this PyTorch/XLA cannot call such a target; for devices that are not the CPU;
                       for calls without a result; for `mutated_operands` that are not aliased to
                       results; for `input_output_aliases` in torch.compile; and for attributes
                       that XLA's FFI does not decode.
  ALREADY_EXISTS       if that XLA has another function of that name.

The rest is as in callbridge.torch. A target that fails or throws makes PyTorch/XLA raise a
RuntimeError with its message where results are waited for, such as in cpu(). Targets run on XLA's
threads, which flush subnormal numbers to zero. A lazily traced graph has only what its results need:
a call whose results are never used does not run, `has_side_effect` or not.

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

import callbridge._torch_xla_kernels  # noqa: F401  registers the kernels
from callbridge._error import CallbridgeError

__all__ = ["CallbridgeError"]
