"""The kernels of callbridge.torch's operators for tensors of PyTorch/XLA.

A call becomes a computation, which is made once for each form of the tensors, in the lazily traced
graph.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch_xla
import torch_xla.core.xla_builder
import torch_xla.runtime

from callbridge._calls import _hlo_module
from callbridge._core import _c_api, _call_site, _native_functions, _shapes, _target
from callbridge._core._error import HOST, CallbridgeError, utf_8
from callbridge._core._fork_lock import fork_lock
from callbridge._targets._registry import Entry
from callbridge.torch import _forms, _operators, _tensors
from callbridge.torch._forms import TensorForm
from callbridge.torch._operators import Operator

_lock = fork_lock()
# The path by which each can be called, by id(entry): a registry never removes an entry.
_paths: dict[int, str] = {}


def serve(entry: Entry) -> str:
    """Registers the target, unless it is, and returns how it is called: "version_3" or "typed".

    After an error the next call tries again.

    Raises:
      CallbridgeError: FAILED_PRECONDITION if the module's symbol table lacks what is needed;
        UNIMPLEMENTED if this PyTorch/XLA cannot call such a target; ALREADY_EXISTS if its XLA has
        another function of that name.
    """
    path = _paths.get(id(entry))
    if path is None:
        with _lock:
            path = _paths.get(id(entry)) or _register(entry)
            _paths[id(entry)] = path
    return path


def _register(entry: Entry) -> str:
    name = utf_8(entry.target.name, "target of PyTorch/XLA")
    if entry.platform != HOST:
        raise error_of(
            entry, "UNIMPLEMENTED", "it is registered for that platform, and tensors are on a CPU"
        )
    c_target = entry.c_target
    module = utf_8(extension_module(), "path of PyTorch/XLA")
    try:
        if entry.abi == "typed_ffi":
            adapted, _ = _native_functions.adapt(entry.target.name, HOST, entry.handlers, None)
            handlers = _c_api.FfiHandlers(**adapted)
            _c_api.ffi_register_with_loaded_xla(module, name, HOST.encode(), handlers)
            return "typed"
        _native_functions.refuse_as_untyped(entry.target, entry.platform, entry.abi)
        entry_points = _c_api.EntryPoints()
        _c_api.target_entry_points(c_target, entry_points)
        try:
            _c_api.register_with_loaded_xla(module, name, HOST.encode(), entry_points.untyped)
            return "version_3"
        except CallbridgeError as error:
            if error.code != "UNIMPLEMENTED":
                raise
        # An XLA with std::string of the old ABI.
        handlers = _c_api.FfiHandlers(execute=entry_points.typed)
        _c_api.ffi_register_with_loaded_xla(module, name, HOST.encode(), handlers)
        return "typed"
    except CallbridgeError as error:
        raise error_of(entry, error.code, error.message) from None


def extension_module() -> str:
    """Returns the path of the library that holds XLA."""
    path: str = torch_xla._XLAC.__file__
    return path


def error_of(entry: Entry, code: str, message: str) -> CallbridgeError:
    return CallbridgeError(
        code,
        f"target {entry.target.name!r} on {entry.platform} in PyTorch/XLA {torch_xla.__version__}: "
        f"{message}; use torch_xla 2.9.0, with which callbridge is tested, or call the target on "
        "CPU tensors",
    )


# Of computations, for all operators. PyTorch/XLA keeps as many compiled programs.
_MOST_COMPUTATIONS = 2048


def _kernel(operator: Operator) -> Callable[..., Any]:
    site = operator.site

    def kernel(*tensors: torch.Tensor) -> Any:
        _check_process()
        _tensors.check(operator, tensors)
        operands = tuple([TensorForm(tuple(t.shape), t.dtype) for t in tensors])
        computation, forms = _computation(operator, operands)
        _tensors.check_gradients(operator, tensors, forms)
        with torch.no_grad():
            results = torch_xla._XLAC._xla_user_computation(
                f"callbridge::{operator.name}", list(tensors), computation
            )
            # PyTorch/XLA takes unsigned integers of a computation for signed ones.
            results = [tensor.to(form.dtype) for tensor, form in zip(results, forms)]
            for operand, result in site.aliases.items():
                tensors[operand].copy_(results[result])
        return _returned([results[i] for i in operator.returned])

    return kernel


def _returned(tensors: list[torch.Tensor]) -> Any:
    if len(tensors) == 1:
        return tensors[0]
    return tuple(tensors) if tensors else None


# ---- Before torch's functionalization -----------------------------------------------------------


def _come_first(operator: Operator) -> None:
    """Gives an operator without a rule for gradients a kernel that comes before functionalization,
    by which PyTorch/XLA's tensors have views: it hides which ones require grad, and refuses
    operators that write to operands."""
    if operator.site.backward is not None:
        return
    kernel = _kernel(operator)

    def first(*tensors: torch.Tensor) -> Any:
        if all(type(tensor) in (torch.Tensor, torch.nn.Parameter) for tensor in tensors):
            return kernel(*tensors)
        # torch.compile traces with tensors of other types. What an operator writes to a view of a
        # tensor is lost in what it compiles for PyTorch/XLA (measured on 2.9.0).
        if operator.site.mutated:
            raise error_of(
                operator.site.entry,
                "UNIMPLEMENTED",
                "torch.compile cannot call an operator that writes to tensors of PyTorch/XLA; "
                "leave out input_output_aliases, or call it outside of torch.compile",
            )
        _tensors.check_gradients(operator, tensors, operator.result_forms(tensors))
        with torch._C._AutoDispatchBelowAutograd():
            return operator.overload(*tensors)

    _operators.LIBRARY.impl(operator.name, first, "AutogradXLA")


@functools.lru_cache(maxsize=_MOST_COMPUTATIONS)
def _computation(
    operator: Operator, operands: tuple[TensorForm, ...]
) -> tuple[Any, list[TensorForm]]:
    """Returns the computation of a call, whose target is registered then, and its result."""
    site = operator.site
    entry = site.entry
    _check_device(operator)
    if site.program is not None:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            "callbridge.torch.hlo_module() runs a module without XLA, on CPU tensors alone; pass "
            "x.cpu()",
        )
    # A function of the operands gets tensors that record nothing in the graph.
    metas = tuple([torch.empty(f.shape, dtype=f.dtype, device="meta") for f in operands])
    tree = operator.result_tree(metas)
    results: list[TensorForm] = _shapes.leaves(tree, "result")
    if not results:
        raise error_of(
            entry,
            "UNIMPLEMENTED",
            "its call has no result, and a lazily traced graph has only what results need",
        )
    if site.mutated - site.aliases.keys():
        raise error_of(
            entry,
            "UNIMPLEMENTED",
            "XLA's operands are not written to; declare a result and input_output_aliases",
        )
    _check_types(operator, operands, _shapes.leaf_names(operator.operand_tree))
    _check_types(operator, results, _shapes.leaf_names(operator.result_skeleton, "result"))
    path = serve(entry)
    module = _hlo_module.custom_call(
        operator.name,
        entry.target.name,
        [_array(form, "operands") for form in operands],
        [_array(form, "result") for form in results],
        path=path,
        backend_config=_backend_config(operator, operands, tree, path),
        has_side_effect=site.has_side_effect,
        aliases=site.aliases,
    )
    made = torch_xla.core.xla_builder.computation_from_module_proto(operator.name, module)
    return made, results


def _array(form: TensorForm, what: str) -> _hlo_module.Array:
    return _hlo_module.Array(_forms.element_type(form.dtype, what).number, form.shape)


def _backend_config(
    operator: Operator, operands: tuple[TensorForm, ...], tree: Any, path: str
) -> bytes:
    site = operator.site
    if site.entry.abi == "typed_ffi":
        return _hlo_module.attribute_dictionary(site.attribute_values).encode()
    nested = _shapes.rebuild(operator.operand_tree, iter(operands))
    abi = site.entry.platform, site.entry.abi
    descriptor = None
    if _call_site.needs_descriptor(
        nested,
        tree,
        site.tuple_layout,
        site.opaque,
        path,
        takes_tuples=_target.takes_tuples(*abi),
        reads_opaque=_target.reads_opaque(*abi),
        counts_buffers=_target.counts_buffers(*abi),
    ):
        descriptor = _call_site.descriptor(nested, tree, site.tuple_layout, site.opaque, _type_text)
    if path == "version_3":
        return site.opaque if descriptor is None else descriptor
    attributes = {} if descriptor is None else {_call_site.DESCRIPTOR_ATTRIBUTE: descriptor}
    return _hlo_module.attribute_dictionary(attributes).encode()


def _type_text(form: TensorForm, what: str) -> str:
    return _forms.text(TensorForm((), form.dtype), what)


# ---- Checks -------------------------------------------------------------------------------------


def _check_device(operator: Operator) -> None:
    device = torch_xla.runtime.device_type()
    if device != "CPU":
        raise error_of(
            operator.site.entry,
            "UNIMPLEMENTED",
            f"its tensors are on a {device}, and callbridge registers for the CPU; set "
            "PJRT_DEVICE=CPU",
        )


def _check_types(operator: Operator, forms: Any, names: Iterable[str]) -> None:
    """Raises UNIMPLEMENTED if PyTorch/XLA holds such tensors in another type, or has none."""
    for form, what in zip(forms, names):
        expected = _forms.element_type(form.dtype, what).name
        found = _device_type(form.dtype)
        if found == expected:
            continue
        why = (
            "which PyTorch/XLA does not have"
            if found is None
            else f"but on the device of {found}, as environment variables such as "
            "XLA_USE_32BIT_LONG have it; unset them"
        )
        raise error_of(operator.site.entry, "UNIMPLEMENTED", f"{what} is of {form.dtype}, {why}")


@functools.cache
def _device_type(dtype: torch.dtype) -> str | None:
    """Returns the XLA type in which tensors of `dtype` are held, such as "f32"."""
    try:
        tensor = torch.empty(0, dtype=dtype).to("xla")
    except RuntimeError:
        return None
    name: str = torch_xla.core.xla_builder.tensor_shape(tensor).dtype
    return name


# ---- Processes ----------------------------------------------------------------------------------

_has_lost_threads = False


def _check_process() -> None:
    """Raises FAILED_PRECONDITION if XLA would wait for threads that are not in this process."""
    if _has_lost_threads:
        raise CallbridgeError(
            "FAILED_PRECONDITION",
            "this process was forked from one in which PyTorch/XLA had started, and it hangs in "
            "such a process; fork before it is used, or start processes by multiprocessing's "
            "'spawn' method",
        )


def _forked() -> None:
    global _has_lost_threads
    _has_lost_threads = _has_lost_threads or torch_xla._XLAC._xla_runtime_is_initialized()


os.register_at_fork(after_in_child=_forked)
_operators.implement("XLA", _kernel)
for _operator in _operators.operators():
    _come_first(_operator)
_operators.finish_with(_come_first)
_tensors.devices.add("xla")
