#include "callbridge/mindspore_aot/source_compiler.h"

#include <string>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

TEST(SourceCompilerTest, MarkersAndEmptyLinesAreNoCode) {
  EXPECT_EQ(
      CodeOf("# 1 \"add.cc\"\n# 31 \"<command-line>\" 2\n\nint a;\n\n# 7 \"add.h\" 1 3 4\nint b;"),
      "int a;\nint b;\n");
  EXPECT_EQ(CodeOf(""), "");
  // Lines of code that begin alike.
  EXPECT_EQ(CodeOf("#pragma once\n# pragma pack(1)\n #1\n#1\n#\n# \n"),
            "#pragma once\n# pragma pack(1)\n #1\n#1\n#\n# \n");
}

TEST(SourceCompilerTest, WhereCodeDependsOnLinesAllCounts) {
  for (const char* code :
       {"int a = __builtin_LINE();", "auto f = __builtin_FILE();", "f(__builtin_COLUMN());",
        "g(__builtin_source_location());", "auto s = R\"(\n# 1 \"x\"\n)\";", "u8R\"x(\n\n)x\""}) {
    const std::string text = std::string("# 1 \"add.cc\"\n\n") + code + "\n";
    EXPECT_EQ(CodeOf(text), text);
  }
}

TEST(SourceCompilerTest, TheSuffixSaysWhichCompilerItIs) {
  EXPECT_TRUE(SourceCompiler("a.cu", absl::Seconds(9)).IsForCuda());
  EXPECT_FALSE(SourceCompiler("a.cu.cc", absl::Seconds(9)).IsForCuda());
  EXPECT_EQ(SourceCompiler("a.cpp", absl::Seconds(9)).Passes().size(), 1);
  EXPECT_EQ(SourceCompiler("a.cu", absl::Seconds(9)).Passes().size(), 2);
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
