"""StableHLO modules whose untyped custom calls become calls of callbridge's entry points.

On MLIR in memory, by jaxlib's bindings. What a call becomes is what hlo/upgrade.cc makes of the
same call in HLO, and what callbridge.jax.custom_call emits.
"""

from __future__ import annotations

import dataclasses
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from callbridge._core import _call_site
from callbridge._core._error import CallbridgeError
from callbridge.jax._custom_call_op import (
    TYPED_BACKEND_CONFIG,
    config_attributes,
    i32_attribute,
    layouts_attribute,
)

# XLA's own targets; "*" at the end of a name matches any ending. hlo/ owns the list.
_LIST = pkgutil.get_data("callbridge", "xla_internal_calls.inc")  # in a zip file too
assert _LIST is not None
_PATTERNS = re.findall(r'^"(.+)",$', _LIST.decode(), re.MULTILINE)
_OWN_TARGETS = frozenset(pattern for pattern in _PATTERNS if not pattern.endswith("*"))
_OWN_PREFIXES = tuple(pattern[:-1] for pattern in _PATTERNS if pattern.endswith("*"))

_CALL = "stablehlo.custom_call"
_SHARDING = "mhlo.sharding"
_SHAPE_OPERANDS = "indices_of_shape_operands"
_ALIASES = "output_operand_aliases"

TYPED_VERSION, VERSION_3 = 4, 3


@dataclasses.dataclass(frozen=True)
class UntypedCall:
    """What decides how a call is upgraded."""

    target: str
    api_version: int  # 0 to 3
    opaque: bytes


@dataclasses.dataclass(frozen=True)
class CalledTarget:
    target: str
    api_version: int  # 0 to 4
    is_xlas_own: bool


def upgrade(
    module: ir.Module, version_of: Callable[[UntypedCall], int | None], tuple_layout: str
) -> bool:
    """Upgrades, in place, each untyped call but XLA's own. Returns whether there was one.

    `version_of` gives the version of the call that takes its place, 3 or 4; None: it stays.
    """
    changed = False
    # A list, since operations other than calls may be gone when the next call is upgraded.
    found = [
        (operation, call)
        for operation in _walk(module.operation)
        if (call := _untyped_call(operation)) is not None
    ]
    for operation, call in found:
        version = version_of(call)
        if version is not None:
            changed = True
            with module.context, operation.location:
                _Upgrade(operation, call, version, tuple_layout).run()
    return changed


def _walk(operation: ir.Operation) -> Iterator[ir.Operation]:
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from _walk(inner.operation)


def called_target(operation: ir.Operation) -> CalledTarget | None:
    """Returns what a custom call calls; None for other operations."""
    if operation.name != _CALL:
        return None
    attributes = operation.attributes
    version = attributes["api_version"].value if "api_version" in attributes else 1
    if TYPED_BACKEND_CONFIG in attributes:
        version = TYPED_VERSION
    target = attributes["call_target_name"].value
    return CalledTarget(target, version, is_xlas_own_call(target))


def _untyped_call(operation: ir.Operation) -> UntypedCall | None:
    called = called_target(operation)
    if called is None or called.api_version >= TYPED_VERSION or called.is_xlas_own:
        return None
    opaque = b""
    if "backend_config" in operation.attributes:
        opaque = ir.StringAttr(operation.attributes["backend_config"]).value_bytes
    return UntypedCall(called.target, called.api_version, opaque)


def is_xlas_own_call(target: str) -> bool:
    return target in _OWN_TARGETS or target.startswith(_OWN_PREFIXES)


class _Upgrade:
    """Of one call, with its operands and results taken apart into leaves."""

    def __init__(self, operation: ir.Operation, call: UntypedCall, version: int, tuple_layout: str):
        self._operation = operation
        self._call = call
        self._version = version
        self._tuple_layout = tuple_layout
        self._operand_types = [operand.type for operand in operation.operands]
        results = [result.type for result in operation.results]
        # No result, or more than one, becomes a tuple.
        self._has_one_result = len(results) == 1
        self._result_type = results[0] if self._has_one_result else tuple(results)

    def run(self) -> None:
        with ir.InsertionPoint(self._operation):
            tuples = [o for o in self._operation.operands if _is_tuple(o.type)]
            operands = [leaf for o in self._operation.operands for leaf in _take_apart(o)]
            results = [leaf for leaf, _ in _leaves(self._result_type)]
            upgraded = ir.Operation.create(
                _CALL,
                results=results,
                operands=operands,
                attributes=self._attributes([o.type for o in operands], results),
            )
        leaves = iter(upgraded.results)
        for result in self._operation.results:
            _replace(result, [next(leaves) for _ in _leaves(result.type)], self._operation)
        self._operation.erase()
        for value in tuples:
            _erase_unused_tuple(value)

    def _attributes(self, operands: list, results: list) -> dict[str, ir.Attribute]:
        given = self._operation.attributes
        # By index, since what iteration yields differs between releases.
        attributes = {given[i].name: given[i].attr for i in range(len(given))}
        attributes.update(self._config())
        for name, types in (("operand_layouts", operands), ("result_layouts", results)):
            if name not in attributes:
                attributes[name] = layouts_attribute(list(map(_row_major, types)))
        if _SHAPE_OPERANDS in attributes:
            first = [sum(_leaf_counts(self._operand_types[:i])) for i in self._shape_operands()]
            attributes[_SHAPE_OPERANDS] = ir.DenseIntElementsAttr.get(np.array(first, np.int64))
        if _ALIASES in attributes:
            attributes[_ALIASES] = ir.ArrayAttr.get(
                [self._flat_alias(alias, len(results)) for alias in attributes[_ALIASES]]
            )
        if _SHARDING in attributes and _is_tuple(self._result_type) and len(results) == 1:
            text = attributes[_SHARDING].value
            if text.startswith("{{"):  # of a tuple
                attributes[_SHARDING] = ir.StringAttr.get(text[1:-1])
        return attributes

    def _shape_operands(self) -> list[int]:
        return [int(i) for i in self._operation.attributes[_SHAPE_OPERANDS]]

    def _config(self) -> dict[str, ir.Attribute]:
        descriptor = self._descriptor()
        if self._version == VERSION_3:
            opaque = self._call.opaque if descriptor is None else descriptor
            return config_attributes(VERSION_3, opaque)
        attributes = {}
        if descriptor is not None:
            attributes[_call_site.DESCRIPTOR_ATTRIBUTE] = ir.DenseElementsAttr.get(
                np.frombuffer(descriptor, np.uint8),
                type=ir.IntegerType.get_unsigned(8),
                shape=[len(descriptor)],
            )
        return config_attributes(TYPED_VERSION, attributes)

    def _descriptor(self) -> bytes | None:
        """Returns what the target needs beyond the leaves, if anything."""
        opaque = self._call.opaque
        if opaque.startswith(_call_site.DESCRIPTOR_MAGIC) and self._call.api_version == VERSION_3:
            return opaque  # callbridge made this call; the opaque is the descriptor already
        shape_operands = (
            self._shape_operands() if _SHAPE_OPERANDS in self._operation.attributes else []
        )
        operands = [t for i, t in enumerate(self._operand_types) if i not in shape_operands]
        trees, result = tuple(map(_tree, operands)), _tree(self._result_type)
        path = "version_3" if self._version == VERSION_3 else "typed"
        # It is not known here which targets read an opaque.
        if not _call_site.needs_descriptor(trees, result, self._tuple_layout, opaque, path):
            return None
        return _call_site.descriptor(trees, result, self._tuple_layout, opaque, _leaf_text)

    def _flat_alias(self, alias: ir.Attribute, result_count: int) -> ir.Attribute:
        alias = stablehlo.OutputOperandAlias(alias)
        operand = sum(_leaf_counts(self._operand_types[: alias.operand_index]))
        operand += _leaf_number(
            self._operand_types[alias.operand_index], alias.operand_tuple_indices
        )
        result = _leaf_number(self._result_type, alias.output_tuple_indices)
        return stablehlo.OutputOperandAlias.get(
            output_tuple_indices=[result] if result_count != 1 else [],
            operand_index=operand,
            operand_tuple_indices=[],
        )


# ---- Types --------------------------------------------------------------------------------------


def _is_tuple(type_: Any) -> bool:
    return type(type_) is tuple or isinstance(type_, ir.TupleType)


def _elements(type_: Any) -> list:
    if type(type_) is tuple:
        return list(type_)
    return [type_.get_type(i) for i in range(type_.num_types)]


def _leaves(type_: Any, path: tuple = ()) -> list[tuple[Any, tuple[int, ...]]]:
    """Returns the types of the leaves in preorder, each with its path."""
    if not _is_tuple(type_):
        return [(type_, path)]
    return [
        leaf for i, element in enumerate(_elements(type_)) for leaf in _leaves(element, (*path, i))
    ]


def _leaf_counts(types: list) -> list[int]:
    return [len(_leaves(type_)) for type_ in types]


def _leaf_number(type_: Any, path: list[int]) -> int:
    paths = [leaf_path for _, leaf_path in _leaves(type_)]
    if tuple(path) not in paths:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"expected an alias of an array, got one of the element {list(path)} of {type_}",
        )
    return paths.index(tuple(path))


def _tree(type_: Any) -> Any:
    """As a shape tree, for _call_site."""
    return tuple(map(_tree, _elements(type_))) if _is_tuple(type_) else type_


def _leaf_text(type_: ir.Type, what: str) -> str:
    """As XLA writes an array of that type without dimensions."""
    text = str(type_)
    if text == "!stablehlo.token":
        return "token[]"
    text = str(type_.element_type)
    if text.startswith("complex<"):
        return {"complex<f32>": "c64[]", "complex<f64>": "c128[]"}[text]
    if text == "i1":
        return "pred[]"
    if text.startswith("i"):
        return f"s{text[1:]}[]"
    if text.startswith("ui"):
        return f"u{text[2:]}[]"
    return f"{text.lower()}[]"


def _row_major(type_: ir.Type) -> range:
    rank = type_.rank if isinstance(type_, ir.RankedTensorType) else 0
    return range(rank - 1, -1, -1)


# ---- Values -------------------------------------------------------------------------------------


def _maker(value: ir.Value, name: str) -> ir.Operation | None:
    """Returns the operation of that name that makes `value`."""
    owner = value.owner
    operation = None if isinstance(owner, ir.Block) else owner.operation
    return operation if operation is not None and operation.name == name else None


def _take_apart(value: ir.Value) -> list[ir.Value]:
    if not _is_tuple(value.type):
        return [value]
    maker = _maker(value, "stablehlo.tuple")
    parts = (
        list(maker.operands)
        if maker is not None
        else [_element(value, i, type_) for i, type_ in enumerate(_elements(value.type))]
    )
    return [leaf for part in parts for leaf in _take_apart(part)]


def _element(value: ir.Value, index: int, type_: ir.Type) -> ir.Value:
    return ir.Operation.create(
        "stablehlo.get_tuple_element",
        results=[type_],
        operands=[value],
        attributes={"index": i32_attribute(index)},
    ).results[0]


def _put_together(type_: ir.Type, leaves: Iterator) -> ir.Value:
    if not _is_tuple(type_):
        return next(leaves)
    elements = [_put_together(element, leaves) for element in _elements(type_)]
    return ir.Operation.create("stablehlo.tuple", results=[type_], operands=elements).results[0]


def _replace(value: ir.Value, leaves: list[ir.Value], before: ir.Operation) -> None:
    """Gives those who use `value`, of whatever tuple, what is put together of `leaves` instead."""
    if not _is_tuple(value.type):
        value.replace_all_uses_with(leaves[0])
        return
    bounds = np.cumsum([0, *_leaf_counts(_elements(value.type))])
    for use in list(value.uses):
        user = use.owner.operation
        if user.name == "stablehlo.get_tuple_element":
            index = user.attributes["index"].value
            _replace(user.results[0], leaves[bounds[index] : bounds[index + 1]], before)
            user.erase()
    if list(value.uses):
        with ir.InsertionPoint(before):
            value.replace_all_uses_with(_put_together(value.type, iter(leaves)))


def _erase_unused_tuple(value: ir.Value) -> None:
    maker = _maker(value, "stablehlo.tuple")
    if maker is None or list(value.uses):
        return
    parts = list(maker.operands)
    maker.erase()
    for part in parts:
        if _is_tuple(part.type):
            _erase_unused_tuple(part)
