"""The targets that an artifact calls: which, on which platforms, and who has them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from typing import Any

import jaxlib
from jax.interpreters import mlir
from jaxlib.mlir import ir

import callbridge.jax
from callbridge._core._error import find_platform
from callbridge._core._library_files import library_at
from callbridge.jax import _artifact, _registry
from callbridge.jax._runtimes import JAX_PLATFORM
from callbridge.jax._stablehlo_calls import TYPED_VERSION, called_target
from callbridge.library import Library

# An argument with the index of the platform, in modules for several ones; of jax.export.
_GLOBAL_CONSTANT = "jax.global_constant"
_PLATFORM_INDEX = "_platform_index"


@dataclasses.dataclass(frozen=True)
class Call:
    target: str
    api_version: int  # 0 to 4
    platforms: tuple[str, ...]  # JAX's names; empty if the artifact does not say
    is_xlas_own: bool


def calls_of(artifact: Any) -> list[Call]:
    """Returns the custom calls of an artifact of these kinds; of bytes those of derivatives too.

    Raises what callbridge.jax.upgrade() raises for what cannot be read.
    """
    if isinstance(artifact, (bytes, bytearray)):
        return _calls_of_data(bytes(artifact))
    if isinstance(artifact, str):
        with mlir.make_ir_context():
            return calls(_artifact.parse(artifact), ())
    if _artifact.is_exported(artifact):
        return _calls_of_modules([artifact.mlir_module_serialized], artifact.platforms)
    raise _artifact.not_an_artifact(artifact)


def _calls_of_data(data: bytes) -> list[Call]:
    if data.startswith(_artifact.MAGIC):
        return _calls_of_modules([data], ())
    text = _artifact.as_text(data)
    if text is not None:
        return calls_of(text)
    exported = _artifact.deserialize_exported(data)
    return _calls_of_modules(_artifact.modules_of(exported), exported.platforms)


def _calls_of_modules(modules: list[bytes], platforms: tuple[str, ...]) -> list[Call]:
    found = []
    for data in modules:
        with mlir.make_ir_context() as context:
            found += calls(_artifact.deserialize(context, data), platforms)
    return found


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


# ---- The table of `callbridge upgrade --list` ----------------------------------------------------

_HEADINGS = ("target", "version", "platform", "registered", "library")


def table(calls: Sequence[Call], libraries: Sequence[str]) -> str:
    """Returns the lines. Loads the libraries. Raises what callbridge.jax.load() raises."""
    for library in libraries:
        callbridge.jax.load(library)
    rows = [row for call in calls for row in _rows(call)]
    counted = dict.fromkeys(rows)  # each once, in the order of the calls
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *counted)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in (_HEADINGS, *counted)
    ]
    return "".join(f"{line}\n" for line in lines)


def _rows(call: Call) -> list[tuple[str, ...]]:
    version = str(call.api_version)
    if call.is_xlas_own:
        platforms = ",".join(call.platforms) or "-"
        return [(call.target, version, platforms, "XLA's own", "-")]
    if call.platforms:
        return [
            (call.target, version, platform, *_registration(call, platform))
            for platform in call.platforms
        ]
    # The artifact does not say: those that have the target.
    found = {platform.lower(): _registration(call, platform) for platform in JAX_PLATFORM.values()}
    known = {p: registration for p, registration in found.items() if registration[0] != "no"}
    return [
        (call.target, version, platform, *registration)
        for platform, registration in (known or {"-": ("no", "-")}).items()
    ]


def _registration(call: Call, platform: str) -> tuple[str, str]:
    """Returns whether a target is registered for a platform, and by which library."""
    canonical = find_platform(platform)
    if canonical is None:
        return "no", "-"
    is_typed = call.api_version >= TYPED_VERSION
    entry = _registry.registry.entry(call.target, canonical, is_typed)
    if entry is not None:
        source = entry.owner.path if isinstance(entry.owner, Library) else entry.source
        return _answer(is_typed, entry.abi == "typed_ffi"), source
    registered = _registry.registered(call.target, canonical)
    if not registered:
        return "no", "-"
    kind = is_typed if is_typed in registered else not is_typed
    addresses = registered[kind]
    library = None if addresses is None else library_at(next(iter(addresses.values()), 0))
    name = "-" if library is None else _short(os.fsdecode(library))
    return _answer(is_typed, bool(kind)), name


def _answer(is_typed: bool, is_typed_target: bool) -> str:
    if is_typed == is_typed_target:
        return "yes"
    return "typed" if is_typed_target else "untyped"


def _short(path: str) -> str:
    """JAX's own libraries by the package's name."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(jaxlib.__file__)))
    return os.path.relpath(path, folder) if path.startswith(folder + os.sep) else path
