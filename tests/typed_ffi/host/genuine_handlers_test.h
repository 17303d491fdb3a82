// What runs a handler of genuine_handlers.cc in the shape of the release that it was built for.
#ifndef CALLBRIDGE_TESTS_TYPED_FFI_HOST_GENUINE_HANDLERS_TEST_H_
#define CALLBRIDGE_TESTS_TYPED_FFI_HOST_GENUINE_HANDLERS_TEST_H_

#include <dlfcn.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/handler_instance.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "gtest/gtest.h"
#include "tests/built_releases.h"

namespace callbridge {
namespace host {

struct Built {
  const char* release;
  int number;  // HEADERS
};
inline constexpr Built kBuilt[] = {{"0.4.30", 430},  {"0.4.31", 431},  {"0.4.34", 434},
                                   {"0.4.38", 438},  {"0.6.2", 602},   {"0.8.3", 803},
                                   {"0.10.2", 1002}, {"0.11.2", 1102}, {"0.12.0.1", 1200}};

inline std::string PathOf(const Built& built) {
  return absl::StrCat(GENUINE_HANDLERS, "/genuine_handlers_", built.release, ".so");
}

inline std::vector<Shape> Shapes(const std::vector<const char*>& texts) {
  std::vector<Shape> shapes;
  for (const char* text : texts) shapes.push_back(*ParseShape(text));
  return shapes;
}

template <typename T>
void Set(Attributes& attributes, const char* name, PrimitiveType type, T value) {
  attributes.SetScalar(name, type, &value);
}

class GenuineHandlersTest : public ::testing::TestWithParam<Built> {
 protected:
  void SetUp() override {
    const std::string path = PathOf(GetParam());
    if (access(path.c_str(), R_OK) != 0) {
      GTEST_SKIP() << path << " was not built: XLA's headers of jaxlib " << GetParam().release
                   << " are not there (scripts/ffi_headers fetches them)";
    }
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    version_ = *VersionOfRelease(GetParam().release);
  }

  int headers() const { return GetParam().number; }

  template <typename Function = XLA_FFI_Handler>
  Function* Get(const char* name) const {
    void* symbol = dlsym(library_, name);
    EXPECT_NE(symbol, nullptr) << name;
    return reinterpret_cast<Function*>(symbol);
  }
  int Alive() const { return *Get<int*()>("Alive")(); }
  XLA_FFI_TypeId& CountedId() const { return *Get<XLA_FFI_TypeId*()>("CountedId")(); }
  void RegisterCounted() const {
    if (CountedId().type_id != 0) return;  // the library stays loaded
    const std::string name = absl::StrCat("GenuineHandlersTest.Counted.", GetParam().release);
    auto* registers = Get<XLA_FFI_Error*(const XLA_FFI_Api*, const char*)>("RegisterCounted");
    const absl::Status status =
        ErrorObject::TakeStatus(registers(&ApiTable(*version_), name.c_str()));
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_GT(CountedId().type_id, 0);
  }

  absl::StatusOr<std::unique_ptr<HandlerInstance>> Instance(const XLA_FFI_Handler_Bundle& bundle,
                                                            std::vector<const char*> arguments,
                                                            std::vector<const char*> results,
                                                            const Attributes& attributes = {}) {
    const absl::StatusOr<HandlerMetadata> metadata = QueryMetadata(*version_, bundle);
    if (!metadata.ok()) return metadata.status();
    return HandlerInstance::Create(*version_, bundle,
                                   CallFrame(Shapes(arguments), Shapes(results), attributes));
  }
  // A handler of EXECUTE alone, without arguments, whose result is the scalar `*result`.
  absl::Status Run(const char* name, const char* shape, void* result,
                   const RuntimeServices& services = {}, const Attributes& attributes = {}) {
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = Get(name);
    std::vector<const char*> results;
    if (result != nullptr) results.push_back(shape);
    auto instance = Instance(bundle, {}, results, attributes);
    if (!instance.ok()) return instance.status();
    return (*instance)->Execute({{}, {&result, results.size()}}, services);
  }

  void* library_ = nullptr;
  const RuntimeVersion* version_ = nullptr;
};

inline std::vector<Built> Since(int number) {
  std::vector<Built> since;
  for (const Built& built : OnlyBuilt(kBuilt, &Built::release)) {
    if (built.number >= number) since.push_back(built);
  }
  return since;
}

inline std::string NameOf(const ::testing::TestParamInfo<Built>& info) {
  return absl::StrReplaceAll(info.param.release, {{".", "_"}});
}

// Runs a suite with the headers from one release on.
#define INSTANTIATE_SINCE(suite, number) \
  INSTANTIATE_TEST_SUITE_P(Headers, suite, ::testing::ValuesIn(Since(number)), NameOf)

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_TYPED_FFI_HOST_GENUINE_HANDLERS_TEST_H_
