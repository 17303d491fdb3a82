"""The test that goes beside a source: it has the arrays of each signature, and does not pass until
they are filled in."""

import shutil

import migrate_command
import pytest

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

SOURCE = """\
#include <complex>
#include <cstdint>

#include "kernels.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"
#define REGISTER(function) XLA_REGISTER_CUSTOM_CALL_TARGET(function, "Host")

void halves(void* out_tuple, const void** in) {
  void** out = static_cast<void**>(out_tuple);
  const double* x = static_cast<const double*>(in[0]);
  for (int i = 0; i < 3; ++i) {
    static_cast<double*>(out[0])[i] = x[i] / 2;
    reinterpret_cast<double*>(out[1])[i] = x[i] / 4;
  }
}
REGISTER(halves);

template <typename T>
void split(void* out_tuple, const void** in) {
  const int32_t n = *reinterpret_cast<const int32_t*>(in[0]);
  const T* x = reinterpret_cast<const T*>(in[2]);
  auto out = reinterpret_cast<void**>(out_tuple);
  bool* positive = reinterpret_cast<bool*>(out[0]);
  std::complex<T>* pairs = reinterpret_cast<std::complex<T>*>(out[1]);
  uint16_t* counts = reinterpret_cast<uint16_t*>(out[2]);
  for (int i = 0; i < n; ++i) {
    positive[i] = x[i] > 0;
    pairs[i] = {x[i], 1};
    counts[i] = 7 * i;
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("split.f32", split<float>);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("split.f64", split<double>);

REGISTER(in_a_header);

void subtract(void* out, const void** in, const char* opaque, size_t opaque_len,
              XlaCustomCallStatus* status) {
  if (opaque_len == 0) return XlaCustomCallStatusSetFailure(status, "no opaque", 9);
  for (size_t i = 0; i < opaque_len; ++i)
    static_cast<int8_t*>(out)[i] = static_cast<const uint8_t*>(in[0])[i] - opaque[i];
}
REGISTER(subtract);

void one(void* out, const void** in) {
  void** table = static_cast<void**>(out);
  static_cast<int64_t*>(table[0])[0] = static_cast<const int64_t*>(in[0])[0] + 1;
}
REGISTER(one);

void nested(void* out, const void** in) {
  void** table = static_cast<void**>(out);
  void** inner = static_cast<void**>(table[1]);
  const float x = *static_cast<const float*>(in[0]);
  static_cast<float*>(table[0])[0] = x;
  static_cast<float*>(inner[0])[0] = -x;
}
REGISTER(nested);

void sum(void* out, const void** in) {
  float sum = 0;
  for (int i = 0; i < 2; ++i) sum += *static_cast<const float*>(in[i]);
  *static_cast<float*>(out) = sum;
}
REGISTER(sum);

void log_it(void*, const void** in) {
  static int logged = 0;
  logged += *static_cast<const int*>(in[0]);
}
REGISTER(log_it);
"""
HEADER = """\
inline void in_a_header(void* out, const void** in) {
  const unsigned char* flags = (const unsigned char*)in[0];
  float** tables = (float**)out;
  tables[0][0] = flags[0];
  *tables[1] = 3;
}
"""

# By handler, the lines that a human fills in. Of some not all, which must not run: a result that is
# not filled in has no memory to write to.
SPLIT = {
    **{"in0": "2", "in1": "0", "in2": "-1, 2"},
    **{"expected0": "0, 1", "expected1": "{-1, 1}, {2, 1}", "expected2": "0, 7"},
}
FILLED = {
    "Halves": {"in0": "1, 2, 3", "expected0": ".5, 1, 1.5", "expected1": ".25, .5, .75"},
    "SplitFloat": SPLIT,
    "SplitDouble": {**SPLIT, "in1": "", "expected2": ""},
    "InAHeader": {"in0": "5", "expected0": "5", "expected1": "3"},
    "Subtract": {"in0": "5, 6", "expected": "3, 3"},
    "One": {"in0": "1", "expected": "2"},
    "Nested": {"in0": "1", "expected0": "1", "expected1": "-1"},
    "LogIt": {"in0": "1", "expected": "0"},
}
NOT_FILLED_IN = {"SplitDouble", "Sum", "LogIt"}


def filled(text, handler, values):
    """With the values in the arrays of the test of a handler, each of which it has."""
    start = text.index(f"Outcome Test{handler}() {{")
    end = text.index("\n}\n", start)
    function = text[start:end]
    for name, value in values.items():
        assert function.count(f"> {name} = {{}};") == 1, (name, function)
        function = function.replace(f"> {name} = {{}};", f"> {name} = {{{value}}};")
    return text[:start] + function + text[end:]


def test_they_fit_their_functions_and_pass_only_when_filled_in(tmp_path):
    (tmp_path / "a.cc").write_text(SOURCE)
    (tmp_path / "kernels.h").write_text(HEADER)
    decisions = migrate_command.write(tmp_path, "a.cc")
    says = "writes a tuple of one result, or one in a tuple"
    assert [one.split()[1] for one in decisions if says in one] == ["one", "nested"]
    assert not any("writes a table of results" in one for one in decisions)

    # Their shapes are written by hand; a second run adds their tests.
    shapes = {"One, one": "s64[1] -> (s64[1])", "Nested, nested": "f32[1] -> (f32[1],(f32[1]))"}
    with open(tmp_path / "a.cc", "a") as source:
        for function, shape in shapes.items():
            options = f'callbridge::ExportOptions().Shapes("{shape}")'
            source.write(f"CALLBRIDGE_EXPORT({function}, {options});\n")
    migrate_command.write(tmp_path, "a.cc")
    test = tmp_path / "a_handlers_test.cc"
    text = test.read_text()
    assert "What it takes is not seen: the index i of a table is not a constant." in text
    assert text.count("What it takes is not seen: nothing tells what its result is") == 1
    for handler, values in FILLED.items():
        text = filled(text, handler, values)
    text = text.replace('opaque = ""', 'opaque = "\\2\\3"')
    test.write_text(text)
    lines, status = migrate_command.run_tests(tmp_path, "a.cc", test)
    assert dict(line.split(": ") for line in lines) == {
        **{handler: "passed" for handler in FILLED},
        **{handler: "not filled in" for handler in NOT_FILLED_IN},
    }
    assert status == migrate_command.NOT_FILLED_IN
