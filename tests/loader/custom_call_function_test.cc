#include "callbridge/loader/custom_call_function.h"

#include "gtest/gtest.h"

namespace callbridge {
namespace {

std::optional<CustomCallFunction> Of(absl::string_view name) {
  FileSymbol symbol;
  symbol.name = name;
  symbol.is_function = true;
  symbol.is_defined = true;
  return AsCustomCall(symbol);
}

TEST(CustomCallFunctionTest, KnowsEveryType) {
  using V = ApiVersion;
  struct {
    const char* symbol;
    V on_host;
    V on_gpu;
  } cases[] = {
      {"_Z1fPvPPKv", V::kOriginal, V::kUnspecified},
      {"_Z1fPvPS_", V::kOriginal, V::kUnspecified},
      {"_Z1fPvPKPKv", V::kOriginal, V::kUnspecified},
      {"_ZN1a1fIfEEvPvPPKv", V::kOriginal, V::kUnspecified},
      {"_ZN3jax5GetrfISt7complexIfEE6KernelEPvPS4_P20XlaCustomCallStatus_", V::kStatusReturning,
       V::kUnspecified},
      {"_Z1fPvPS_P19XlaCustomCallStatus", V::kStatusReturning, V::kUnspecified},
      {"_Z1fPvPS_PKcmP20XlaCustomCallStatus_", V::kStatusReturningUnified, V::kStatusReturning},
      {"_Z1fPvPS_PcmP20XlaCustomCallStatus_", V::kStatusReturningUnified, V::kStatusReturning},
      {"_Z1fP11CUstream_stPPvPKcm", V::kUnspecified, V::kOriginal},
      {"_Z1fP17XLA_FFI_CallFrame", V::kTypedFfi, V::kTypedFfi},
      {"_ZL1fPvPPKv.lto_priv.0", V::kOriginal, V::kUnspecified},
      {"_ZL1fPvPPKv.llvm.4711", V::kOriginal, V::kUnspecified},
      {"_ZL1fPvPPKv.localalias", V::kOriginal, V::kUnspecified},
  };
  for (const auto& c : cases) {
    const std::optional<CustomCallFunction> function = Of(c.symbol);
    ASSERT_TRUE(function.has_value()) << c.symbol;
    EXPECT_EQ(function->on_host, c.on_host) << c.symbol;
    EXPECT_EQ(function->on_gpu, c.on_gpu) << c.symbol;
  }
}

TEST(CustomCallFunctionTest, TellsItsNameAndPlace) {
  FileSymbol symbol;
  symbol.name = "_ZL1fPvPPKv.lto_priv.0";
  symbol.address = 0x1234;
  symbol.is_function = symbol.is_defined = true;
  std::optional<CustomCallFunction> function = AsCustomCall(symbol);
  ASSERT_TRUE(function.has_value());
  EXPECT_EQ(function->symbol, "_ZL1fPvPPKv.lto_priv.0");
  EXPECT_EQ(function->name, "f(void*, void const**)");
  EXPECT_EQ(function->address, 0x1234u);
  EXPECT_TRUE(function->is_exported);
  symbol.is_weak = true;
  EXPECT_TRUE(AsCustomCall(symbol)->is_exported);
  symbol.is_local = true;
  EXPECT_FALSE(AsCustomCall(symbol)->is_exported);
  symbol.is_local = false;
  symbol.is_hidden = true;
  EXPECT_FALSE(AsCustomCall(symbol)->is_exported);
  symbol.is_function = false;
  EXPECT_FALSE(AsCustomCall(symbol).has_value()) << "a variable";
  symbol.is_function = true;
  symbol.is_defined = false;
  EXPECT_FALSE(AsCustomCall(symbol).has_value()) << "imported";
}

TEST(CustomCallFunctionTest, LeavesOthersOut) {
  for (const char* symbol :
       {"f", "_Z1fv", "_Z1fPv", "_Z1fPKv", "_Z1fiPPKv", "_Z1fPKcm", "_Z", "_Zebra",
        "_Z1fPvPPKv.cold", "_Z1fPvPPKv.part.0", "_Z1fPvPPKv.constprop.0.isra.0",
        "_ZGVZ1fP17XLA_FFI_CallFrameE5kImpl"}) {
    EXPECT_FALSE(Of(symbol).has_value()) << symbol;
  }
}

}  // namespace
}  // namespace callbridge
