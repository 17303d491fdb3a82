"""A C++ source as libclang reads it, and the ABIs that the types of its functions prove."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import re

import clang.cindex as cindex

from callbridge._core._error import HOST as XLAS_HOST
from callbridge._core._error import find_platform
from callbridge.migrate import _sources
from callbridge.migrate._sources import Decision, MigrateError

_Kind = cindex.CursorKind
_TypeKind = cindex.TypeKind
_NO_UTF_8 = re.compile("[\udc80-\udcff]")  # by surrogateescape
_MISSING = re.compile(r"'([^']+)' file not found")
# clang goes on behind a header that it does not find.
_KEEP_GOING = 0x200
_OPTIONS = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | _KEEP_GOING
_SCOPES = (
    *(_Kind.NAMESPACE, _Kind.LINKAGE_SPEC, _Kind.CLASS_DECL, _Kind.STRUCT_DECL),
    _Kind.CLASS_TEMPLATE,
)
_FUNCTIONS = (_Kind.FUNCTION_DECL, _Kind.FUNCTION_TEMPLATE, _Kind.CXX_METHOD)
_DEVICE = (_Kind.CUDAGLOBAL_ATTR, _Kind.CUDADEVICE_ATTR)
# What the toolkit says to nvcc alone: which functions are the device's, what a launch calls, and
# the headers that nvcc includes before a source.
_LAUNCH = (
    "/callbridge_launch.h",  # known to libclang alone
    """\
#if __has_include(<crt/host_defines.h>)
#define __CUDACC__
#include <crt/host_defines.h>
#undef __CUDACC__
#endif
struct dim3;
struct CUstream_st;
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, decltype(sizeof(0)) = 0,
                                                CUstream_st* = nullptr);
extern "C" int cudaConfigureCall(dim3, dim3, decltype(sizeof(0)) = 0, CUstream_st* = nullptr);
#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif
""",
)
HOST = "host"
GPU = "gpu"


class TranslationUnit:
    """Raises MigrateError for a source that does not parse although it has all of its headers."""

    def __init__(self, path: pathlib.Path, content: bytes, flags: list[str]):
        self.path = str(path)
        self.content = content
        # libclang's names are UTF-8. Others are in strings and comments, whose bytes are those of
        # `content`, at the same places.
        text = _NO_UTF_8.sub("?", content.decode(errors="surrogateescape"))
        files = [(self.path, text)]
        if path.suffix == ".cu":
            files.append(_LAUNCH)
            flags = [*flags, "-include", _LAUNCH[0]]
        try:
            self.unit = cindex.Index.create().parse(
                self.path, _sources.without_charsets(flags), files, _OPTIONS
            )
        except cindex.TranslationUnitLoadError:
            raise MigrateError(
                f"{path}: libclang cannot read it with the flags {' '.join(flags)}"
            ) from None
        problems = [one for one in self.unit.diagnostics if one.severity >= cindex.Diagnostic.Error]
        self.missing = [one for one in problems if _MISSING.search(one.spelling)]
        device = [] if path.suffix != ".cu" else self._device_code()
        self.errors = [
            one
            for one in problems
            if one not in self.missing
            and not any(_is_in(one.location, extent) for extent in device)
        ]
        if self.errors and not self.missing:
            first = self.errors[0]
            at = first.location
            raise MigrateError(
                f"{at.file}:{at.line}:{at.column}: {first.spelling}; a source must parse: give "
                "the flags of its build behind --, or its compile_commands.json by -p"
            )

    def _device_code(self) -> list:
        """The extents of what runs on the device, where names have meanings that a host lacks."""
        found, left = [], [self.outermost]
        while left:
            for child in left.pop():
                if child.kind in _SCOPES:
                    left.append(child.get_children())
                elif child.kind in _FUNCTIONS and any(
                    one.kind in _DEVICE for one in child.get_children()
                ):
                    found.append(child.extent)
        return found

    def decisions(self) -> list[Decision]:
        """The headers that are missing: what depends on them is not seen."""
        found = []
        for one in self.missing:
            header = _MISSING.search(one.spelling)[1]  # type: ignore[index]
            found.append(
                Decision(
                    str(one.location.file),
                    one.location.line,
                    f"{header} was not found, so what is registered by its means is not seen; add "
                    "its folder behind --, as -I FOLDER",
                )
            )
        return found

    def is_here(self, cursor) -> bool:
        """True if the cursor's code, or the macro that expands to it, is in this source."""
        return cursor.location.file is not None and cursor.location.file.name == self.path

    def text(self, extent) -> str:
        return self.content[extent.start.offset : extent.end.offset].decode(
            errors="surrogateescape"
        )

    def line_of(self, offset: int) -> int:
        return self.content.count(b"\n", 0, offset) + 1

    def macros(self, name: str) -> list:
        """The uses of a macro in this source."""
        return [one for one in self._expansions if one.spelling == name]

    @functools.cached_property
    def declarations(self) -> list:
        """What this source declares in namespaces."""
        found: list = []
        left = [self.outermost]
        while left:
            for child in left.pop():
                if child.kind.is_preprocessing() or not self.is_here(child):
                    continue
                if child.kind in (_Kind.NAMESPACE, _Kind.LINKAGE_SPEC):
                    left.append(child.get_children())
                else:
                    found.append(child)
        return found

    def is_in_macro(self, cursor) -> bool:
        """True if the cursor's code comes of a macro that is used in this source."""
        return self.expansion_around(cursor) is not None

    def expansion_around(self, cursor) -> tuple[int, int] | None:
        """The bytes of the outermost use of a macro that the cursor's code comes of."""
        if not self.is_here(cursor):
            return None
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        found = [one for one in self._expanded if one[0] <= start and end <= one[1]]
        return min(found, key=lambda one: (one[0], -one[1]), default=None)

    @functools.cached_property
    def outermost(self) -> list:
        """What is in no other cursor, of this source and of all headers: often 100 000 cursors."""
        return list(self.unit.cursor.get_children())

    @functools.cached_property
    def _expansions(self) -> list:
        """The uses of all macros in this source; libclang lists them among those of all headers."""
        # To ask for a cursor's place takes longer than for its name.
        words = set(re.findall(r"\w+", self.content.decode(errors="replace")))
        return [
            one
            for one in self.outermost
            if one.kind == _Kind.MACRO_INSTANTIATION and one.spelling in words and self.is_here(one)
        ]

    @functools.cached_property
    def _expanded(self) -> list[tuple[int, int]]:
        return [(one.extent.start.offset, one.extent.end.offset) for one in self._expansions]

    def headers_with(self, text: bytes) -> set[str]:
        """The names of the headers that have the text, or include one that has it."""
        included: dict[str, set] = {}
        for one in self.outermost:
            if one.kind == _Kind.INCLUSION_DIRECTIVE:
                try:
                    header = one.get_included_file()
                except AssertionError:  # cindex's answer where the header was not found
                    continue
                includer = one.location.file  # None for the option -include
                included.setdefault(header.name, set()).add(includer and includer.name)
        left = [name for name in included if _may_have(name, text)]
        found: set[str] = set()
        while left:
            name = left.pop()
            if name is not None and name not in found:
                found.add(name)
                left += included.get(name, ())
        return found - {self.path}


def parameters_of(function) -> list:
    """The parameters of a function or of a function template."""
    return [one for one in function.get_children() if one.kind == _Kind.PARM_DECL]


def _may_have(name: str, text: bytes) -> bool:
    """A name may be relative to the folder of the build, or known to libclang alone."""
    try:
        return text in pathlib.Path(name).read_bytes()
    except OSError:
        return True


def _is_in(location, extent) -> bool:
    return (
        str(location.file) == str(extent.start.file)
        and extent.start.offset <= location.offset <= extent.end.offset
    )


# ---- The rows of the ABI table, read from the headers that have them (abi/target_abi.h)
#
# No second table: a type is compared with the parameters that the rows name, and what is said of a
# type that is none of them is said by the row that it is nearest to.


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
    flags = ["-x", "c++", "-std=c++17", "-isystem", _sources.callbridge_includes()]
    for folder in _sources.include_folders(compiler):
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
