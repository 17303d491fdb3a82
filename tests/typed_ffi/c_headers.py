"""What a C header of XLA's FFI declares: parsed for the names, compiled for the layouts."""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "matrix"))
from jax_releases import WITH_HEADERS as RELEASES  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", pathlib.Path.home() / ".cache/callbridge"))
HEADERS = CACHE / "jaxlib-headers"
CURRENT = RELEASES[-1]
HEADER_NAMES = ["c_api.h", "collectives_c_api.h", "record_c_api.h"]


def include_folder(version):
    folder = HEADERS / version / "jaxlib/include"
    assert folder.is_dir(), f"{folder} is not there: scripts/ffi_headers, or `make test`, gets it"
    return folder


def genuine_headers(version):
    folder = include_folder(version) / "xla/ffi/api"
    return [folder / name for name in HEADER_NAMES if (folder / name).exists()]


class Declarations:
    """structs: {name: [field]}; enumerators, functions (types of functions), macros: [name];
    sized: the structs that have a <name>_STRUCT_SIZE."""

    def __init__(self, headers):
        text = "\n".join(header.read_text() for header in headers)
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        text = text.replace("\\\n", " ")
        self.macros = re.findall(r"^#define (XLA_FFI_\w+) +\d+$", text, re.MULTILINE)
        text = re.sub(r"^ *#.*", "", text, flags=re.MULTILINE)
        self.structs = {
            name: [self._field(line) for line in body.split(";") if line.strip()]
            for name, body in re.findall(r"struct (\w+) \{(.*?)\n\}", text, re.DOTALL)
        }
        self.enumerators = [
            name
            for body in re.findall(r"\benum\b[^;{]*\{(.*?)\}", text, re.DOTALL)
            for name in re.findall(r"(\w+) =", body)
        ]
        self.functions = re.findall(r"typedef [\w ]+\*? ?\b(XLA_FFI_\w+)\(", text)
        self.sized = set(re.findall(r"XLA_FFI_DEFINE_STRUCT_TRAITS\(\s*(\w+),", text))

    @staticmethod
    def _field(declaration):
        declaration = " ".join(declaration.split())
        slot = re.search(r"\w+_(?:SLOT|STRUCT_FIELD)\((\w+)\)", declaration)
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        return (slot or pointer or re.search(r"(\w+)$", declaration)).group(1)


def measure(declarations, includes, options, folder, spell=lambda kind, name: name):
    """Compiles and runs a program that prints what `declarations` has, by the genuine names.

    {"structs": {name: {"sizeof": n, "STRUCT_SIZE": n, "fields": {name: [offset, type]}}},
    "values": {name: n}, "functions": {name: type}}. `spell(kind, name)` is how the header that is
    measured spells a name; None where it has nothing of the kind.
    """
    lines = []
    for name, fields in declarations.structs.items():
        spelled = spell("struct", name)
        if spelled is None:
            continue
        size = f"long({spelled}_STRUCT_SIZE)" if name in declarations.sized else "-1L"
        lines.append(f'Struct("{name}", sizeof({spelled}), {size});')
        for field in fields:
            there = spell("field", field)
            lines.append(
                f'Field("{name}", "{field}", offsetof({spelled}, {there}), '
                f"typeid(decltype({spelled}::{there})).name());"
            )
    for name in declarations.enumerators + declarations.macros:
        spelled = spell("value", name)
        if spelled is not None:
            lines.append(f'Value("{name}", static_cast<long>({spelled}));')
    for name in declarations.functions:
        spelled = spell("function", name)
        if spelled is not None:
            lines.append(f'Function("{name}", typeid({spelled}*).name());')
    program = PROBE.format(
        includes="\n".join(f'#include "{include}"' for include in includes), lines="\n".join(lines)
    )
    (folder / "probe.cc").write_text(program)
    subprocess.run(
        ["g++", "-std=c++17", "-Wno-invalid-offsetof", *options, "probe.cc", "-o", "probe"],
        cwd=folder,
        check=True,
    )
    printed = subprocess.run([folder / "probe"], check=True, capture_output=True, text=True).stdout
    measured = {"structs": {}, "values": {}, "functions": {}}
    for line in printed.splitlines():
        kind, name, *rest = json.loads(line)
        if kind == "struct":
            measured["structs"][name] = {"sizeof": rest[0], "STRUCT_SIZE": rest[1], "fields": {}}
        elif kind == "field":
            measured["structs"][name]["fields"][rest[0]] = rest[1:]
        else:
            measured[kind + "s"][name] = rest[0]
    return measured


PROBE = """
#include <cxxabi.h>
#include <cstdio>
#include <typeinfo>
{includes}

static const char* Text(const char* type) {{
  return abi::__cxa_demangle(type, nullptr, nullptr, nullptr);
}}
static void Struct(const char* name, size_t size, long struct_size) {{
  std::printf("[\\"struct\\", \\"%s\\", %zu, %ld]\\n", name, size, struct_size);
}}
static void Field(const char* name, const char* field, size_t offset, const char* type) {{
  std::printf("[\\"field\\", \\"%s\\", \\"%s\\", %zu, ", name, field, offset);
  std::printf("\\"%s\\"]\\n", Text(type));
}}
static void Value(const char* name, long value) {{
  std::printf("[\\"value\\", \\"%s\\", %ld]\\n", name, value);
}}
static void Function(const char* name, const char* type) {{
  std::printf("[\\"function\\", \\"%s\\", \\"%s\\"]\\n", name, Text(type));
}}

int main() {{
{lines}
}}
"""
