"""A call as programs have it: the operation stablehlo.custom_call, and the backend config by which
its target gets what XLA does not pass.

The operation is emitted inside a lowering rule of JAX, on every runtime, by jaxlib's generic
builder: JAX's own function for it comes, goes, and changes its arguments, and the opaque must stay
bytes.
"""

from __future__ import annotations

import ctypes
import dataclasses
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from callbridge._core import _c_api, _call_site, _target
from callbridge._core._call_site import Attributes
from callbridge._core._error import HOST, CallbridgeError
from callbridge._targets._registry import Entry
from callbridge.jax import _frozen_attributes

# The dictionary that makes a call a typed one, in a form that every release takes.
TYPED_BACKEND_CONFIG = "mhlo.backend_config"
_DYNAMIC_SHAPE_LAYOUT = (0,)


def custom_call_op(
    target_name: str,
    operands: Sequence[ir.Value],
    result_types: Sequence[ir.Type],
    *,
    api_version: int,
    backend_config: bytes | Mapping[str, ir.Attribute],
    has_side_effect: bool = False,
    operand_layouts: Sequence[Sequence[int]] | None = None,
    result_layouts: Sequence[Sequence[int]] | None = None,
    aliases: Mapping[int, int] | None = None,
    tuple_result: bool = False,
    result_shapes: Sequence[ir.Value] | None = None,
    extra_attributes: Mapping[str, ir.Attribute] | None = None,
) -> list[ir.Value]:
    """Emits the call where JAX is lowering to; its results, one for each of `result_types`.

    Args:
      target_name: as it is registered.
      operands: arrays.
      result_types: of the arrays that it gives.
      api_version: 1 to 3 for untyped targets, 4 for typed handlers.
      backend_config: the opaque of untyped targets, any bytes; the attributes of typed handlers.
      has_side_effect: XLA keeps the call where its results are not used.
      operand_layouts: for each operand its dimensions from minor to major; None: XLA chooses,
        which is row-major. Both layouts must be given, or neither.
      result_layouts: likewise.
      aliases: from operands to the results that share their memory.
      tuple_result: the target is handed a table of its results even where there is one. More or
        fewer than one always come in a table.
      result_shapes: a tensor of each result's dimensions, where some are known only at run time.
      extra_attributes: further attributes of the operation.
    """
    operands = list(operands)
    result_types = list(result_types)
    is_tuple = tuple_result or len(result_types) != 1
    attributes = {
        "call_target_name": ir.StringAttr.get(target_name),
        "has_side_effect": ir.BoolAttr.get(has_side_effect),
        "called_computations": ir.ArrayAttr.get([]),
        **config_attributes(api_version, backend_config),
        **(extra_attributes or {}),
    }
    if aliases:
        attributes["output_operand_aliases"] = ir.ArrayAttr.get(
            [_alias(operand, result, is_tuple) for operand, result in aliases.items()]
        )
    if result_shapes is not None:
        first = len(operands)
        operands += result_shapes
        attributes["indices_of_shape_operands"] = ir.DenseIntElementsAttr.get(
            np.arange(first, len(operands), dtype=np.int64)
        )
        if operand_layouts is not None:
            operand_layouts = [*operand_layouts, *[_DYNAMIC_SHAPE_LAYOUT] * len(result_shapes)]
    if operand_layouts is not None:
        attributes["operand_layouts"] = layouts_attribute(operand_layouts)
        assert result_layouts is not None
        attributes["result_layouts"] = layouts_attribute(result_layouts)
    if not tuple_result:
        return list(_build(stablehlo.CustomCallOp, result_types, operands, attributes))
    table = _build(
        stablehlo.CustomCallOp, [ir.TupleType.get_tuple(result_types)], operands, attributes
    )
    return [
        _build(stablehlo.GetTupleElementOp, [type_], list(table), {"index": i32_attribute(i)})[0]
        for i, type_ in enumerate(result_types)
    ]


def _build(op, results, operands, attributes):
    return op.build_generic(results=results, operands=operands, attributes=attributes).results


def config_attributes(
    api_version: int, backend_config: bytes | Mapping[str, ir.Attribute]
) -> dict[str, ir.Attribute]:
    """How the operation says by which version it calls, 1 to 4, and what it hands the target."""
    if isinstance(backend_config, bytes):
        return {
            "api_version": i32_attribute(api_version),
            "backend_config": ir.StringAttr.get(backend_config),
        }
    # As a call of version 1: not all releases take a dictionary as the operation's own
    # backend_config, and some lose the other one in a call of version 4.
    return {
        "api_version": i32_attribute(1),
        "backend_config": ir.StringAttr.get(b""),
        TYPED_BACKEND_CONFIG: ir.DictAttr.get(dict(backend_config)),
    }


def i32_attribute(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


def _alias(operand: int, result: int, is_tuple: bool) -> ir.Attribute:
    return stablehlo.OutputOperandAlias.get(
        output_tuple_indices=[result] if is_tuple else [],
        operand_index=operand,
        operand_tuple_indices=[],
    )


def layouts_attribute(layouts: Sequence[Sequence[int]]) -> ir.Attribute:
    """Returns a value for the operation's attributes operand_layouts and result_layouts."""
    return ir.ArrayAttr.get(
        [
            ir.DenseIntElementsAttr.get(np.asarray(layout, np.int64), type=ir.IndexType.get())
            for layout in layouts
        ]
    )


# ---- The backend config --------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class WorkspacesOf:
    """An AOT operator, whose FInit says how much scratch memory a call needs."""

    name: str
    platform: str
    target: _c_api.Target = dataclasses.field(compare=False)


@dataclasses.dataclass(frozen=True)
class VersionThreeConfig:
    """What _ffi_call makes the opaque of, by which version 3 calls a typed handler.

    Of vmap's batches it is another than of one call, since it holds the shapes.
    """

    attributes: tuple  # of names and frozen values
    scratch: int | WorkspacesOf = 0  # bytes, or the operator that says how many

    def batched(self, size: int) -> VersionThreeConfig:
        """Returns that of one call of so many."""
        if isinstance(self.scratch, WorkspacesOf):
            return self
        return dataclasses.replace(self, scratch=self.scratch * size)

    def opaque_for(self, operands: Sequence, results: Sequence) -> tuple[bytes, int]:
        """Returns the opaque, and how many bytes the call's hidden result has; 0: there is none.

        Raises UNIMPLEMENTED if a dimension is known only at run time; as
        callbridge_infer_scratch_bytes().
        """
        for array in (*operands, *results):
            if not all(isinstance(size, int) for size in array.shape):
                raise CallbridgeError(
                    "UNIMPLEMENTED",
                    f"version 3 cannot call a typed handler on an array of shape {array.shape}, "
                    "since its dimensions must be known when the program is compiled",
                )
        result = results[0] if len(results) == 1 else tuple(results)
        attributes = Attributes(_frozen_attributes.thaw(dict(self.attributes)))
        site = _call_site.typed_site(tuple(operands), result, attributes)
        if isinstance(self.scratch, WorkspacesOf):
            bytes_ = ctypes.c_int64()
            _c_api.infer_scratch_bytes(self.scratch.target, site, ctypes.byref(bytes_))
            site.scratch_bytes = bytes_.value
        else:
            site.scratch_bytes = self.scratch
        return _call_site.encoded(site), site.scratch_bytes


def for_typed_handler(path: str, attributes: dict, scratch: int | WorkspacesOf) -> tuple[Any, dict]:
    """Returns both for a call of a typed handler. By the path "typed" XLA has scratch memory, or
    none can be had."""
    if path == "typed":
        return None, attributes
    return VersionThreeConfig(tuple(sorted(attributes.items())), scratch), {}


def for_untyped_function(
    entry: Entry, path: str, operands: tuple, result: Any, tuple_layout: str, opaque: bytes
) -> tuple[bytes | None, dict]:
    """Returns both for a call of an untyped target, with a site descriptor if it needs one."""
    descriptor = None
    abi = entry.platform, entry.abi
    if _call_site.needs_descriptor(
        operands,
        result,
        tuple_layout,
        opaque,
        path,
        takes_tuples=_target.takes_tuples(*abi),
        reads_opaque=_target.reads_opaque(*abi),
        counts_buffers=_target.counts_buffers(*abi),
    ):
        descriptor = _call_site.descriptor(operands, result, tuple_layout, opaque)
    if path == "version_3":
        return (opaque if descriptor is None else descriptor), {}
    if descriptor is None:
        return None, {}
    return None, _frozen_attributes.freeze({_call_site.DESCRIPTOR_ATTRIBUTE: descriptor})


# ---- Scratch memory of typed handlers that XLA has none for: how much a call gives them ----------


def checked_scratch(scratch_bytes: Any, entry: Entry) -> int | WorkspacesOf:
    """Returns the bytes, or the operator that says how many; on the CPU its workspaces are on the
    heap.

    Raises TypeError for anything but an integer or None; INVALID_ARGUMENT if it is negative or no
    array has so many bytes, and for an untyped target.
    """
    if scratch_bytes is None:
        if entry.platform == HOST or not (c_target := entry.c_target).content:
            return 0
        return WorkspacesOf(entry.target.name, entry.platform, c_target)
    if isinstance(scratch_bytes, bool):
        raise TypeError("scratch_bytes: expected an int, got bool")
    try:
        size = operator.index(scratch_bytes)
    except TypeError:
        raise TypeError(
            f"scratch_bytes: expected an int, got {type(scratch_bytes).__name__}"
        ) from None
    if not 0 <= size < 2**63:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"scratch_bytes: expected 0 to 2**63 - 1 bytes, got {size}"
        )
    if size and entry.abi != "typed_ffi":
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"scratch_bytes: target {entry.target.name!r} is untyped ({entry.abi}), and asks for "
            "no scratch memory; pass it an operand or a result more",
        )
    return size
