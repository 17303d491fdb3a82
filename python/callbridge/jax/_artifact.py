"""What JAX writes programs as: StableHLO text, portable artifacts, and jax.export's own."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from callbridge._core import _call_site
from callbridge._core._error import CallbridgeError
from callbridge._core._fork_lock import fork_lock
from callbridge.jax import _mlir_bytecode, _stablehlo_calls
from callbridge.jax._runtimes import RUNTIME, unimplemented
from callbridge.jax._stablehlo_calls import UntypedCall, called_target

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


_PORTABLE_DIALECT = b"vhlo"
_OLDEST_CALLING_CONVENTION = 4  # of jax.export: the first whose modules are portable artifacts
_EXPIRED_OPTION = "jax_export_deserialize_expired_versions"

_option_lock = fork_lock()


def upgrade_artifact(
    artifact: Any, version_of: Callable[[UntypedCall], int | None], tuple_layout: str
) -> Any:
    """`artifact` in its own kind, its untyped calls as _stablehlo_calls.upgrade() makes them.

    Without such calls, it is returned byte for byte. Raises what callbridge.jax.upgrade() raises,
    and what `version_of` does.
    """
    if not RUNTIME.upgrades_artifacts:
        raise unimplemented("upgrade", lambda row: row.upgrades_artifacts)
    _call_site.check_tuple_layout(tuple_layout)
    upgrade = _Upgrade(version_of, tuple_layout)
    if isinstance(artifact, str):
        return upgrade.text(artifact)
    if isinstance(artifact, (bytes, bytearray)):
        return type(artifact)(upgrade.data(bytes(artifact)))
    if _is_exported(artifact):
        return upgrade.exported(artifact)
    raise _not_an_artifact(artifact)


def calls_of(artifact: Any) -> list[Call]:
    """Returns the custom calls of an artifact of these kinds; of bytes those of derivatives too.

    Raises what callbridge.jax.upgrade() raises for what cannot be read.
    """
    if isinstance(artifact, (bytes, bytearray)):
        return _calls_of_data(bytes(artifact))
    if isinstance(artifact, str):
        with mlir.make_ir_context():
            return calls(_parse(artifact), ())
    if _is_exported(artifact):
        return _calls_of_modules([artifact.mlir_module_serialized], artifact.platforms)
    raise _not_an_artifact(artifact)


def _calls_of_data(data: bytes) -> list[Call]:
    if data.startswith(_mlir_bytecode.MAGIC):
        return _calls_of_modules([data], ())
    text = _as_text(data)
    if text is not None:
        return calls_of(text)
    exported = _deserialize_exported(data)
    return _calls_of_modules(_modules(exported), exported.platforms)


def _calls_of_modules(modules: list[bytes], platforms: tuple[str, ...]) -> list[Call]:
    found = []
    for data in modules:
        with mlir.make_ir_context() as context:
            found += calls(_deserialize(context, data), platforms)
    return found


def _not_an_artifact(artifact: Any) -> TypeError:
    return TypeError(
        "expected StableHLO text, the bytes of a portable artifact or of jax.export, or a "
        f"jax.export.Exported; got {type(artifact).__name__}"
    )


class _Upgrade:
    def __init__(self, version_of: Callable[[UntypedCall], int | None], tuple_layout: str):
        self._version_of = version_of
        self._tuple_layout = tuple_layout

    def text(self, text: str) -> str:
        with mlir.make_ir_context():
            module = _parse(text)
            return str(module) if self._module(module) else text

    def data(self, data: bytes) -> bytes:
        if data.startswith(_mlir_bytecode.MAGIC):
            return self.portable_artifact(data)
        text = _as_text(data)
        if text is not None:
            return self.text(text).encode()
        return self.serialized(data)

    def portable_artifact(self, data: bytes) -> bytes:
        with mlir.make_ir_context() as context:
            module = _deserialize(context, data)
            if not self._module(module):
                return data
            version = stablehlo.get_version_from_compatibility_requirement(
                stablehlo.StablehloCompatibilityRequirement.WEEK_4
            )
            # Shardy's dialect stays as it is.
            return stablehlo.serialize_portable_artifact(module, version, True)

    def serialized(self, data: bytes) -> bytes:
        exported = _deserialize_exported(data)
        upgraded = self.exported(exported)
        if _modules(upgraded) == _modules(exported):
            return data
        try:
            return bytes(upgraded.serialize(vjp_order=_vjp_order(exported)))
        except (ValueError, NotImplementedError) as error:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"{exported.fun_name!r} is upgraded, but jax {jax.__version__} cannot serialize it "
                f"again ({error}); upgrade and call what jax.export.deserialize() makes of it",
            ) from None

    def exported(self, exported: Any) -> Any:
        convention = exported.calling_convention_version
        if convention < _OLDEST_CALLING_CONVENTION:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"{exported.fun_name!r} was exported with calling convention {convention}, whose "
                "modules are not portable artifacts; expected "
                f"{_OLDEST_CALLING_CONVENTION} or later; export it again with a newer JAX",
            )
        module = self.portable_artifact(exported.mlir_module_serialized)
        changes: dict[str, Any] = {"mlir_module_serialized": module}
        if exported.has_vjp():
            changes["_get_vjp"] = lambda _: self.exported(exported.vjp())
        elif module == exported.mlir_module_serialized:
            return exported
        return dataclasses.replace(exported, **changes)

    def _module(self, module: ir.Module) -> bool:
        """Returns whether it has changed."""
        if not _stablehlo_calls.upgrade(module, self._version_of, self._tuple_layout):
            return False
        module.operation.verify()
        return True


# ---- Reading ------------------------------------------------------------------------------------


def _as_text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _parse(text: str) -> ir.Module:
    if not text or text.isspace():
        raise CallbridgeError("INVALID_ARGUMENT", "expected StableHLO text, got none")
    try:
        return ir.Module.parse(text)
    except ir.MLIRError as error:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"jax {jax.__version__} cannot read this text: StableHLO's text changes between "
            "releases; if an older JAX wrote it, write a portable artifact there instead "
            f"(stablehlo.serialize_portable_artifact): {error}",
        ) from None


def _deserialize(context: ir.Context, data: bytes) -> ir.Module:
    try:
        is_portable = _PORTABLE_DIALECT in _mlir_bytecode.dialects(data)
    except ValueError as error:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"this begins as MLIR's bytecode, but is damaged: {error}",
        ) from None
    if not is_portable:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            "this is MLIR's bytecode, but not a portable artifact of StableHLO, so only the jaxlib "
            "that wrote it surely reads it; write it there by "
            "stablehlo.serialize_portable_artifact, or as text",
        )
    told = []

    def note(diagnostic: ir.Diagnostic) -> bool:
        try:
            told.append(diagnostic.message)
        except (RuntimeError, UnicodeDecodeError):
            told.append("it has names that are not UTF-8")
        return True

    handler = context.attach_diagnostic_handler(note)  # else MLIR prints them
    try:
        return stablehlo.deserialize_portable_artifact(context, data)
    except (ir.MLIRError, ValueError) as error:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"jax {jax.__version__} cannot read this portable artifact, which is damaged or of a "
            f"later StableHLO than its {stablehlo.get_current_version()}: "
            f"{'; '.join(told) or error}",
        ) from None
    finally:
        handler.detach()


def text_of(data: bytes) -> str:
    """Returns the module of an upgraded artifact as StableHLO text."""
    text = _as_text(data)
    if text is not None:
        return text
    with mlir.make_ir_context() as context:
        if not data.startswith(_mlir_bytecode.MAGIC):
            data = _deserialize_exported(data).mlir_module_serialized
        return str(_deserialize(context, data))


def _is_exported(artifact: Any) -> bool:
    from jax import export

    return isinstance(artifact, export.Exported)


def _deserialize_exported(data: bytes) -> Any:
    from jax import export

    with _expired_versions():
        try:
            return export.deserialize(bytearray(data))
        except Exception as error:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"jax {jax.__version__} cannot read these bytes as text, a portable artifact or "
                f"what jax.export serialized: {error}",
            ) from None


@contextlib.contextmanager
def _expired_versions():
    """JAX reads also what it expects to drop soon, and says nothing of it.

    The option is new in jax 0.12.0.1; 0.11.0 and older read all versions that they know.
    """
    if _EXPIRED_OPTION not in jax.config.values:
        yield
        return
    with _option_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        before = jax.config.values[_EXPIRED_OPTION]
        jax.config.update(_EXPIRED_OPTION, True)
        try:
            yield
        finally:
            jax.config.update(_EXPIRED_OPTION, before)


def _modules(exported: Any) -> list[bytes]:
    """Returns the module, and those of the derivatives."""
    modules = [exported.mlir_module_serialized]
    while exported.has_vjp():
        exported = exported.vjp()
        modules.append(exported.mlir_module_serialized)
    return modules


def _vjp_order(exported: Any) -> int:
    return len(_modules(exported)) - 1
