#include "callbridge/loader/symbol_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

FileSymbol Symbol(absl::string_view name, bool is_defined, bool is_dynamic = true) {
  FileSymbol symbol;
  symbol.name = name;
  symbol.address = 0x1000;
  symbol.is_defined = is_defined;
  symbol.is_dynamic = is_dynamic;
  symbol.is_function = true;
  return symbol;
}
FileSymbol Exported(absl::string_view name) { return Symbol(name, true); }
FileSymbol Imported(absl::string_view name) { return Symbol(name, false); }
FileSymbol Static(absl::string_view name) { return Symbol(name, true, false); }

SymbolFindings FindingsOf(const std::vector<FileSymbol>& symbols, bool is_object_file = false) {
  SymbolFindings findings;
  for (const FileSymbol& symbol : symbols) AddSymbol(symbol, is_object_file, findings);
  return findings;
}

constexpr char kLookup[] =
    "_ZNK3xla24CustomCallTargetRegistry6LookupERKSsS2_";  // const, as no other

TEST(SymbolFindingsTest, KnowsWhatRegisters) {
  const SymbolFindings findings = FindingsOf(
      {Imported("_ZN3xla24CustomCallTargetRegistry6GlobalEv"), Imported(kLookup),
       Imported("callbridge_register_target"), Imported("callbridge_xla_ffi_api"),
       Imported("callbridge_version"), Imported("_ZN3xla10ShapeProto5ClearEv"),
       Imported("XlaCustomCallStatusSetFailure"), Imported("XlaCustomCallStatusSetSuccess"),
       Imported("XlaCustomCallStatusGetMessage")});
  EXPECT_THAT(
      findings.registry,
      ElementsAre(Pair("callbridge_register_target", Place::kImported),
                  Pair("callbridge_xla_ffi_api", Place::kImported),
                  Pair("xla::CustomCallTargetRegistry::Global()", Place::kImported),
                  Pair("xla::CustomCallTargetRegistry::Lookup(std::string const&, std::string "
                       "const&) const",
                       Place::kImported)));
  EXPECT_THAT(findings.status,
              ElementsAre(Pair("XlaCustomCallStatusSetFailure", Place::kImported),
                          Pair("XlaCustomCallStatusSetSuccess", Place::kImported)));
}

TEST(SymbolFindingsTest, TellsWhereAFunctionIs) {
  constexpr char kName[] = "XlaCustomCallStatusSetFailure";
  const auto place = [&](const std::vector<FileSymbol>& symbols, bool is_object_file = false) {
    return FindingsOf(symbols, is_object_file).status.at(kName);
  };
  EXPECT_EQ(place({Imported(kName)}), Place::kImported);
  EXPECT_EQ(place({Exported(kName)}), Place::kExported);
  EXPECT_EQ(place({Static(kName)}), Place::kPrivateCopy);
  EXPECT_EQ(place({Static(kName)}, /*is_object_file=*/true), Place::kExported);
  // An exported one stands in both tables, whichever comes first.
  EXPECT_EQ(place({Static(kName), Exported(kName)}), Place::kExported);
  EXPECT_EQ(place({Exported(kName), Static(kName)}), Place::kExported);
  FileSymbol hidden = Exported(kName);
  hidden.is_hidden = true;
  EXPECT_EQ(place({hidden}), Place::kPrivateCopy);
  FileSymbol local = Exported(kName);
  local.is_local = true;
  EXPECT_EQ(place({local}), Place::kPrivateCopy);
}

TEST(SymbolFindingsTest, SeesTracesOfTheFfi) {
  for (const char* name : {"_ZN3xla3ffi5Error7SuccessEv", "_ZNK3xla3ffi8internal4SomeEv",
                           "_ZTVN3xla3ffi3FfiE", "_Z1fP17XLA_FFI_CallFrame", "XLA_FFI_GetApi"}) {
    EXPECT_TRUE(FindingsOf({Imported(name)}).mentions_typed_ffi) << name;
  }
  for (const char* name : {"_ZN3xla4ffix", "ffi", "_ZN1a3xla3ffi1bE", "_ZTIN3xla3ffi3FfiE"}) {
    EXPECT_FALSE(FindingsOf({Imported(name)}).mentions_typed_ffi) << name;
  }
}

TEST(SymbolFindingsTest, SeesPythonModulesThatPythonFinds) {
  FileSymbol hidden = Exported("PyInit_hidden");
  hidden.is_hidden = true;
  const SymbolFindings findings =
      FindingsOf({Exported("PyInit__lapack"), Imported("PyInit_imported"), Static("PyInit_static"),
                  hidden, Exported("PyInit"), Exported("xPyInit_x")});
  EXPECT_THAT(findings.python_modules, ElementsAre("_lapack"));
}

TEST(SymbolFindingsTest, SeesAStaticCudaRuntime) {
  EXPECT_TRUE(FindingsOf({Static("cudaLaunchKernel")}).has_static_cuda_runtime);
  EXPECT_FALSE(FindingsOf({Imported("cudaLaunchKernel")}).has_static_cuda_runtime);
  EXPECT_FALSE(FindingsOf({Static("cudaLaunchKernelExC")}).has_static_cuda_runtime);
}

TEST(SymbolFindingsTest, ListsExportedFunctionsWithoutAType) {
  FileSymbol variable = Exported("variable");
  variable.is_function = false;
  FileSymbol hidden = Exported("hidden");
  hidden.is_hidden = true;
  const SymbolFindings findings =
      FindingsOf({Exported("function"), Exported("_Z1fv"), Exported("_init"), Static("static"),
                  Imported("imported"), Exported("PyInit_module"), variable, hidden});
  ASSERT_THAT(findings.untyped_functions, ElementsAre(Pair("function", ::testing::_)));
  EXPECT_EQ(findings.untyped_functions.at("function").name, "function");
  EXPECT_EQ(findings.untyped_functions.at("function").address, 0x1000u);
}

TEST(SymbolFindingsTest, WhatIsWeakEverywhereMayStayUndefined) {
  FileSymbol weak = Imported("f");
  weak.is_weak = true;
  EXPECT_THAT(FindingsOf({weak}).undefined, UnorderedElementsAre(Pair("f", true)));
  EXPECT_THAT(FindingsOf({weak, weak}).undefined, UnorderedElementsAre(Pair("f", true)));
  EXPECT_THAT(FindingsOf({weak, Imported("f")}).undefined, UnorderedElementsAre(Pair("f", false)));
  EXPECT_THAT(FindingsOf({Imported("f"), weak}).undefined, UnorderedElementsAre(Pair("f", false)));
  FileSymbol local = Imported("section");
  local.is_local = true;
  EXPECT_THAT(FindingsOf({local}).undefined, IsEmpty());
}

// A linked file's dynamic table says what it imports; an object file has no other than the static.
TEST(SymbolFindingsTest, StaticTablesImportInObjectFilesOnly) {
  const FileSymbol imported = Symbol("f", false, /*is_dynamic=*/false);
  EXPECT_THAT(FindingsOf({imported}).undefined, IsEmpty());
  EXPECT_TRUE(FindingsOf({imported}).has_static_symbols);
  EXPECT_THAT(FindingsOf({imported}, /*is_object_file=*/true).undefined,
              UnorderedElementsAre(Pair("f", false)));
  EXPECT_THAT(FindingsOf({Static("f")}, /*is_object_file=*/true).defined,
              UnorderedElementsAre("f"));
  EXPECT_THAT(FindingsOf({Exported("f")}).defined, IsEmpty());
  EXPECT_FALSE(FindingsOf({Exported("f")}).has_static_symbols);
}

// A function that stands in both tables is one, and exported.
TEST(SymbolFindingsTest, TheDynamicSymbolOfAFunctionCounts) {
  FileSymbol in_both = Static("_Z1fPvPPKv");
  in_both.is_hidden = true;
  for (const auto& symbols : {std::vector<FileSymbol>{in_both, Exported("_Z1fPvPPKv")},
                              std::vector<FileSymbol>{Exported("_Z1fPvPPKv"), in_both}}) {
    const SymbolFindings findings = FindingsOf(symbols);
    ASSERT_EQ(findings.functions.size(), 1u);
    EXPECT_TRUE(findings.functions.begin()->second.is_exported);
  }
  EXPECT_THAT(FindingsOf({Imported("_Z1fPvPPKv")}).functions, IsEmpty());
}

StringAbi Of(std::initializer_list<const char*> symbols) {
  absl::flat_hash_map<std::string, bool> undefined;
  for (const char* symbol : symbols) undefined.emplace(symbol, false);
  return StringAbiOf(undefined);
}

TEST(StringAbiTest, TellsByImportedNames) {
  const char* new_one =
      "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  const char* old_one = "_ZNSt13runtime_errorC1ERKSs";
  EXPECT_EQ(Of({}), StringAbi::kNotSeen);
  EXPECT_EQ(Of({"malloc", "_ZdlPv", "_Z13ProcessSsClassv", "Ss"}), StringAbi::kNotSeen);
  EXPECT_EQ(Of({"malloc", new_one}), StringAbi::kNew);
  EXPECT_EQ(Of({"malloc", old_one}), StringAbi::kOld);
  EXPECT_EQ(Of({"_ZNSs6appendEPKcm"}), StringAbi::kOld);
  EXPECT_EQ(Of({"_ZNSsC1EPKcRKSaIcE"}), StringAbi::kOld);  // shown as std::basic_string<...>
  EXPECT_EQ(Of({new_one, old_one}), StringAbi::kBoth);
}

TEST(StringAbiTest, HasNames) {
  EXPECT_EQ(StringAbiName(StringAbi::kNotSeen), "not_seen");
  EXPECT_EQ(StringAbiName(StringAbi::kNew), "new");
  EXPECT_EQ(StringAbiName(StringAbi::kOld), "old");
  EXPECT_EQ(StringAbiName(StringAbi::kBoth), "both");
}

}  // namespace
}  // namespace callbridge
