"""callbridge.torch's operators on tensors of PyTorch/XLA, on its CPU device.

    import callbridge.torch, callbridge.torch_xla
    call = callbridge.torch.custom_call("do_custom_call", lambda b, c: c)
    a = call(b.to("xla"), c.to("xla"))  # in a lazily traced graph
    a = torch.compile(call, backend="openxla")(b.to("xla"), c.to("xla"))

Importing this module is all: the operators that exist, and those that are made later, then take
XLA's tensors. Each call is a custom call in the traced HLO, under the target's own name.

An optional extra, since it relies on what is no interface of PyTorch/XLA, which has no function
that registers a custom call for the CPU. callbridge finds XLA's own functions in the symbol table
of the extension module _XLAC: `xla::CustomCallTargetRegistry::Global`, `Lookup` and `Register` for
untyped targets, `xla::ffi::GetXlaFfiApi` for typed handlers. PyPI's wheels have that table; any
release may change the functions. Tested with torch_xla 2.9.0, which calls targets of every ABI, and
with 2.4.0, whose XLA has the FFI of jaxlib 0.4.30 and cannot call typed handlers with the stage
INSTANTIATE, such as AOT operators of MindSpore.

A target is registered when it is called first. That raises CallbridgeError, and so does each
further call:

  FAILED_PRECONDITION  if a symbol is missing, which the message names: the module was stripped, or
                       is of another release. Also in a process that was forked after PyTorch/XLA
                       had started, where it hangs.
  UNIMPLEMENTED        if this PyTorch/XLA cannot call such a target; if tensors are on another
                       device than its CPU; for calls without a result; for `mutated_operands` that
                       are not aliased to results; for `input_output_aliases` in torch.compile; for
                       attributes that XLA's FFI does not decode; and for tensors that the device
                       holds in another type (XLA_USE_32BIT_LONG).
  ALREADY_EXISTS       if that XLA has another function of that name.

The rest is as in callbridge.torch. If a target fails or throws, PyTorch/XLA raises a RuntimeError
with its message where a result is waited for, as in cpu(), and once more in the next step (2.9.0;
without callbridge too). Targets run on XLA's threads, which flush subnormal numbers to zero. A
lazily traced graph has only what its results need: a call whose results are not used does not run,
whatever `has_side_effect` says.

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

# First, so that an error names what is missing.
import torch  # noqa: F401
import torch_xla  # noqa: F401

import callbridge.torch._xla_kernels  # noqa: F401  registers the kernels
from callbridge._core._error import CallbridgeError

__all__ = ["CallbridgeError"]
