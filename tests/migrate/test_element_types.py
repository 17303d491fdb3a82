"""Each type that C++ has for elements: the buffer that `--rewrite` makes of it, how the body reads
that, and what the test of the handler has an array of."""

import re
import shutil

import migrate_command
import pytest

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

# By type: XLA's, "" if it may be any; and the test's. A type of "long long" is none of xla::ffi's.
TYPES = {
    "bool": ("PRED", "uint8_t"),
    "signed char": ("S8", "int8_t"),
    "int8_t": ("S8", "int8_t"),
    "char": ("", "uint8_t"),
    "unsigned char": ("", "uint8_t"),
    "uint8_t": ("", "uint8_t"),
    "short": ("S16", "int16_t"),
    "int16_t": ("S16", "int16_t"),
    "unsigned short": ("", "uint16_t"),
    "uint16_t": ("", "uint16_t"),
    "int": ("S32", "int32_t"),
    "int32_t": ("S32", "int32_t"),
    "unsigned": ("U32", "uint32_t"),
    "uint32_t": ("U32", "uint32_t"),
    "long": ("S64", "int64_t"),
    "int64_t": ("S64", "int64_t"),
    "long long": ("S64", "int64_t"),
    "unsigned long": ("U64", "uint64_t"),
    "uint64_t": ("U64", "uint64_t"),
    "size_t": ("U64", "uint64_t"),
    "unsigned long long": ("U64", "uint64_t"),
    "float": ("F32", "float"),
    "double": ("F64", "double"),
    "std::complex<float>": ("C64", "std::complex<float>"),
    "std::complex<double>": ("C128", "std::complex<double>"),
    "long double": ("", "float"),
    "Pair": ("", "float"),
}
SOURCE = """\
#include <complex>
#include <cstdint>
#include "xla/service/custom_call_target_registry.h"
struct Pair { float first, second; };
"""
FUNCTION = """
void f{i}(void* out, const void** in) {{
  const {type}* x = static_cast<const {type}*>(in[0]);
  *static_cast<{type}*>(out) = x[1];
}}
XLA_REGISTER_CUSTOM_CALL_TARGET(f{i}, "Host");
"""


def test_the_buffers_and_arrays_of_each_type(tmp_path):
    functions = (FUNCTION.format(i=i, type=type_) for i, type_ in enumerate(TYPES))
    (tmp_path / "a.cc").write_text(SOURCE + "".join(functions))
    done = migrate_command.here(tmp_path, "--rewrite", "--write", "a.cc")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "a.cc").read_text()
    tests = (tmp_path / "a_handlers_test.cc").read_text()
    for i, (type_, (element, array)) in enumerate(TYPES.items()):
        buffer = f"ffi::Buffer<ffi::{element}>" if element else "ffi::AnyBuffer"
        function = text[text.index(f"ffi::Error f{i}(") :]
        head, body = re.match(r"ffi::Error \w+(.*?) {\n(.*?)  return", function, re.DOTALL).groups()
        assert " ".join(head.split()) == f"({buffer} in0, ffi::Result<{buffer}> out)", type_
        result, operand = "out->typed_data()", "in0.typed_data()"
        if not element or "long long" in type_:
            result = f"static_cast<{type_}*>(out->untyped_data())"
            operand = f"static_cast<const {type_}*>(in0.untyped_data())"
        assert body == f"  const {type_}* x = {operand};\n  *{result} = x[1];\n", type_
        test = tests[tests.index(f"Outcome TestF{i}()") :].splitlines()
        assert test[1:4] == [
            f"  const std::vector<{array}> in0 = {{}};  // operand 0",
            f"  const std::vector<{array}> expected = {{}};  // the result",
            f"  std::vector<{array}> out(expected.size());",
        ], type_
        assert (f"f{i}: in[0] is used as" in done.stderr) == (not element), type_
