#include "callbridge/loader/target_evidence.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "callbridge/loader/elf_sections.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

TargetEvidence EvidenceOf(const std::string& symbol, absl::string_view platform) {
  return EvidenceOfSymbols({symbol}, platform);
}

TEST(TargetEvidenceTest, ReadsParameters) {
  struct {
    const char* symbol;  // f with the parameters of:
    ApiVersion host;
    ApiVersion gpu;
  } cases[] = {
      // void*, void const**
      {"_Z1fPvPPKv", ApiVersion::kOriginal, ApiVersion::kUnspecified},
      // void*, void**
      {"_Z1fPvPS_", ApiVersion::kOriginal, ApiVersion::kUnspecified},
      // void*, void const* const*
      {"_Z1fPvPKPKv", ApiVersion::kOriginal, ApiVersion::kUnspecified},
      // void*, void const**, XlaCustomCallStatus_*
      {"_Z1fPvPPKvP20XlaCustomCallStatus_", ApiVersion::kStatusReturning, ApiVersion::kUnspecified},
      {"_Z1fPvPS_P20XlaCustomCallStatus_", ApiVersion::kStatusReturning, ApiVersion::kUnspecified},
      {"_Z1fPvPS_P19XlaCustomCallStatus", ApiVersion::kStatusReturning, ApiVersion::kUnspecified},
      // void*, void const**, char const*, unsigned long, XlaCustomCallStatus_*
      {"_Z1fPvPPKvPKcmP20XlaCustomCallStatus_", ApiVersion::kStatusReturningUnified,
       ApiVersion::kUnspecified},
      // void*, void**, char const*, unsigned long, XlaCustomCallStatus_*
      {"_Z1fPvPS_PKcmP20XlaCustomCallStatus_", ApiVersion::kStatusReturningUnified,
       ApiVersion::kStatusReturning},
      // CUstream_st*, void**, char const*, unsigned long
      {"_Z1fP11CUstream_stPPvPKcm", ApiVersion::kUnspecified, ApiVersion::kOriginal},
      {"_Z1fP12ihipStream_tPPvPKcm", ApiVersion::kUnspecified, ApiVersion::kOriginal},
      {"_Z1fP11CUstream_stPPvPKcmP20XlaCustomCallStatus_", ApiVersion::kUnspecified,
       ApiVersion::kStatusReturning},
      // XLA_FFI_CallFrame*
      {"_Z1fP17XLA_FFI_CallFrame", ApiVersion::kTypedFfi, ApiVersion::kTypedFfi},
      // (void), (float), one parameter too few, one too many
      {"_Z1fv", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      {"_Z1ff", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      {"_Z1fPv", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      {"_Z1fPvPPKvi", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      {"_Z1fPvPPKvPKcmP20XlaCustomCallStatus_i", ApiVersion::kUnspecified,
       ApiVersion::kUnspecified},
      // A::operator()(void*, void const**) has a hidden parameter
      {"_ZN1AclEPvPPKv", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      // A function that takes a function: void*, void (*)(void*, void const**)
      {"_Z1fPvPFvS_PPKvE", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      // void (*f<int>(int))(void*, void const**): a function that returns one
      {"_Z1fIiEPFvPvPPKvET_", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      // A stream is a pointer: not an int; the parameters in another order; status on GPU too early
      {"_Z1fiPPvPKcm", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      {"_Z1fP11CUstream_stPPvmPKc", ApiVersion::kUnspecified, ApiVersion::kUnspecified},
      {"_Z1fP11CUstream_stPPvP20XlaCustomCallStatus_", ApiVersion::kUnspecified,
       ApiVersion::kUnspecified},
      // void*, void**, char*, unsigned long, XlaCustomCallStatus*
      {"_Z1fPvPS_PcmP19XlaCustomCallStatus", ApiVersion::kStatusReturningUnified,
       ApiVersion::kStatusReturning},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(EvidenceOf(c.symbol, "Host").api_version, c.host) << c.symbol;
    EXPECT_EQ(EvidenceOf(c.symbol, "cpu").api_version, c.host) << c.symbol;
    EXPECT_EQ(EvidenceOf(c.symbol, "CUDA").api_version, c.gpu) << c.symbol;
    EXPECT_EQ(EvidenceOf(c.symbol, "ROCM").api_version, c.gpu) << c.symbol;
    EXPECT_EQ(EvidenceOf(c.symbol, "TPU").api_version, ApiVersion::kUnspecified) << c.symbol;
  }
}

TEST(TargetEvidenceTest, SeesThroughNames) {
  for (const char* symbol : {
           "_ZL1fPvPPKv",                    // static
           "_ZN12_GLOBAL__N_11fEPvPPKv",     // (anonymous namespace)::f
           "_ZN1a1b1fEPvPPKv",               // a::b::f
           "_Z1fB5cxx11PvPPKv",              // f[abi:cxx11]
           "_Z1fIiEvPvPPKv",                 // void f<int>
           "_ZL1fPvPPKv.lto_priv.0",         // what link-time optimisation calls it
           "_ZZ1gvENUlPvPPKvE_4_FUNES_S2_",  // what a lambda in g() decays to
       }) {
    EXPECT_EQ(EvidenceOf(symbol, "Host").api_version, ApiVersion::kOriginal) << symbol;
  }
}

TEST(TargetEvidenceTest, ShowsItsEvidence) {
  EXPECT_EQ(EvidenceOf("_Z14do_custom_callPvPPKv", "Host").text,
            "symbol do_custom_call(void*, void const**)");
  EXPECT_EQ(EvidenceOf("do_custom_call", "Host").text,
            "symbol do_custom_call has no type (extern \"C\")");
  EXPECT_EQ(EvidenceOf("f", "Host").text, "symbol f has no type (extern \"C\")");
  EXPECT_EQ(EvidenceOf("_Zebra", "Host").text, "symbol _Zebra has no type (extern \"C\")");
  EXPECT_EQ(EvidenceOf("_Z1ff", "Host").text,
            "symbol f(float) is not a custom call that callbridge knows on \"Host\"");
  EXPECT_EQ(EvidenceOf("_Z1fPvPPKv", "TPU").text,
            "symbol f(void*, void const**) is not a custom call that callbridge knows on \"TPU\"");
  EXPECT_EQ(EvidenceOfSymbols({}, "Host").text, "no symbol at its address");
  // Of several names, the first without a type, unless one has a type that is none.
  EXPECT_EQ(EvidenceOfSymbols({"f", "g"}, "Host").text, "symbol f has no type (extern \"C\")");
  EXPECT_EQ(EvidenceOfSymbols({"f", "_Z1gf", "h"}, "Host").text,
            "symbol g(float) is not a custom call that callbridge knows on \"Host\"");
}

// An alias has its own name; folded functions have several types.
TEST(TargetEvidenceTest, WeighsSeveralNames) {
  TargetEvidence alias = EvidenceOfSymbols({"_Z1fPvPPKv", "alias"}, "Host");
  EXPECT_EQ(alias.api_version, ApiVersion::kOriginal);
  EXPECT_EQ(alias.text, "symbol f(void*, void const**)");
  TargetEvidence same = EvidenceOfSymbols({"_Z1fPvPPKv", "_Z1gPvPPKv"}, "Host");
  EXPECT_EQ(same.api_version, ApiVersion::kOriginal);
  TargetEvidence folded =
      EvidenceOfSymbols({"_Z1fPvPPKv", "_Z1gPvPPKvPKcmP20XlaCustomCallStatus_"}, "Host");
  EXPECT_EQ(folded.api_version, ApiVersion::kUnspecified);
  EXPECT_EQ(folded.text,
            "contradictory: symbol f(void*, void const**), symbol g(void*, void const**, char "
            "const*, unsigned long, XlaCustomCallStatus_*)");
}

TEST(FunctionNamesTest, ReadsBothTables) {
  ElfEditor editor("original_linked");
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  // An exported function is in .dynsym, even where sections are gone.
  const uint64_t address = editor.Symbol("c_function").st_value;
  EXPECT_EQ(FunctionNames(*file).At(address), std::vector<std::string>{"c_function"});
  EXPECT_TRUE(FunctionNames(*file).At(address + 1).empty());
  EXPECT_TRUE(FunctionNames(*file).At(0).empty());
  editor.header().e_shoff = 0;
  editor.header().e_shnum = 0;
  absl::StatusOr<ElfFile> without_sections = ElfFile::Parse(editor.bytes);
  ASSERT_TRUE(without_sections.ok()) << without_sections.status();
  EXPECT_EQ(FunctionNames(*without_sections).At(address), std::vector<std::string>{"c_function"});
}

}  // namespace
}  // namespace callbridge
