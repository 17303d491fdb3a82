#include "callbridge/loader/missing_parts.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

MissingParts MissingIn(const std::string& path) {
  absl::StatusOr<MissingParts> missing = FindMissingParts(path);
  if (!missing.ok()) throw std::runtime_error(missing.status().ToString());
  return *std::move(missing);
}

TEST(MissingPartsTest, NothingIsMissing) {
  const MissingParts missing = MissingIn("/lib/x86_64-linux-gnu/libstdc++.so.6");
  EXPECT_THAT(missing.libraries, IsEmpty());
  EXPECT_THAT(missing.symbols, IsEmpty());
  EXPECT_EQ(DescribeMissingParts(missing), "");
}

// The file itself, not callbridge's copy: it lacks the registry, too.
TEST(MissingPartsTest, ListsAllSymbolsButWeakOnes) {
  const MissingParts missing = MissingIn(OldBinary("missing_symbols"));
  EXPECT_THAT(missing.libraries, IsEmpty());
  EXPECT_THAT(missing.symbols, Contains("_ZN4lost5Model3RunEPKfi"));
  EXPECT_THAT(missing.symbols, Contains("_ZN4lost7versionE"));
  EXPECT_THAT(missing.symbols, Contains("function_of_a_lost_library"));
  EXPECT_THAT(missing.symbols, Contains("_ZN3xla24CustomCallTargetRegistry6GlobalEv"));
  EXPECT_THAT(missing.symbols, Not(Contains("optional_function")));
}

// Without the library, which of the symbols are its is not known.
TEST(MissingPartsTest, ListsLibrariesAlone) {
  const MissingParts missing = MissingIn(OldBinary("original_linked"));
  EXPECT_THAT(missing.libraries, ::testing::ElementsAre("libtensorflow_cc.so.2"));
  EXPECT_THAT(missing.symbols, IsEmpty());
}

TEST(MissingPartsTest, Descriptions) {
  EXPECT_EQ(DescribeMissingParts({{}, {"_Z1fi", "g"}}), "undefined symbols: f(int), g");
  EXPECT_EQ(DescribeMissingParts({{}, {"g"}}), "undefined symbol: g");
  EXPECT_THAT(DescribeMissingParts({{"liba.so", "libb.so"}, {}}),
              HasSubstr("libraries that are not found: liba.so, libb.so (add"));
  EXPECT_EQ(DescribeMissingParts({{}, {}}), "");
  MissingParts many;
  for (int i = 0; i < 100; ++i) many.symbols.push_back("f" + std::to_string(i));
  EXPECT_THAT(DescribeMissingParts(many), ::testing::EndsWith(", f99"));
  many.symbols.push_back("f100");
  EXPECT_THAT(DescribeMissingParts(many), ::testing::EndsWith(", f99 and 1 more"));
}

// ld.so's trace knows nothing of what this process has opened.
TEST(MissingPartsTest, WhatIsLoadedIsNotMissing) {
  const std::string alone = ::testing::TempDir() + "/missing_parts_alone.so";
  std::filesystem::copy_file(OldBinary("beside_runpath"), alone,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(MissingIn(alone).libraries, ::testing::ElementsAre("libbeside.so"));
  void* beside = dlopen(OldBinary("libbeside").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(beside, nullptr) << dlerror();
  EXPECT_THAT(MissingIn(alone).libraries, IsEmpty());
  dlclose(beside);
  EXPECT_THAT(MissingIn(alone).libraries, ::testing::ElementsAre("libbeside.so"));
  std::filesystem::remove(alone);
}

}  // namespace
}  // namespace callbridge
