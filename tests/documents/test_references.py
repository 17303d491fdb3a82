"""The references list every public name of C, C++ and Python, each with its text."""

import ast
import re
import subprocess

import pytest
import references

ROOT = references.ROOT
HEADERS = list(references.headers())
MODULES = dict(references.modules())


def test_each_exported_function_is_listed():
    assert sorted(references.exported_in_c()) == sorted(references.declared_in_c())


@pytest.mark.parametrize(
    "door", sorted((ROOT / "include/callbridge").glob("*.h*")), ids=lambda path: path.name
)
def test_each_header_that_users_include_is_listed(door):
    included = re.findall(r'#include "callbridge/(\S+)"', door.read_text())
    assert {door, *(ROOT / name for name in included)} & set(HEADERS), "add it to docs/Doxyfile"


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_each_declaration_has_a_text(header):
    if set(references.groups(header)) & set(references.listed_groups()):
        assert list(references.without_text(header)) == []


# Headers of the binding that declare nothing for users.
INSIDE = """
api_functions bad_call bound_handler error_encoding explain ffi function_params future_encoding
hints names namespace requests runtime_errors signature text thrown wanted
""".split()


def test_each_group_is_on_a_page_once():
    wanted = [
        name
        for header in HEADERS
        if not (header.parent.name == "binding" and header.stem in INSIDE)
        for name in references.groups(header)
    ]
    assert sorted(references.listed_groups()) == sorted(wanted)
    assert {path.stem for path in HEADERS} >= set(INSIDE)


def test_each_module_is_listed():
    by_module, _ = references.listed_in_python()
    assert sorted(by_module) == sorted(MODULES)


def test_each_python_name_is_listed():
    left_out, alone = references.listed_in_python()
    listed = {name.rpartition(".")[2] for name in alone}
    for module, tree in MODULES.items():
        listed |= references.public_names(tree) - left_out[module]
    for module, tree in MODULES.items():
        # What one module leaves out is another's.
        assert left_out[module] <= references.public_names(tree) & listed, module


@pytest.mark.parametrize("module", MODULES)
def test_each_python_name_has_a_docstring(module):
    assert ast.get_docstring(MODULES[module])
    assert references.without_docstring(MODULES[module]) == []


def test_what_is_missing_is_found(tmp_path):
    header = tmp_path / "callbridge_x.h"
    header.write_text(
        "// x.\n\n// ---- One\n\n// Has a text.\nclass A {\n};\n\nclass B;\n\nclass C {\n};\n\n"
        "namespace internal {\n\nstruct D {};\n\n}  // namespace internal\n\n"
        "// Both.\nusing E = int;\nusing F = int;\n\n#define G(x) x\n\n"
        "template <typename T>\nstruct H {\n};\n\ntemplate <typename T>\nstruct C<T> {\n};\n"
    )
    assert list(references.without_text(header)) == [
        "class C {",
        "#define G(x) x",
        "template <typename T>",
    ]
    assert references.groups(header) == ["callbridge_x_h"]
    tree = ast.parse("def f(): ...\ndef g():\n  'a'\nclass K:\n  'b'\n  def m(self): ...\n")
    assert references.without_docstring(tree) == ["K.m", "f"]


def marked_for_doxygen(header):
    command = [ROOT / "scripts/doxygen_comments", header]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_script_names_groups_so():
    header = ROOT / "c_api/callbridge.h"
    marked = marked_for_doxygen(header)
    assert re.findall(r"^/// @defgroup (\w+) ", marked, re.MULTILINE) == references.groups(header)
    assert marked.count("/// @{") == marked.count("/// @}") == len(references.groups(header))


def test_the_script_repeats_a_comment_in_its_paragraph(tmp_path):
    header = tmp_path / "x.h"
    header.write_text(
        "// x.h.\n\nclass A {\n public:\n  // Both.\n  int a(int i,\n        int j) {\n"
        "    return 1;\n  }\n  template <typename T>\n  int a(T t);  // NOLINT(runtime-int)\n"
        "  A(A&&) = delete;\n"
        "  int own;  // behind\n\n  int none();\n  // One.\n  int b;\n\n private:\n  union {\n"
        "    int c_;\n  };\n};\n\n// Each.\n#define B(x) x\n#define C(x) x\n"
    )
    assert marked_for_doxygen(header).split("\n@", 1)[0].splitlines()[4:] == [
        "class A {",
        " public:",
        "  /// Both.",
        "  int a(int i,",
        "        int j) {",
        "    return 1;",
        "  }",
        "  /// Both.",
        "  template <typename T>",
        "  int a(T t);",
        "  A(A&&) = delete;",
        "  int own;  ///< behind",
        "",
        "  int none();",
        "  /// One.",
        "  int b;",
        "",
        " private:",
        "  union {",
        "  };",
        "};",
        "",
        "/// Each.",
        "#define B(x) x",
        "/// Each.",
        "#define C(x) x",
        "",
        "/// @}",
    ]


def test_the_script_keeps_code_on_one_line(tmp_path):
    header = tmp_path / "x.h"
    header.write_text(
        "// x.h.\n\n// Defines `int f(int a,\n// int b)`, and\n// `g`.\nint f(int);\n"
    )
    assert marked_for_doxygen(header).splitlines()[4:] == [
        "/// Defines <code>int f(int a, int b)</code>, and",
        "/// <code>g</code>.",
        "int f(int);",
        "",
        "/// @}",
    ]
