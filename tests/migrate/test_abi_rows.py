"""The codemod has no ABI table: it reads callbridge's rows, and decides as the macros do."""

import shutil

import migrate_command
import pytest

cindex = pytest.importorskip("clang.cindex")

from callbridge._core import _target  # noqa: E402
from callbridge.migrate import _sources, _translation_unit  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

TYPES = [
    "void(void*, const void**)",
    "void(void*, void**)",
    "void(void*, void const* const*)",
    "void(const void**, void*)",
    "void(void*, const void**, XlaCustomCallStatus_*)",
    "void(void*, const void**, const char*, unsigned long, XlaCustomCallStatus_*)",
    "void(void*, void**, const char*, unsigned long, XlaCustomCallStatus_*)",
    "void(int*, void**, const char*, unsigned long)",
    "void(int*, void**, char*, unsigned long, XlaCustomCallStatus_*)",
    "void(void*, float**)",
    "int(void*, const void**)",
    "void(void*, const void**, int)",
    "void()",
]


def test_the_rows_are_those_of_the_library():
    rows = {(one.abi, one.number) for one in _translation_unit.signatures("g++")}
    assert rows == {(name, _target.ABI_NUMBERS[name]) for name in _target.ABI_NAMES}


def test_types_are_judged_as_by_the_macros(tmp_path):
    declared = "".join(f"using T{i} = {type_};\n" for i, type_ in enumerate(TYPES))
    source = '#include "callbridge/adapters/function_abi.h"\n' + declared
    flags = _sources.flags_of(tmp_path / "a.cc", "g++", None, [])
    unit = cindex.Index.create().parse("a.cc", flags, [("a.cc", source)])
    aliases = [one for one in unit.cursor.get_children() if one.spelling[1:].isdigit()]
    assert len(aliases) == len(TYPES)
    asserts = []
    for alias in aliases:
        for platform in (_translation_unit.HOST, _translation_unit.GPU):
            found = _translation_unit.classify(alias.underlying_typedef_type, "g++", platform)
            number = found.number if found is not None else 0
            of = f"callbridge::FunctionAbi<{alias.spelling}>::kVersions.{platform}"
            asserts.append(f'static_assert({of} == {number}, "");\n')
    (tmp_path / "a.cc").write_text(source + "".join(asserts))
    include = migrate_command.ROOT / "include"
    migrate_command.run(tmp_path, "g++", "-std=c++17", "-fsyntax-only", "-I", include, "a.cc")
