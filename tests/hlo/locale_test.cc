// Numbers are written and read alike whatever locale the process has set: setlocale(LC_ALL, "") in
// a German user's program makes a comma of C's decimal point.
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <string>

#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/stablehlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;
using ::xla::LiteralUtil;

// Writes 1234,5 as 1.234,5, for C and for C++ streams.
class LocaleWithComma : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = ::testing::TempDir() + "locale_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/comma.txt")
        << "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
           "grouping 3;3\nEND LC_NUMERIC\n";
    // Other categories are missing, of which it warns, and which makes its status 1.
    const std::string command = "cd '" + folder +
                                "' && localedef -c --no-archive -i comma.txt ./comma 2>warnings; "
                                "test -e comma/LC_NUMERIC";
    ASSERT_EQ(std::system(command.c_str()), 0);
    setenv("LOCPATH", folder.c_str(), /*overwrite=*/1);
    ASSERT_NE(std::setlocale(LC_NUMERIC, "comma"), nullptr);
    ASSERT_STREQ(std::localeconv()->decimal_point, ",");
    class Comma : public std::numpunct<char> {
      char do_decimal_point() const override { return ','; }
      char do_thousands_sep() const override { return '.'; }
      std::string do_grouping() const override { return "\3"; }
    };
    std::locale::global(std::locale(std::locale::classic(), new Comma));
  }

  void TearDown() override {
    std::setlocale(LC_NUMERIC, "C");
    std::locale::global(std::locale::classic());
  }
};

TEST_F(LocaleWithComma, Literals) {
  EXPECT_EQ(LiteralUtil::CreateR1<float>({0.1F, 1234.5F, 16777217.0F}).ToString(),
            "f32[3] {0.1, 1234.5, 16777216}");
  EXPECT_EQ(LiteralUtil::CreateR1<double>({0.1, 1e-300}).ToString(), "f64[2] {0.1, 1e-300}");
  EXPECT_EQ(LiteralUtil::CreateR0<xla::bfloat16>(xla::bfloat16(1.5F)).ToString(), "bf16[] 1.5");
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({1234567}).ToString(), "s32[1] {1234567}");
}

TEST_F(LocaleWithComma, Modules) {
  const auto module = callbridge::hlo::ParseHloText(R"(HloModule m

ENTRY e {
  a = f32[2]{0} constant({0.1, 1234.5})
  b = f64[] constant(1e-300)
  c = bf16[] constant(1.5)
  ROOT t = (f32[2]{0}, f64[], bf16[]) tuple(a, b, c)
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto text = callbridge::hlo::PrintHloText(*module);
  ASSERT_TRUE(text.ok()) << text.status();
  for (const char* number : {"constant({0.1, 1234.5})", "constant(1e-300)", "constant(1.5)"}) {
    EXPECT_THAT(*text, HasSubstr(number));
  }
  const auto mlir = callbridge::hlo::PrintStableHloText(*module);
  ASSERT_TRUE(mlir.ok()) << mlir.status();
  for (const char* number : {"0.1, 1234.5", "1.0e-300", "dense<1.5>"}) {
    EXPECT_THAT(*mlir, HasSubstr(number));
  }
}

}  // namespace
