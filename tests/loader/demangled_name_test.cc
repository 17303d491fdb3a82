#include "callbridge/loader/demangled_name.h"

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/target_evidence.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/processor_time.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

// "S_", "S0_", ... "S9_", "SA_".
std::string Substitution(int number) {
  if (number == 0) return "S_";
  return absl::StrCat("S", std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number - 1]), "_");
}

// a<a, a>, then a of two of those, and so on.
std::string Doubled(int levels) {
  std::string type = "1a";
  for (int i = 0; i < levels; ++i) {
    absl::StrAppend(&type, "S_I", Substitution(i), Substitution(i), "E");
  }
  return type;
}

std::string Repeated(absl::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all.append(text.data(), text.size());
  return all;
}

// The address of a template function as an argument of another, and so on; each names its arguments
// `uses` times.
std::string NestedFunctions(int levels, absl::string_view uses) {
  std::string name = absl::StrCat("_Z1gIiEv", uses);
  for (int i = 0; i < levels; ++i) name = absl::StrCat("_Z1gIXadL", name, "EEEv", uses);
  return name;
}

TEST(DemangledNameTest, ReadableNames) {
  EXPECT_EQ(Demangled("_Z1fi"), "f(int)");
  EXPECT_EQ(Demangled("f"), "");
  EXPECT_EQ(ReadableName("_Z1fRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
            "f(std::string const&)");
  EXPECT_EQ(ReadableName("_Z"), "_Z");
}

TEST(DemangledNameTest, LongNamesOfGenuineLibraries) {
  // Of libtensorflow_cc.so.2 and of libstdc++.
  for (const char* symbol :
       {"_ZN10tensorflow7functor12StridedSliceIN5Eigen16ThreadPoolDeviceES3_Li4EEclERKS3_NS2_"
        "9TensorMapINS2_6TensorIS3_Li4ELi1ElEELi16ENS2_11MakePointerEEENS6_INS7_IKS3_Li4ELi1ElEE"
        "Li16ES9_EERKNS2_6DSizesIlLi4EEESH_SH_",
        "_ZN4llvm12DenseMapBaseINS_8DenseMapINS_14PointerIntPairIPKNS_5ValueELj1EbEEvEES5_vE5eraseE"
        "RKS5_",
        "_ZSt11make_uniqueIN3foo3barEJRKNS0_3bazEiEENSt9_MakeUniqIT_E15__single_objectEDpOT0_",
        "_ZZN3foo3runIiEEvT_ENKUlS1_E_clEi"}) {
    EXPECT_TRUE(IsCheapToDemangle(symbol)) << symbol;
  }
  EXPECT_EQ(ReadableName("_ZSt4swapISt6vectorIiSaIiEEEvRT_S4_"),
            "void std::swap<std::vector<int, std::allocator<int> > >(std::vector<int, "
            "std::allocator<int> >&, std::vector<int, std::allocator<int> >&)");
}

// Each stands for gigabytes, or keeps the demangler busy for ever while it writes little.
TEST(DemangledNameTest, HostileNamesAreShownAsTheyAre) {
  const std::string pack = "JiiiiiiiiiiE";
  const std::vector<std::string> names = {
      absl::StrCat("_Z1f", Doubled(30)),
      absl::StrCat("_Z1fI", Doubled(12), "EvT_", Repeated("T_", 400)),
      absl::StrCat("_Z1fI", pack, "Ev", Repeated("Dp1aIT_", 40), Repeated("E", 40)),
      absl::StrCat("_Z1fIJEEvDp", Doubled(35)),  // prints nothing
      NestedFunctions(30, Repeated("T_", 5)),
      NestedFunctions(20, "T_T_DpT_"),
      "_Z1fIXsr1aC",  // 11 bytes, for ever
      absl::StrCat("_Z", Repeated("3foo", 5), std::string(1 << 17, 'P'), "i"),
  };
  for (const std::string& name : names) {
    const auto start = ProcessorTime();
    EXPECT_EQ(ReadableName(name), name);
    EXPECT_LT(ProcessorTime() - start, std::chrono::seconds(1)) << name;
    EXPECT_THAT(EvidenceOfSymbols({name}, "Host").text, HasSubstr("too costly to demangle"));
  }
}

// Text that looks like a substitution, or hides one: taken at its word it would make others cheap.
TEST(DemangledNameTest, NamesThatMaySplitInAnotherWay) {
  for (const char* name :
       {"_Z1fI1aLiSZ_EE", "_Z1fA9_S_S_S_S_S_S_", "_Z1fA3_3abS9_xyz", "_Z1f1aC3S9_",
        "_Z1fA88_cIXsr1aC", "_Z1fIL3fooS9_EE", "_Z1fIL3fooNS9_EEE", "_Z1fILi"}) {
    EXPECT_FALSE(IsCheapToDemangle(name)) << name;
  }
  for (const char* name : {"_Z1fILi5EEvT_", "_Z1fA3_i", "_ZN1aC1ERKS_", "_ZL3fooRKN1a1bES1_",
                           "_ZN9__gnu_cxx3fooELNS_1bE2E", "_ZThn16_N9grpc_impl1fEv"}) {
    EXPECT_TRUE(IsCheapToDemangle(name)) << name;
  }
}

TEST(DemangledNameTest, NamesThatAreTooLongAreNotShown) {
  const auto doubled = [](int levels) {
    std::string name = absl::StrCat("_Z1f300", std::string(300, 'a'));
    for (int i = 0; i < levels; ++i) {
      absl::StrAppend(&name, "S_I", Substitution(i), Substitution(i), "E");
    }
    return name;
  };
  ASSERT_TRUE(IsCheapToDemangle(doubled(6)));
  EXPECT_EQ(Demangled(doubled(6)), "");
  EXPECT_GT(Demangled(doubled(4)).size(), 10'000u);
}

// The demangler recurses, so that the stack limits what it is given.
TEST(DemangledNameTest, NamesHaveAtMost64KiB) {
  const std::string longest = "_Z1f" + std::string((1 << 16) - 4, 'i');
  EXPECT_TRUE(IsCheapToDemangle(longest));
  EXPECT_FALSE(IsCheapToDemangle(longest + "i"));
}

// The largest of each family that is demangled.
TEST(DemangledNameTest, WhatIsDemangledIsCheap) {
  for (int i = 0; i < 36; ++i) {
    const std::string uses = Repeated("T_", i);
    for (const std::string& name :
         {absl::StrCat("_Z1f", Doubled(i)), absl::StrCat("_Z1fI", Doubled(i), "Ev", uses),
          absl::StrCat("_Z1fIJiiiiiiEEv", Repeated("Dp1aIT_", i), Repeated("E", i)),
          NestedFunctions(i, "T_"), NestedFunctions(2, uses), NestedFunctions(1, uses)}) {
      const auto start = ProcessorTime();
      EXPECT_LE(Demangled(name).size(), 1u << 16);
      EXPECT_LT(ProcessorTime() - start, std::chrono::milliseconds(500)) << name;
    }
  }
}

TEST(DemangledNameTest, SurvivesNoise) {
  for (const char* name :
       {"_Z", "_ZS", "_ZS_", "_ZSZZZZZZZZZZZZZZZZZZZZZZZZ_", "_ZT_", "_Z99999999999999999999a",
        "_ZEEEEE", "_ZIJE", "_Z0", "_Z1fDp", "_Z1fS1_S0_S_", "_Z4\xff\xff\xff\xff"}) {
    EXPECT_FALSE(ReadableName(name).empty());
  }
}

}  // namespace
}  // namespace callbridge
