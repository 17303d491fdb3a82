"""The rows of the ABI table, read from the headers that have them (abi/target_abi.h).

No second table: a type is compared with the parameters that the rows name, and what is said of a
type that is none of them is said by the row that it is nearest to.
"""

from __future__ import annotations

import dataclasses
import functools

import clang.cindex as cindex

from callbridge._core._error import HOST as XLAS_HOST
from callbridge._core._error import find_platform
from callbridge.migrate import _compiler
from callbridge.migrate._plan import MigrateError

_Kind = cindex.CursorKind
_TypeKind = cindex.TypeKind
HOST = "host"
GPU = "gpu"


def kind_of(platform: str) -> str:
    """HOST or GPU, of a platform as sources write it."""
    return HOST if find_platform(platform) == XLAS_HOST else GPU


@dataclasses.dataclass(frozen=True)
class Signature:
    abi: str  # "original"
    number: int
    platform: str  # HOST or GPU
    proof: str  # an enumerator of Proof, "kAbi"
    result: str
    parameters: tuple[str, ...]  # each: spellings separated by "|", or "*"

    def first_difference(self, types: tuple[str, ...]) -> int:
        """The number of the first parameter that is another; that of all if there is none."""
        for i, (accepted, found) in enumerate(zip(self.parameters, types)):
            if not _is_declared_as(accepted, found):
                return i
        return min(len(self.parameters), len(types))

    def matches(self, result: str, types: tuple[str, ...]) -> bool:
        return (
            result == self.result
            and len(types) == len(self.parameters)
            and self.first_difference(types) == len(types)
        )


def _is_declared_as(accepted: str, found: str) -> bool:
    return any(found.endswith("*") if one == "*" else one == found for one in accepted.split("|"))


def spelling(type_: cindex.Type) -> str:
    """A type as demanglers write it: "void const**"."""
    type_ = type_.get_canonical()
    const = " const" if type_.is_const_qualified() else ""
    if type_.kind == _TypeKind.POINTER:
        return spelling(type_.get_pointee()) + "*" + const
    return type_.spelling.replace("const ", "") + const


def signature_of(type_: cindex.Type) -> tuple[str, tuple[str, ...]] | None:
    """A function type's result and parameters; None for another type."""
    type_ = type_.get_canonical()
    if type_.kind != _TypeKind.FUNCTIONPROTO:
        return None
    return spelling(type_.get_result()), tuple(spelling(one) for one in type_.argument_types())


@functools.cache
def signatures(compiler: str) -> tuple[Signature, ...]:
    """All signatures of all rows, in their order."""
    text = '#include "callbridge/adapters/target_abi_list.h"\n'
    flags = ["-x", "c++", "-std=c++17", "-isystem", _compiler.callbridge_includes()]
    for folder in _compiler.include_folders(compiler):
        flags += ["-isystem", folder]
    unit = cindex.Index.create().parse("rows.cc", flags, [("rows.cc", text)])
    found = []
    for row in _rows(unit.cursor):
        abi = {"number": row[0], "name": row[1], "result": row[4]}
        for platform, columns in ((HOST, row[5]), (GPU, row[6])):
            for signature in columns[2] or []:
                if signature and signature[1]:
                    found.append(
                        Signature(
                            *(abi["name"], abi["number"], platform, signature[0], abi["result"]),
                            tuple(signature[1]),
                        )
                    )
    if not found:
        raise MigrateError("the rows of callbridge's ABI table could not be read")
    return tuple(found)


def _rows(cursor):
    for child in cursor.get_children():
        if child.kind == _Kind.NAMESPACE and child.spelling.startswith("callbridge"):
            yield from _rows(child)
        elif child.kind == _Kind.VAR_DECL and child.type.spelling.endswith("TargetAbi"):
            yield _value(list(child.get_children())[-1])


def _value(cursor):
    """A constant initializer: a list, a text, an enumerator's name or number; None for others."""
    children = list(cursor.get_children())
    if cursor.kind == _Kind.INIT_LIST_EXPR:
        return [_value(child) for child in children]
    if cursor.kind == _Kind.STRING_LITERAL:
        return cursor.spelling.strip('"')
    if cursor.kind == _Kind.DECL_REF_EXPR:
        declared = cursor.referenced
        if declared.kind == _Kind.ENUM_CONSTANT_DECL:
            of_versions = declared.semantic_parent.spelling == "ApiVersion"
            return declared.enum_value if of_versions else declared.spelling
        initializers = list(declared.get_children())
        return _value(initializers[-1]) if initializers else None
    return _value(children[0]) if len(children) == 1 else None


def classify(type_: cindex.Type, compiler: str, platform: str | None = None) -> Signature | None:
    """The signature that the type has; on Host first where no platform is said."""
    function = signature_of(type_)
    if function is None:
        return None
    host_first = sorted(signatures(compiler), key=lambda one: one.platform != HOST)
    for proofs in (("kAbi", "kAbiInSymbols"), ("kAbiInSource",)):
        for signature in host_first:
            if (
                signature.proof in proofs
                and platform in (None, signature.platform)
                and signature.matches(*function)
            ):
                return signature
    return None


def why_none(type_: cindex.Type, compiler: str, platform: str | None) -> str:
    """What differs from the nearest signature, in the words of its row."""
    function = signature_of(type_)
    if function is None:
        return f"{type_.spelling} is not a function's type"
    result, types = function
    candidates = [one for one in signatures(compiler) if platform in (None, one.platform)]
    for one in candidates:
        if one.proof == "kSwappedArguments" and one.matches(result, types):
            return (
                f"it has the arguments of {one.abi} swapped: the result comes first, "
                "void(void* out, const void** in)"
            )
    untyped = [one for one in candidates if one.proof == "kAbi"]
    nearest = max(
        untyped,
        key=lambda one: (one.first_difference(types), -abs(len(one.parameters) - len(types))),
    )
    where = f"{nearest.abi} on {'Host' if nearest.platform == HOST else 'GPU'}"
    if result != nearest.result:
        return f"it returns {result}, where {where} returns {nearest.result}"
    at = nearest.first_difference(types)
    if at < min(len(types), len(nearest.parameters)):
        accepted = nearest.parameters[at].replace("|", " or ")
        accepted = "a pointer" if accepted == "*" else accepted
        return f"its parameter {at + 1} is {types[at]}, where {where} has {accepted}"
    return f"it has {len(types)} parameters, where {where} has {len(nearest.parameters)}"
