"""Call sites of callbridge.torch, and which target each has for the tensors of a kind of device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Union

import torch

from callbridge._core._call_site import Attributes
from callbridge._core._error import HOST, CallbridgeError
from callbridge._core._mindspore import OperatorInfo
from callbridge._targets._registry import Entry, Registry
from callbridge.torch._modules import Program
from callbridge.typing import Abi, Platform

# What torch's device type "cuda" is.
GPU: Platform = "ROCM" if torch.version.hip else "CUDA"

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


def find(
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
