#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/loader/inspected_file.h"
#include "callbridge/loader/inspection_json.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/c_api/error_text.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

nlohmann::json Parsed(char* text) {
  const std::string copy = text;
  callbridge_bytes_free(text);
  EXPECT_EQ(copy.find('\n'), std::string::npos);
  return nlohmann::json::parse(copy);
}

std::string OldBinary(const std::string& name) {
  return absl::StrCat(OLD_BINARIES, "/", name, ".so");
}

TEST(InspectionTest, ProbesFunctions) {
  // The test holds callbridge itself, whose functions cannot be asked from outside, but in a fork.
  int32_t verdict = -1;
  char* evidence = nullptr;
  ASSERT_EQ(
      callbridge_probe_typed(reinterpret_cast<void*>(&callbridge_version), &verdict, &evidence),
      nullptr);
  EXPECT_EQ(verdict, CALLBRIDGE_PROBE_UNVERIFIED);
  EXPECT_STREQ(evidence,
               "it is in the file that callbridge is in; in a fork of this process: returned "
               "without an answer, which proves nothing");
  callbridge_bytes_free(evidence);
  ASSERT_EQ(callbridge_probe_typed(&verdict, &verdict, nullptr), nullptr);
  EXPECT_EQ(verdict, CALLBRIDGE_PROBE_NOT_TYPED);  // there is no code
}

TEST(InspectionTest, TellsWhatTheCommandDoes) {
  for (const char* name : {"original_linked", "probed", "missing_symbol", "other_machine"}) {
    const std::string path = OldBinary(name);
    char* json = nullptr;
    ASSERT_EQ(ErrorText(callbridge_inspect(path.c_str(), 0, &json)), "OK");
    const nlohmann::json file = Parsed(json);
    const auto expected = InspectFile(path, /*probes=*/false);
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_EQ(nlohmann::json::array({file}), nlohmann::json::parse(JsonOf({*expected})));
    EXPECT_EQ(file["file"], path);
    EXPECT_THAT(file["probed"], ElementsAre());
  }
}

TEST(InspectionTest, AsksFunctionsOnlyIfItIsTo) {
  setenv("CALLBRIDGE_PROBE", PROBE_PROGRAM, /*overwrite=*/1);
  const std::string path = OldBinary("threaded_handlers");
  for (const int32_t probes : {0, 1, -1}) {
    char* json = nullptr;
    ASSERT_EQ(ErrorText(callbridge_inspect(path.c_str(), probes, &json)), "OK");
    const nlohmann::json probed = Parsed(json)["probed"];
    ASSERT_EQ(probed.size(), probes == 0 ? 0U : 1U);
    if (probes == 0) continue;
    EXPECT_EQ(probed[0]["symbol"], "halve_handler");
    EXPECT_EQ(probed[0]["verdict"], "typed");
  }
}

TEST(InspectionTest, ErrorsNameTheFile) {
  char* json = nullptr;
  EXPECT_THAT(ErrorText(callbridge_inspect("/no/such/file.so", 0, &json)),
              StartsWith("NOT_FOUND: /no/such/file.so: "));
  EXPECT_THAT(ErrorText(callbridge_inspect(EXPORTED_SYMBOLS, 0, &json)),
              StartsWith(absl::StrCat("INVALID_ARGUMENT: ", EXPORTED_SYMBOLS, ": is text: ")));
  EXPECT_THAT(ErrorText(callbridge_inspect("/no/such/operator.so:Add", 0, &json)),
              StartsWith("NOT_FOUND: /no/such/operator.so:Add: "));
  EXPECT_EQ(json, nullptr);
}

TEST(InspectionTest, RuntimeVersionsAreThoseOfTheTable) {
  char* json = nullptr;
  ASSERT_EQ(ErrorText(callbridge_ffi_runtime_versions(&json)), "OK");
  const nlohmann::json rows = Parsed(json);
  ASSERT_EQ(rows.size(), typed_ffi::kRuntimeVersionCount);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["releases"], typed_ffi::kRuntimeVersions[i].releases);
    EXPECT_EQ(rows[i]["minor"], typed_ffi::kRuntimeVersions[i].minor);
    ASSERT_EQ(rows[i]["accepts"].size(), rows.size());
    ASSERT_EQ(rows[i]["keeps_state"].size(), rows.size());
    EXPECT_EQ(rows[i]["accepts"][i], true);
    EXPECT_EQ(rows[i]["keeps_state"][i], true);
  }
  EXPECT_EQ(rows.front()["has_metadata"], false);
  EXPECT_EQ(rows.back()["has_metadata"], true);
  // The oldest handlers are registered by their own releases alone.
  EXPECT_EQ(rows.back()["accepts"].front(), false);
}

}  // namespace
}  // namespace callbridge
