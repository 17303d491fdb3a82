// Which ABI a function has by its type, for all types that custom calls have.
#include "callbridge/adapters/function_abi.h"

#include <cstddef>
#include <memory>
#include <string>

#include "callbridge/adapters/exports/export_options.h"
#include "callbridge/legacy/registry_functions.h"
#include "callbridge/register.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

template <typename Function>
constexpr bool Is(int host, int gpu) {
  using Abi = FunctionAbi<Function>;
  return Abi::kVersions.host == host && Abi::kVersions.gpu == gpu && !Abi::kSwapped;
}

// Of the types that real code has for `in`.
template <typename In>
constexpr bool HostFunctionsAreKnown() {
  using Status = XlaCustomCallStatus*;
  return Is<void(void*, In)>(1, 0) && Is<void(void*, In, Status)>(2, 0) &&
         Is<void(void*, In, const char*, size_t, Status)>(3, 2) &&
         Is<void(void*, In) noexcept>(1, 0) && Is<void(void*, In, Status) noexcept>(2, 0) &&
         FunctionAbi<void(In, void*)>::kSwapped && FunctionAbi<void(In, void*, Status)>::kSwapped &&
         FunctionAbi<void(In, void*)>::kVersions.host == 0 &&
         FunctionAbi<void(In, void*, Status)>::kVersions.host == 0;
}
static_assert(HostFunctionsAreKnown<const void**>());
static_assert(HostFunctionsAreKnown<void**>());
static_assert(HostFunctionsAreKnown<const void* const*>());

struct Stream;
static_assert(Is<void(Stream*, void**, const char*, size_t)>(0, 1));
static_assert(Is<void(Stream*, void**, const char*, size_t, XlaCustomCallStatus*)>(0, 2));
static_assert(Is<void(void*, void**, const char*, size_t)>(0, 1));
static_assert(Is<void(Stream*, void**, const char*, size_t) noexcept>(0, 1));

// Some declare the opaque without const; a symbol proves as much.
static_assert(Is<void(void*, void**, char*, size_t, XlaCustomCallStatus*)>(3, 2));
static_assert(Is<void(Stream*, void**, char*, size_t)>(0, 1));

// Typed handlers are not what the macros register.
static_assert(Is<XLA_FFI_Error*(XLA_FFI_CallFrame*)>(0, 0));
static_assert(Is<int(void*, const void**)>(0, 0));
static_assert(Is<void()>(0, 0));
static_assert(Is<int>(0, 0));
static_assert(Is<void(void*)>(0, 0));
static_assert(Is<void(void*, const void**, const char*, size_t)>(0, 0));
static_assert(Is<void(void*, const void**, const char*, int, XlaCustomCallStatus*)>(0, 0));

// Each option is added to the others.
std::unique_ptr<int> MakeInt(const char*, size_t) { return nullptr; }
constexpr bool HasAll(const ExportOptions& options) {
  return options.shapes[0] == 's' && options.opaque_attribute[0] == 'o' && options.gpu &&
         options.flat_tuples && options.traits == 1 && options.has_state &&
         options.state_type == &exports::kTypeTag<int> && options.make_state != nullptr;
}
static_assert(HasAll(ExportOptions()
                         .Shapes("s")
                         .OpaqueAttribute("o")
                         .Gpu()
                         .FlatTuples()
                         .State<&MakeInt>()
                         .CommandBufferCompatible()));
static_assert(HasAll(ExportOptions()
                         .CommandBufferCompatible()
                         .State<&MakeInt>()
                         .FlatTuples()
                         .Gpu()
                         .OpaqueAttribute("o")
                         .Shapes("s")));
constexpr ExportOptions kNone;
static_assert(kNone.shapes == nullptr && !kNone.gpu && !kNone.flat_tuples && kNone.traits == 0 &&
              !kNone.has_state && kNone.state_type == nullptr && kNone.make_state == nullptr);

TEST(FunctionAbiTest, OptionsHaveDefaults) { EXPECT_STREQ(kNone.opaque_attribute, "opaque"); }

// A platform whose name is not that of the host is a GPU's.
TEST(RegisterTest, TheVersionIsThatOfThePlatform) {
  static const auto function = +[](void*, void**, const char*, size_t, XlaCustomCallStatus*) {};
  struct Case {
    const char* platform;
    int version;
  };
  for (const Case& c : {Case{"Host", 3}, Case{"cpu", 3}, Case{"CUDA", 2}, Case{"ROCM", 2}}) {
    const xla::RegisterCustomCallTarget registered("function_abi_test", function, c.platform);
    EXPECT_EQ(xla::CustomCallTargetRegistry::Global()->Lookup("function_abi_test", c.platform),
              reinterpret_cast<void*>(function));
    static int version;
    version = -1;
    callbridge_visit_targets(
        [](void* user, const char* name, size_t name_size, const char* platform,
           size_t platform_size, void*, int api_version) {
          if (std::string(name, name_size) == "function_abi_test" &&
              std::string(platform, platform_size) == static_cast<const char*>(user)) {
            version = api_version;
          }
        },
        const_cast<char*>(c.platform));
    EXPECT_EQ(version, c.version) << c.platform;
  }
}

}  // namespace
}  // namespace callbridge
