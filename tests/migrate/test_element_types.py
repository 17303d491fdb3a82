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
void copy(void* out, const void** in) {
  void** results = static_cast<void**>(out);
BODY}
XLA_REGISTER_CUSTOM_CALL_TARGET(copy, "Host");
"""


def test_the_buffers_and_arrays_of_each_type(tmp_path):
    body = "".join(
        f"  const {type_}* x{i} = static_cast<const {type_}*>(in[{i}]);\n"
        f"  static_cast<{type_}*>(results[{i}])[0] = x{i}[1];\n"
        for i, type_ in enumerate(TYPES)
    )
    (tmp_path / "a.cc").write_text(SOURCE.replace("BODY", body))
    done = migrate_command.here(tmp_path, "--rewrite", "--write", "a.cc")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "a.cc").read_text()
    head, body = re.search(r"ffi::Error copy\((.*?)\) {\n(.*?)  return ", text, re.DOTALL).groups()
    parameters, lines = " ".join(head.split()).split(", "), body.splitlines()
    arrays = (tmp_path / "a_handlers_test.cc").read_text().splitlines()
    for i, (type_, (element, array)) in enumerate(TYPES.items()):
        buffer = f"ffi::Buffer<ffi::{element}>" if element else "ffi::AnyBuffer"
        assert parameters[i] == f"{buffer} in{i}", type_
        assert parameters[len(TYPES) + i] == f"ffi::Result<{buffer}> out{i}", type_
        operand, result = f"in{i}.typed_data()", f"out{i}->typed_data()"
        if not element or "long long" in type_:
            operand = f"static_cast<const {type_}*>(in{i}.untyped_data())"
            result = f"static_cast<{type_}*>(out{i}->untyped_data())"
        assert lines[2 * i] == f"  const {type_}* x{i} = {operand};"
        assert lines[2 * i + 1] == f"  {result}[0] = x{i}[1];"
        assert f"  const std::vector<{array}> in{i} = {{}};  // operand {i}" in arrays
        assert f"  const std::vector<{array}> expected{i} = {{}};  // result {i}" in arrays
        assert f"  std::vector<{array}> out{i}(expected{i}.size());" in arrays
        assert (f"copy: in[{i}] is used as" in done.stderr) == (not element), type_
