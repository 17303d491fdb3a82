"""typed_ffi/runtime_versions.h alone knows XLA FFI's versions.

No other source of the house compares API versions, has one as a number, or names a row of the table
by its index. What depends on a version is a field of the row.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = "typed_ffi/runtime_versions.h"
BESIDE = {"benchmarks", "build", "examples", "tests"}
SOURCES = {".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".inc"}
# Sources in which "minor" is a version of XLA FFI.
ABOUT_FFI = re.compile(r"XLA_FFI_|typed_ffi")

COMPARISON = r"\s(?:[=!<>]=|<|>)\s"  # clang-format sets the spaces
MINOR = r"(?:\w+(?:\.|->))*\bminor(?:_version)?\b"
ROW = r"&\s*(?:\w+::)*k(?:Oldest|Newest)Version\b"
RULES = {
    "compares API versions": rf"{MINOR}{COMPARISON}|{COMPARISON}{MINOR}",
    "has an API version as a number": r"\b\w*[mM]inor\w*\s*=\s*[1-9]|\bXLA_FFI_API_MINOR\b",
    "names a row by its index": r"\bkRuntimeVersions\s*\[\s*(?!(?:kRows?|row)\s*\])",
    "compares rows": rf"{ROW}{COMPARISON}|{COMPARISON}{ROW}",
    "computes a row's index": r"-\s*(?:\w+::)*kRuntimeVersions\b",
    "compares a row's index": rf"\bIndexOf\([^()]*\){COMPARISON}|{COMPARISON}IndexOf\(",
}
# Lines that a rule matches and that are of no version of XLA FFI.
ALLOWED = {
    ("typed_ffi/c_api_frame.h", "#define XLA_FFI_API_MINOR 5"),  # XLA's own macro
    # Versions of extensions.
    (
        "typed_ffi/binding/c_values.h",
        "return a.major_version == b.major_version && a.minor_version == b.minor_version;",
    ),
    (
        "typed_ffi/binding/extension.h",
        "return id.major_version == T::kMajorVersion && id.minor_version == T::kMinorVersion;",
    ),
}


def violations(root):
    folders = [p for p in root.iterdir() if p.name not in BESIDE and not p.name.startswith(".")]
    for path in sorted(p for folder in folders for p in folder.rglob("*")):
        if path.suffix not in SOURCES or not path.is_file():
            continue
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        if name == TABLE or not ABOUT_FFI.search(text):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            code = re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", line).strip()
            if (name, line.strip()) in ALLOWED:
                continue
            for what, pattern in RULES.items():
                if re.search(pattern, code):
                    yield f"{name}:{number}: {what}: {line.strip()}"


def test_the_table_alone_knows_versions():
    assert list(violations(ROOT)) == []


def test_what_is_allowed_is_there():
    for name, line in ALLOWED:
        assert line in (ROOT / name).read_text(), f"{name} no longer has: {line}"


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("compares API versions", "if (version.minor < 4) return;"),
        ("compares API versions", "wrap |= headers->version->minor == kMinorOfThreeTables;"),
        ("compares API versions", "if (4 <= api.api_version.minor_version) return;"),
        ("has an API version as a number", "constexpr int kMinorOfThreeTables = 1;"),
        ("has an API version as a number", "metadata.api_version.minor_version = 1;"),
        ("has an API version as a number", "return XLA_FFI_API_MINOR;"),
        ("names a row by its index", "const auto& first = typed_ffi::kRuntimeVersions[2];"),
        ("names a row by its index", "Use(kRuntimeVersions[kFutureCreateAt144]);"),
        ("compares rows", "if (&headers != &typed_ffi::kOldestVersion) return;"),
        ("compares rows", "return &kNewestVersion == version;"),
        ("computes a row's index", "return &version - typed_ffi::kRuntimeVersions;"),
        ("compares a row's index", "return IndexOf(version) >= 3;"),
    ],
)
def test_a_planted_one_is_found(tmp_path, what, line):
    path = tmp_path / "adapters" / "planted.cc"
    path.parent.mkdir()
    path.write_text(f'#include "callbridge/typed_ffi/runtime_versions.h"\n{line}\n')
    assert [f"adapters/planted.cc:2: {what}: {line}"] == list(violations(tmp_path))


@pytest.mark.parametrize(
    "line",
    [
        "// Handlers of version.minor < 4 say so.",
        'Say("version.minor < 4");',
        'StrCat("0.", version.minor, ".");',
        "std::vector<int> minor;",
        "for (const RuntimeVersion& row : kRuntimeVersions) Use(tables[IndexOf(row)]);",
        "return &kRuntimeVersions[row];",
    ],
)
def test_what_only_reads_a_row_is_not(tmp_path, line):
    path = tmp_path / "adapters" / "planted.cc"
    path.parent.mkdir()
    path.write_text(f'#include "callbridge/typed_ffi/runtime_versions.h"\n{line}\n')
    assert list(violations(tmp_path)) == []
