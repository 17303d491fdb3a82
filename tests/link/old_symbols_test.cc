// The functions that old object files are bound to, each under its name.
#include "callbridge/adapters/link/old_symbols.h"

#include <map>
#include <string>

#include "callbridge/legacy/registry_functions.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

std::map<std::string, void*> Symbols() {
  std::map<std::string, void*> symbols;
  for (const OldSymbol& symbol : OldSymbols()) {
    EXPECT_TRUE(symbols.emplace(symbol.name, symbol.address).second) << symbol.name;
  }
  return symbols;
}

template <typename Function>
Function* Find(const std::string& name) {
  void* const address = Symbols()[name];
  EXPECT_NE(address, nullptr) << name;
  return reinterpret_cast<Function*>(address);
}

constexpr char kGlobal[] = "_ZN3xla24CustomCallTargetRegistry6GlobalEv";
constexpr char kRegister[] =
    "_ZN3xla24CustomCallTargetRegistry8RegisterERKNSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcE"
    "EEPvS8_";
constexpr char kLookup[] =
    "_ZNK3xla24CustomCallTargetRegistry6LookupERKNSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcEE"
    "ES8_";
constexpr char kRegisterOld[] = "_ZN3xla24CustomCallTargetRegistry8RegisterERKSsPvS2_";
constexpr char kLookupOld[] = "_ZNK3xla24CustomCallTargetRegistry6LookupERKSsS2_";

TEST(OldSymbolsTest, AreThese) {
  std::vector<std::string> names;
  for (const auto& [name, address] : Symbols()) names.push_back(name);
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         kGlobal, kRegister, kLookup, kRegisterOld, kLookupOld,
                         "XlaCustomCallStatusSetSuccess", "XlaCustomCallStatusSetFailure",
                         "callbridge_register_target", "callbridge_lookup_target",
                         "callbridge_visit_targets", "callbridge_xla_ffi_api"));
}

TEST(OldSymbolsTest, TheRegistrysFunctions) {
  void* const registry = Find<void*()>(kGlobal)();
  EXPECT_EQ(registry, &TargetRegistry::Global());
  int target = 0;
  auto* const register_target =
      Find<void(void*, const std::string&, void*, const std::string&)>(kRegister);
  auto* const lookup = Find<void*(const void*, const std::string&, const std::string&)>(kLookup);
  register_target(registry, "old_symbols_test", &target, "ROCM");
  EXPECT_EQ(lookup(registry, "old_symbols_test", "ROCM"), &target);
  EXPECT_EQ(lookup(registry, "ROCM", "old_symbols_test"), nullptr);
}

// A string of the old ABI is a pointer to characters behind their size, capacity and references.
struct OldString {
  explicit OldString(const char* text) {
    size = std::char_traits<char>::length(text);
    std::char_traits<char>::copy(text_, text, size + 1);
  }
  size_t size;
  size_t capacity = 31;
  int references = 0;
  alignas(void*) char text_[32];
  const char* data = text_;
};

TEST(OldSymbolsTest, TheRegistrysFunctionsForOldStrings) {
  void* const registry = Find<void*()>(kGlobal)();
  int target = 0;
  const OldString name("old_strings"), platform("CUDA");
  Find<void(void*, const void*, void*, const void*)>(kRegisterOld)(registry, &name.data, &target,
                                                                   &platform.data);
  EXPECT_EQ(TargetRegistry::Global().Lookup("old_strings", "CUDA"), &target);
  auto* const lookup = Find<void*(const void*, const void*, const void*)>(kLookupOld);
  EXPECT_EQ(lookup(registry, &name.data, &platform.data), &target);
  EXPECT_EQ(lookup(registry, &platform.data, &name.data), nullptr);
}

TEST(OldSymbolsTest, TheStatusFunctions) {
  XlaCustomCallStatus status;
  Find<void(XlaCustomCallStatus*, const char*, size_t)>("XlaCustomCallStatusSetFailure")(
      &status, "failed", 6);
  EXPECT_EQ(status.message, "failed");
  Find<void(XlaCustomCallStatus*)>("XlaCustomCallStatusSetSuccess")(&status);
  EXPECT_FALSE(status.message.has_value());
}

TEST(OldSymbolsTest, CallbridgesOwn) {
  std::map<std::string, void*> symbols = Symbols();
  EXPECT_EQ(symbols["callbridge_register_target"],
            reinterpret_cast<void*>(&callbridge_register_target));
  EXPECT_EQ(symbols["callbridge_lookup_target"],
            reinterpret_cast<void*>(&callbridge_lookup_target));
  EXPECT_EQ(symbols["callbridge_visit_targets"],
            reinterpret_cast<void*>(&callbridge_visit_targets));
  EXPECT_EQ(Find<const XLA_FFI_Api*()>("callbridge_xla_ffi_api")(),
            &host::ApiTable(typed_ffi::kNewestVersion));
}

}  // namespace
}  // namespace callbridge
