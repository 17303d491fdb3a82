"""Call sites of callbridge.torch, and the operators that it defines for them in
torch.ops.callbridge.

An operator is a target at one call site, for operands nested in one way: their tensors, in
preorder, are its arguments. Its kernels are registered by implement(), one for each dispatch key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Union

import torch

from callbridge._core import _shapes
from callbridge._core._call_site import Attributes
from callbridge._core._error import HOST, CallbridgeError
from callbridge._core._fork_lock import fork_lock
from callbridge._core._mindspore import OperatorInfo
from callbridge._targets._registry import Entry, Registry
from callbridge.torch import _forms
from callbridge.torch._devices import GPU
from callbridge.torch._modules import Program
from callbridge.typing import Abi, Platform

# ---- Call sites ---------------------------------------------------------------------------------

# By a device's type. An error: the target that is registered for it cannot be called so.
Entries = Mapping[str, Union[Entry, CallbridgeError]]


class Site(NamedTuple):
    """What custom_call() was given."""

    name: str  # of the target
    entry: Entry  # for errors, and for tensors of no device, or of one that is not in `entries`
    entries: Entries
    result: Any  # a tree of TensorForm, or a function of the operands that returns a result
    opaque: bytes
    attributes: Attributes
    attribute_values: Mapping[str, Any]  # the user's, copied
    operator_info: OperatorInfo
    tuple_layout: str
    aliases: dict[int, int]  # operand to result; both count the tensors in preorder
    mutated: frozenset[int]  # operands that the target writes to, those of `aliases` included
    backward: Callable[..., Any] | None
    setup_context: Callable[..., Any] | None
    vmap: Any  # a method's name, a function, or None
    has_side_effect: bool
    # What differs between sites, as text: equal in another process that makes the same call.
    key: str
    program: Program | None = None  # the HLO module, if it is no target that is called


def find_entries(
    registry: Registry,
    name: str,
    platform: Platform | None,
    abi: Abi | None,
    check: Callable[[Entry], None],
) -> tuple[Entry, Entries]:
    """Returns the entry that a call has before its tensors are known, and the entries by device.

    Without a platform tensors on the CPU have the target for the CPU, and those on a GPU the one
    for the GPU. With a GPU's platform tensors on the CPU have that target too. Raises as
    Registry.find(), and what `check` raises for the first entry.
    """
    entry = registry.find(name, platform, abi)
    check(entry)
    entries: dict[str, Entry | CallbridgeError] = {}
    if platform is not None or entry.platform == HOST:
        entries["cpu"] = entry
    if entry.platform == GPU:
        entries["cuda"] = entry
    elif platform is None and any(other.platform == GPU for other in registry.entries(name)):
        try:
            on_gpu = registry.find(name, GPU, abi)
            check(on_gpu)
            entries["cuda"] = on_gpu
        except CallbridgeError as error:
            entries["cuda"] = error
    return entry, entries


def entry_for(entries: Entries, device: str) -> Entry | None:
    """Returns the entry for tensors of a device type. Raises the error that is there instead."""
    found = entries.get(device)
    if isinstance(found, CallbridgeError):
        raise CallbridgeError(found.code, found.message)
    return found


def refusal(site: Site, device: torch.device) -> str:
    """Says why a call has no target for tensors on `device`, and what to do."""
    name = f"target {site.entry.target.name!r}"
    if "cpu" in site.entries:
        can_be = device.type == "cuda" and site.program is None
        registered = f", or register it for {GPU}" if can_be else ""
        return f"{name} runs on the CPU; pass its cpu(){registered}"
    if "cuda" not in site.entries:
        return (
            f"{name} is registered for {site.entry.platform} alone, and this PyTorch is for {GPU}"
        )
    on_host = (
        f"; with platform={GPU!r}, custom_call() calls it with host memory and a null stream"
        if device.type == "cpu"
        else ""
    )
    return f'{name} is registered for {GPU} alone; pass its to("cuda"){on_host}'


# ---- Operators ----------------------------------------------------------------------------------

# Lives as long as the process: programs that were compiled or exported name its operators.
LIBRARY = torch.library.Library("callbridge", "FRAGMENT")
_NAMESPACE = torch.ops.callbridge


class Operator:
    """An operator in torch.ops.callbridge. It never changes, and is never removed.

    Attributes:
      site: of the call.
      operand_tree: nested plain tuples, with None for each tensor.
      operand_count: of its tensors.
      result_skeleton: likewise for the result.
      returned: the results, counted as the tensors in preorder, that the operator returns; the
        others are aliased to operands.
      name: torch.ops.callbridge.<name>, the same in each process that makes the same call.
      schema: as torch writes it.
      overload: the operator as torch calls it.
    """

    def __init__(self, site: Site, operand_tree: tuple, result_skeleton: Any, name: str):
        self.site = site
        self.operand_tree = operand_tree
        self.operand_count = _shapes.leaf_count(operand_tree)
        self.result_skeleton = result_skeleton
        result_count = _shapes.leaf_count(result_skeleton)
        aliased = set(site.aliases.values())
        self.returned = tuple(i for i in range(result_count) if i not in aliased)
        self.name = name
        self.schema = self._schema()

    @property
    def overload(self) -> torch._ops.OpOverload:
        return getattr(_NAMESPACE, self.name).default

    def __repr__(self) -> str:
        return f"<operator callbridge::{self.schema}>"

    def _schema(self) -> str:
        def annotated(i: int) -> str:
            # 26 letters do; a second tensor of one letter would be another alias set.
            return f"Tensor(a{i}!) x{i}" if i in self.site.mutated else f"Tensor x{i}"

        operands = ", ".join(map(annotated, range(self.operand_count)))
        count = len(self.returned)
        result = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        return f"{self.name}({operands}) -> {result}"

    def result_tree(self, tensors: tuple[torch.Tensor, ...], entry: Entry | None = None) -> Any:
        """Returns the tree of TensorForm for these tensors, whose sizes may be symbols.

        `entry` is what is called, if it is not the site's.

        Raises what the user's function raises; TypeError and INVALID_ARGUMENT if what it returns is
        no result, or has another nesting than when the operator was made; INVALID_ARGUMENT if the
        operator information does not allow the call.
        """
        operands = _shapes.rebuild(self.operand_tree, iter(tensors))
        tree = self.site.result
        if callable(tree):
            tree = self._evaluated(operands)
        self._check(operands, tree, entry or self.site.entry)
        return tree

    def _evaluated(self, operands: tuple) -> Any:
        tree = evaluate(self.site.result, operands)
        if _forms.skeleton(tree) != self.result_skeleton:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"result: the function returned {_forms.skeleton(tree)} (None for each "
                f"tensor), but {self.result_skeleton} in the first call with such operands; the "
                "nesting of a result must not change",
            )
        return tree

    def _check(self, operands: tuple, result: Any, entry: Entry) -> None:
        """Raises INVALID_ARGUMENT if the target's author does not allow the call."""
        site = self.site
        if site.operator_info.handle is None:
            return

        def named(leaf: Any, what: str) -> _forms.NamedForm:
            name = _forms.element_type(leaf.dtype, what).dtype_name
            return _forms.NamedForm(tuple(leaf.shape), name)

        site.operator_info.check(
            entry.c_target,
            _shapes.map_leaves(named, operands, "operands"),
            _shapes.map_leaves(named, result, "result"),
            site.attribute_values,
            None,
            None,
        )

    def result_forms(
        self, tensors: tuple[torch.Tensor, ...], entry: Entry | None = None
    ) -> list[_forms.TensorForm]:
        """Returns the leaves of result_tree()."""
        return _shapes.leaves(self.result_tree(tensors, entry), "result")


def evaluate(result: Callable[..., Any], operands: tuple) -> Any:
    """Returns the tree of TensorForm that a function of the operands returns."""
    found = result(*operands)
    if callable(found) and not isinstance(found, torch.Tensor):
        raise TypeError("result: the function returned a function; call it there")
    return _forms.parse_result(found)


# ---- All operators ------------------------------------------------------------------------------

MakeKernel = Callable[[Operator], Callable[..., Any] | None]

_lock = fork_lock()
_operators: dict[str, Operator] = {}  # by name
_kernels: dict[str, MakeKernel] = {}  # by dispatch key
_finishers: list[Callable[[Operator], None]] = []


def operators() -> tuple[Operator, ...]:
    """Returns those that exist."""
    return tuple(_operators.values())


def named(name: str) -> Operator:
    return _operators[name]


def implement(dispatch_key: str, make_kernel: MakeKernel) -> None:
    """Registers a kernel for a dispatch key, for all operators: those that exist, and later ones.

    Call it once for a key. A kernel gets the operator's tensors as positional arguments, and
    returns what its schema says: None, a tensor, or a tuple of tensors. If `make_kernel` returns
    None, torch does for that operator what it does without a kernel.
    """
    with _lock:
        _kernels[dispatch_key] = make_kernel
        for operator in _operators.values():
            _register(operator, dispatch_key)


def _register(operator: Operator, dispatch_key: str) -> None:
    kernel = _kernels[dispatch_key](operator)
    if kernel is not None:
        LIBRARY.impl(operator.name, kernel, dispatch_key)


def finish_with(function: Callable[[Operator], None]) -> None:
    """Calls `function` for each operator that is made from now on, as the last step."""
    _finishers.append(function)


def make(site: Site, operand_tree: tuple, result_skeleton: Any) -> Operator:
    """Returns the operator of a site for operands of one nesting; makes it if there is none."""
    with _lock:
        name = first = _name(site, operand_tree, result_skeleton)
        number = 1
        # Of another function of the same name, or of an earlier import of this package.
        while name in _operators or hasattr(torch.ops.callbridge, name):
            if name in _operators and _is_same(_operators[name].site, site):
                return _operators[name]
            number += 1
            name = f"{first}_{number}"
        operator = Operator(site, operand_tree, result_skeleton, name)
        LIBRARY.define(operator.schema, tags=(torch.Tag.pt2_compliant_tag,))
        for dispatch_key in _kernels:
            _register(operator, dispatch_key)
        for finish in _finishers:
            finish(operator)
        _operators[name] = operator
        return operator


def _name(site: Site, operand_tree: tuple, result_skeleton: Any) -> str:
    what = f"{site.key} {operand_tree} {result_skeleton}"
    digest = hashlib.sha256(what.encode(errors="surrogateescape")).hexdigest()[:12]
    target = site.name.rsplit("/", 1)[-1]
    letters = re.sub("[^0-9A-Za-z]+", "_", target).strip("_")
    return f"{'' if letters[:1].isalpha() else 'target_'}{letters}_{digest}"


def _is_same(site: Site, other: Site) -> bool:
    """True if the functions are the same too, which a key names only, and the targets by device."""
    return _handlers(site) == _handlers(other) and _functions(site) == _functions(other)


def identity(site: Site) -> str:
    """Another text for each site of this process that is not the same."""
    functions = [id(function) for function in _functions(site)]
    return repr((site.key, _handlers(site), functions, site.program and id(site.program)))


def _functions(site: Site) -> list[Any]:
    """Those of its user; None for what is no function."""
    given = (site.result, site.backward, site.setup_context, site.vmap)
    return [value if callable(value) else None for value in given]


def _handlers(site: Site) -> dict[str, Any]:
    """What is called, by device; an AOT operator's name may be another function's by now."""
    return {
        device: entry.handlers if isinstance(entry, Entry) else None
        for device, entry in site.entries.items()
    }
