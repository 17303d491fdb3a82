// Modules that tests write as HLO text.
#ifndef CALLBRIDGE_TESTS_HLO_PARSED_MODULE_H_
#define CALLBRIDGE_TESTS_HLO_PARSED_MODULE_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"

namespace callbridge::hlo {

// An empty module, and a failure of the test, where the text cannot be read.
inline xla::HloModuleProto Parsed(const std::string& text) {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  return module.ok() ? *std::move(module) : xla::HloModuleProto();
}

// The text of a module that has one computation of these lines.
inline std::string Entry(const std::string& lines) {
  return absl::StrCat("HloModule m\nENTRY e {\n", lines, "\n}\n");
}

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_TESTS_HLO_PARSED_MODULE_H_
