// What custom calls get and return of elements of less than a byte: they are packed, as XLA:CPU
// packs them (tests/genuine/dumped_programs.py). Everywhere else each has a byte of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/client/executable.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/register.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge::client {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

// Copies as many bytes as the opaque says.
void CopyPacked(void* out, const void** in, const char* opaque, size_t size, XlaCustomCallStatus*) {
  int bytes = 0;
  if (absl::SimpleAtoi(absl::string_view(opaque, size), &bytes) && bytes > 0) {
    memcpy(out, in[0], bytes);
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(CopyPacked, "Host");

// u8[3]: in one place? then what the operand's two bytes are; makes 0xBA 0x0C of them there.
void ChangePacked(void* out, const void** in) {
  void** results = static_cast<void**>(out);
  auto* seen = static_cast<uint8_t*>(results[1]);
  seen[0] = results[0] == in[0] ? 1 : 0;
  memcpy(seen + 1, in[0], 2);
  memcpy(results[0], "\xba\x0c", 2);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(ChangePacked, "Host");

xla::ffi::Error TypedPacked(xla::ffi::AnyBuffer x, xla::ffi::ResultBuffer<xla::ffi::U8> out) {
  if (x.element_type() != xla::ffi::S4 || x.dimensions().size() != 1 || x.dimensions()[0] != 3) {
    return xla::ffi::Error::InvalidArgument("expected s4[3]");
  }
  memcpy(out->typed_data(), x.untyped_data(), 2);
  return xla::ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kTypedPacked, TypedPacked,
    xla::ffi::Ffi::Bind().Arg<xla::ffi::AnyBuffer>().Ret<xla::ffi::Buffer<xla::ffi::U8>>());
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), "TypedPacked", "Host", kTypedPacked);

// What the entry computation of these lines makes of the parameters; results of at most 8 bytes.
absl::StatusOr<std::vector<Bytes>> RunEntry(absl::string_view lines, std::vector<Bytes> parameters,
                                            const std::vector<size_t>& result_sizes) {
  absl::StatusOr<xla::HloModuleProto> module =
      hlo::ReadModule(absl::StrCat("HloModule m\nENTRY e {\n", lines, "\n}\n"));
  if (!module.ok()) return module.status();
  absl::StatusOr<TargetTable> targets = TargetTable::OfProcess();
  if (!targets.ok()) return targets.status();
  absl::StatusOr<std::unique_ptr<Executable>> executable = Executable::Compile(*module, *targets);
  if (!executable.ok()) return executable.status();
  std::vector<callbridge_array> in;
  for (Bytes& parameter : parameters) in.push_back({parameter.data(), parameter.size()});
  std::vector<Bytes> results;
  for (size_t size : result_sizes) results.emplace_back(size, 0x55);
  std::vector<callbridge_array> out;
  for (Bytes& result : results) out.push_back({result.data(), result.size()});
  const absl::Status status = (*executable)->Execute(in, out);
  if (!status.ok()) return status;
  return results;
}

std::string CallOf(absl::string_view result, absl::string_view constraints, size_t bytes) {
  return absl::StrCat(
      "ROOT r = ", result, " custom-call(x), custom_call_target=\"CopyPacked\", ",
      constraints.empty() ? "" : absl::StrCat("operand_layout_constraints={", constraints, "}, "),
      "api_version=API_VERSION_STATUS_RETURNING_UNIFIED, backend_config=\"", bytes, "\"");
}

TEST(PackedElementsTest, OperandsArePackedTheFirstInTheLowestBits) {
  struct Case {
    std::string operand;
    std::string constraint;  // its layout, where the call says it
    Bytes elements;
    Bytes packed;
  };
  for (const Case& each : {
           // Of a parameter's byte the low bits count.
           Case{"s4[5]", "", {0x01, 0xFE, 0x07, 0x08, 0xF5}, {0xE1, 0x87, 0x05}},
           Case{"u4[4]", "", {1, 14, 7, 8}, {0xE1, 0x87}},
           Case{"s2[5]", "", {1, 0xFE, 3, 0, 0xFF}, {0x39, 0x03}},
           Case{"u2[3]", "", {3, 0, 2}, {0x23}},
           Case{"s1[9]", "", {0xFF, 0, 0, 0, 0, 0, 1, 1, 1}, {0xC1, 0x01}},
           Case{"u1[8]", "", {0, 1, 1, 1, 1, 1, 1, 0}, {0x7E}},
           Case{"f4e2m1fn[3]", "", {0xA, 0x1, 0xF}, {0x1A, 0x0F}},
           Case{"s4[]", "", {0xFE}, {0x0E}},
           Case{"s4[0]", "", {}, {}},
           Case{"s4[2,3]", "", {1, 2, 3, 4, 5, 6}, {0x21, 0x43, 0x65}},
           Case{"s4[2,3]", "{1,0}", {1, 2, 3, 4, 5, 6}, {0x21, 0x43, 0x65}},
           Case{"s4[2,3]", "{0,1}", {1, 2, 3, 4, 5, 6}, {0x41, 0x52, 0x63}},
           Case{"s4[3,1]", "{0,1:E(4)}", {1, 2, 3}, {0x21, 0x03}},
           Case{"u2[3,2]", "{0,1:E(2)}", {0, 1, 2, 3, 1, 0}, {0x58, 0x03}},
           // Those of whole bytes are as they were.
           Case{"pred[3]", "", {1, 0, 1}, {1, 0, 1}},
           Case{"f8e5m2[2]", "", {0x7B, 0xFC}, {0x7B, 0xFC}},
       }) {
    const std::string constraint =
        each.constraint.empty() ? "" : absl::StrCat(each.operand, each.constraint);
    const size_t size = each.packed.size();
    const std::string call = CallOf(absl::StrCat("u8[", size, "]"), constraint, size);
    absl::StatusOr<std::vector<Bytes>> seen = RunEntry(
        absl::StrCat("x = ", each.operand, " parameter(0)\n", call), {each.elements}, {size});
    ASSERT_TRUE(seen.ok()) << each.operand << seen.status();
    EXPECT_EQ(seen->at(0), each.packed) << each.operand << each.constraint;
  }
}

// A byte for each, of which the other bits repeat the sign of an integer that has one.
TEST(PackedElementsTest, ResultsAreUnpacked) {
  struct Case {
    std::string result;
    bool constrained;
    Bytes packed;
    Bytes elements;
  };
  for (const Case& each : {
           // What fills up the last byte does not count.
           Case{"s4[5]", false, {0xE1, 0x87, 0xF5}, {0x01, 0xFE, 0x07, 0xF8, 0x05}},
           Case{"u4[3]", false, {0xE1, 0x87}, {1, 14, 7}},
           Case{"s2[5]", false, {0x39, 0x03}, {1, 0xFE, 0xFF, 0, 0xFF}},
           Case{"u2[3]", false, {0x63}, {3, 0, 2}},
           Case{"s1[9]", false, {0xC1, 0xFE}, {0xFF, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0}},
           Case{"u1[8]", false, {0x7E}, {0, 1, 1, 1, 1, 1, 1, 0}},
           Case{"f4e2m1fn[3]", false, {0x1A, 0x0F}, {0xA, 0x1, 0xF}},
           Case{"s4[]", false, {0x1E}, {0xFE}},
           Case{"s4[2,3]{0,1}", true, {0x41, 0x52, 0x63}, {1, 2, 3, 4, 5, 6}},
           Case{"s4[2,3]{0,1:E(4)}", true, {0x41, 0x52, 0x63}, {1, 2, 3, 4, 5, 6}},
           // Not the call's, since it says none.
           Case{"s4[2,3]{0,1}", false, {0x21, 0x43, 0x65}, {1, 2, 3, 4, 5, 6}},
       }) {
    const size_t size = each.packed.size();
    const std::string constraint = absl::StrCat("u8[", size, "]{0}");
    std::string call = CallOf(each.result, each.constrained ? constraint : "", size);
    // The root's layout is the program's.
    call.replace(0, strlen("ROOT r"), "c");
    const std::string shape = each.result.substr(0, each.result.find('{'));
    absl::StatusOr<std::vector<Bytes>> results = RunEntry(
        absl::StrCat("x = u8[", size, "] parameter(0)\n", call, "\nROOT r = ", shape, " copy(c)"),
        {each.packed}, {each.elements.size()});
    ASSERT_TRUE(results.ok()) << each.result << results.status();
    EXPECT_EQ(results->at(0), each.elements) << each.result;
  }
}

TEST(PackedElementsTest, ConstantsAndResultsOfCallsArePackedForTheNext) {
  absl::StatusOr<std::vector<Bytes>> seen = RunEntry(
      "c = s4[3] constant({-8, 7, -1})\n"
      "d = s4[3] custom-call(c), custom_call_target=\"CopyPacked\", "
      "api_version=API_VERSION_STATUS_RETURNING_UNIFIED, backend_config=\"2\"\n"
      "e = s4[2,3] broadcast(d), dimensions={1}\n"
      "x = s4[6] reshape(e)\n" +
          CallOf("u8[3]", "", 3),
      {}, {3});
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->at(0), (Bytes{0x78, 0x8F, 0xF7}));
}

TEST(PackedElementsTest, AnAliasedResultIsInTheOperandsPlace) {
  for (const char* layout : {"", "{0,1}", "{0,1:E(4)}"}) {
    const std::string constraint =
        *layout == 0 ? "" : absl::StrCat(", operand_layout_constraints={s4[3,1]", layout, "}");
    // The parameter itself stays as it is.
    absl::StatusOr<std::vector<Bytes>> results = RunEntry(
        absl::StrCat("x = s4[3,1] parameter(0)\n"
                     "c = (s4[3,1]",
                     layout, ", u8[3]{0}) custom-call(x), custom_call_target=\"ChangePacked\"",
                     constraint,
                     ", output_to_operand_aliasing={{0}: (0, {})}\n"
                     "a = s4[3,1] get-tuple-element(c), index=0\n"
                     "b = u8[3] get-tuple-element(c), index=1\n"
                     "ROOT r = (s4[3,1], u8[3], s4[3,1]) tuple(a, b, x)"),
        {{1, 0xFE, 3}}, {3, 3, 3});
    ASSERT_TRUE(results.ok()) << layout << results.status();
    EXPECT_EQ(results->at(0), (Bytes{0xFA, 0xFB, 0xFC})) << layout;
    EXPECT_EQ(results->at(1), (Bytes{1, 0xE1, 0x03})) << layout;
    EXPECT_EQ(results->at(2), (Bytes{1, 0xFE, 3})) << layout;
  }
}

TEST(PackedElementsTest, TypedHandlersGetThemPackedToo) {
  absl::StatusOr<std::vector<Bytes>> seen = RunEntry(
      "x = s4[3] parameter(0)\n"
      "ROOT r = u8[2] custom-call(x), custom_call_target=\"TypedPacked\", "
      "api_version=API_VERSION_TYPED_FFI",
      {{1, 0xFE, 7}}, {2});
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->at(0), (Bytes{0xE1, 0x07}));
}

// Nobody is given fewer bytes than the elements need, or other ones.
TEST(PackedElementsTest, OtherSizesOfElementsAreRefused) {
  struct Case {
    std::string lines;
    std::string message;
  };
  const std::string copy = CallOf("u8[1]", "", 1);
  for (const Case& each : {
           Case{"ROOT x = s4[5]{0:E(4)} parameter(0)",
                "the embedded runtime has s4 in 8 bits here, and not as s4[5]{0:E(4)}; run the "
                "module on XLA"},
           Case{"ROOT x = f32[4]{0:E(16)} parameter(0)",
                "has f32 in 32 bits here, and not as f32[4]{0:E(16)}"},
           Case{"ROOT x = pred[8]{0:E(1)} parameter(0)", "has pred in 8 bits here"},
           Case{"x = s4[2] constant({1, 2})\nROOT r = s4[2]{0:E(4)} copy(x)",
                "has s4 in 8 bits here, and not as s4[2]{0:E(4)}"},
           Case{"x = s4[2] constant({1, 2})\n" + CallOf("u8[1]", "s4[2]{0:E(8)}", 1),
                "has s4 in 4 bits here, and not as s4[2]{0:E(8)}"},
           Case{"x = u8[2] constant({1, 2})\n" + CallOf("s4[2]{0:E(8)}", "u8[2]{0}", 1),
                "has s4 in 4 bits here, and not as s4[2]{0:E(8)}"},
           Case{"x = f32[2] constant({1, 2})\n" + CallOf("u8[1]", "f32[2]{0:E(16)}", 1),
                "has f32 in 32 bits here, and not as f32[2]{0:E(16)}"},
       }) {
    const absl::Status status = RunEntry(each.lines, {Bytes(16)}, {16}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << each.lines << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.message));
  }
  // What says the size that there is, is taken.
  EXPECT_TRUE(RunEntry("ROOT x = s4[2]{0:E(8)} parameter(0)", {{1, 2}}, {2}).ok());
  EXPECT_TRUE(RunEntry("ROOT x = f32[1]{0:E(32)} parameter(0)", {Bytes(4)}, {4}).ok());
}

}  // namespace
}  // namespace callbridge::client
