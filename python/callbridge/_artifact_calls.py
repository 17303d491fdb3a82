"""The custom calls of StableHLO modules, and for which platforms they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from jaxlib.mlir import ir

from callbridge._stablehlo_calls import called_target

# An argument with the index of the platform, in modules for several ones; of jax.export.
_GLOBAL_CONSTANT = "jax.global_constant"
_PLATFORM_INDEX = "_platform_index"


@dataclasses.dataclass(frozen=True)
class Call:
    target: str
    api_version: int  # 0 to 4
    platforms: tuple[str, ...]  # JAX's names; empty if the artifact does not say
    is_xlas_own: bool


def calls(module: ir.Module, platforms: Sequence[str]) -> list[Call]:
    """Returns the calls of a module for these platforms, in its order."""
    functions = {
        operation.attributes["sym_name"].value: operation
        for block in module.operation.regions[0].blocks
        for operation in (inner.operation for inner in block.operations)
        if operation.name == "func.func"
    }
    return [
        call
        for function in functions.values()
        for call in _Function(functions, function, tuple(platforms)).calls()
    ]


class _Function:
    def __init__(self, functions: dict[str, ir.Operation], function: Any, platforms: tuple):
        self._functions = functions
        self._function = function
        self._platforms = platforms

    def calls(self) -> list[Call]:
        found = []
        reached = _reached(self._functions, self._function, len(self._platforms), set())
        for operation, indices in _walk(self._function, self._function, reached):
            called = called_target(operation)
            if called is not None:
                names = tuple(self._platforms[i] for i in sorted(indices))
                found.append(Call(called.target, called.api_version, names, called.is_xlas_own))
        return found


def _reached(functions: dict, function: Any, count: int, callers: set[str]) -> frozenset[int]:
    """Returns the indices of the platforms on which a function is called.

    `callers` are the functions that are being looked at.
    """
    name = function.attributes["sym_name"].value
    everywhere = frozenset(range(count))
    found: set[int] = set()
    is_called = False
    for caller_name, caller in functions.items():
        for operation, indices in _walk(caller, caller, everywhere):
            if operation.name != "func.call" or operation.attributes["callee"].value != name:
                continue
            is_called = True
            if caller_name not in callers:
                above = _reached(functions, caller, count, callers | {name})
                found |= indices & above
    return frozenset(found) if is_called else everywhere


def _walk(
    operation: Any, function: Any, indices: frozenset[int]
) -> Iterator[tuple[Any, frozenset[int]]]:
    """The operations inside, each with the indices of the platforms on which it runs."""
    for number, region in enumerate(operation.regions):
        inside = indices
        if operation.name == "stablehlo.case":
            last = len(operation.regions) - 1
            chosen = {i: _value(operation.operands[0], function, i) for i in indices}
            inside = frozenset(
                i
                for i, value in chosen.items()
                if value is None or (value if 0 <= value <= last else last) == number
            )
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation, inside
                yield from _walk(inner.operation, function, inside)


def _value(value: ir.Value, function: Any, index: int) -> int | None:
    """Returns an integer that depends on nothing but the platform; None if it is another."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        attributes = function.attributes
        number = ir.BlockArgument(value).arg_number
        if "arg_attrs" not in attributes or owner != function.regions[0].blocks[0]:
            return None
        given = ir.DictAttr(attributes["arg_attrs"][number])
        is_index = _GLOBAL_CONSTANT in given and given[_GLOBAL_CONSTANT].value == _PLATFORM_INDEX
        return index if is_index else None
    operation = owner.operation
    if operation.name == "stablehlo.constant":
        return int(ir.DenseIntElementsAttr(operation.attributes["value"])[0])
    if operation.name == "stablehlo.convert":
        return _value(operation.operands[0], function, index)
    if operation.name == "stablehlo.case":
        chosen = _value(operation.operands[0], function, index)
        if chosen is None:
            return None
        last = len(operation.regions) - 1
        region = operation.regions[chosen if 0 <= chosen <= last else last]
        returned = list(region.blocks[0].operations)[-1].operation
        return _value(returned.operands[ir.OpResult(value).result_number], function, index)
    return None
