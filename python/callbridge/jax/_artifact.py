"""What JAX writes programs as: StableHLO text, portable artifacts, and jax.export's own."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import jax
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from callbridge._core import _call_site
from callbridge._core._error import CallbridgeError
from callbridge._core._fork_lock import fork_lock
from callbridge.jax import _stablehlo_calls
from callbridge.jax._runtimes import RUNTIME, unimplemented
from callbridge.jax._stablehlo_calls import UntypedCall

_PORTABLE_DIALECT = b"vhlo"
# Of jax.export: the first whose modules are portable artifacts; JAX itself serializes 9 and later.
# jax2tf of 0.4.1 to 0.4.6 wrote 1 to 3 into SavedModels: 1 in MHLO, 2 and 3 in StableHLO, as
# bytecode without a StableHLO version, which later jaxlibs do not read (measured: 0.10.2 refuses
# that of 0.4.13, "expected mlir::UnitAttr"). PyPI has no jaxlib before 0.4.13 that could write one.
_OLDEST_CALLING_CONVENTION = 4
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
    if is_exported(artifact):
        return upgrade.exported(artifact)
    raise not_an_artifact(artifact)


def not_an_artifact(artifact: Any) -> TypeError:
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
            module = parse(text)
            return str(module) if self._module(module) else text

    def data(self, data: bytes) -> bytes:
        if data.startswith(MAGIC):
            return self.portable_artifact(data)
        text = as_text(data)
        if text is not None:
            return self.text(text).encode()
        return self.serialized(data)

    def portable_artifact(self, data: bytes) -> bytes:
        with mlir.make_ir_context() as context:
            module = deserialize(context, data)
            if not self._module(module):
                return data
            version = stablehlo.get_version_from_compatibility_requirement(
                stablehlo.StablehloCompatibilityRequirement.WEEK_4
            )
            # Shardy's dialect stays as it is.
            return stablehlo.serialize_portable_artifact(module, version, True)

    def serialized(self, data: bytes) -> bytes:
        exported = deserialize_exported(data)
        upgraded = self.exported(exported)
        if modules_of(upgraded) == modules_of(exported):
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


def as_text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def parse(text: str) -> ir.Module:
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


def deserialize(context: ir.Context, data: bytes) -> ir.Module:
    try:
        is_portable = _PORTABLE_DIALECT in dialects(data)
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
    text = as_text(data)
    if text is not None:
        return text
    with mlir.make_ir_context() as context:
        if not data.startswith(MAGIC):
            data = deserialize_exported(data).mlir_module_serialized
        return str(deserialize(context, data))


def is_exported(artifact: Any) -> bool:
    from jax import export

    return isinstance(artifact, export.Exported)


def deserialize_exported(data: bytes) -> Any:
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


def modules_of(exported: Any) -> list[bytes]:
    """Returns the module, and those of the derivatives."""
    modules = [exported.mlir_module_serialized]
    while exported.has_vjp():
        exported = exported.vjp()
        modules.append(exported.mlir_module_serialized)
    return modules


def _vjp_order(exported: Any) -> int:
    return len(modules_of(exported)) - 1


# ---- MLIR's bytecode, as far as to tell which dialects a module uses ----------------------------

# https://mlir.llvm.org/docs/BytecodeFormat/: after the magic number, a version and the producer's
# name come sections. One has the strings, another the dialects, by the numbers of their names.

MAGIC = b"ML\xefR"

_STRINGS, _DIALECTS = 0, 1
_HAS_ALIGNMENT = 0x80
_WITH_DIALECT_VERSIONS = 1  # the first version of the format in which a dialect may have a version


def dialects(data: bytes) -> frozenset[bytes]:
    """Returns the dialects that the module uses. Raises ValueError if `data` is damaged."""
    if not data.startswith(MAGIC):
        raise ValueError("expected MLIR's bytecode, which begins with 'ML\\xefR'")
    reader = _Reader(data, len(MAGIC))
    version = reader.number()
    reader.text()  # the producer
    sections: dict[int, bytes] = {}
    while not reader.at_end() and not sections.keys() >= {_STRINGS, _DIALECTS}:
        identifier = reader.take(1)[0]
        size = reader.number()
        if identifier & _HAS_ALIGNMENT:
            reader.align(reader.number())
        sections[identifier & ~_HAS_ALIGNMENT] = reader.take(size)
    for section in (_STRINGS, _DIALECTS):
        if section not in sections:
            raise ValueError(f"expected section {section}, found none")
    strings = _strings(_Reader(sections[_STRINGS]))
    names = _dialect_names(_Reader(sections[_DIALECTS]), version)
    if not all(name < len(strings) for name in names):
        raise ValueError(f"expected a dialect named by one of {len(strings)} strings")
    return frozenset(strings[name] for name in names)


def _strings(reader: _Reader) -> list[bytes]:
    # Their sizes, the last string's first, then the strings, each with a NUL at its end.
    sizes = [reader.number() for _ in range(reader.count())]
    return [reader.take(size)[:-1] for size in reversed(sizes)]


def _dialect_names(reader: _Reader, version: int) -> list[int]:
    names = []
    for _ in range(reader.count()):
        name = reader.number()
        if version >= _WITH_DIALECT_VERSIONS:
            name, has_version = name >> 1, name & 1
            if has_version:  # in a section of its own
                reader.take(1)
                reader.take(reader.number())
        names.append(name)
    return names


class _Reader:
    """Raises ValueError if the bytes end too early."""

    def __init__(self, data: bytes, position: int = 0):
        self._data = data
        self._position = position

    def at_end(self) -> bool:
        return self._position == len(self._data)

    def take(self, size: int) -> bytes:
        taken = self._data[self._position : self._position + size]
        if len(taken) < size:
            raise ValueError(f"expected {size} more bytes, found {len(taken)}")
        self._position += size
        return taken

    def number(self) -> int:
        """Of 1 to 9 bytes, little-endian. The zeros below the first one bit say how many follow."""
        first = self.take(1)
        if first[0] == 0:
            return int.from_bytes(self.take(8), "little")
        following = (first[0] & -first[0]).bit_length() - 1
        return int.from_bytes(first + self.take(following), "little") >> (following + 1)

    def count(self) -> int:
        """A number of things, each of a byte or more."""
        count = self.number()
        if count > len(self._data):
            raise ValueError(f"expected {count} entries in {len(self._data)} bytes")
        return count

    def text(self) -> bytes:
        end = self._data.find(b"\0", self._position)
        if end < 0:
            raise ValueError("expected a text that ends with a NUL")
        return self.take(end + 1 - self._position)[:-1]

    def align(self, alignment: int) -> None:
        if not 0 < alignment <= len(self._data):
            raise ValueError(f"expected an alignment within the data, found {alignment}")
        self.take(-self._position % alignment)
