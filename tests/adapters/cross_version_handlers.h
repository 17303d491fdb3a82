// CrossVersionHandlersTest: tests of ../genuine/cross_version_handlers.cc, which was built with
// XLA's headers of each release.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_CROSS_VERSION_HANDLERS_H_
#define CALLBRIDGE_TESTS_ADAPTERS_CROSS_VERSION_HANDLERS_H_

#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "gtest/gtest.h"

namespace callbridge {

template <typename Parameter>
class CrossVersionHandlersTest : public testing::TestWithParam<Parameter> {
 protected:
  // Opens the library that was built with the headers of `release`, and registers its types, which
  // not all headers have.
  void Load(const std::string& release) {
    const std::string path = absl::StrCat(CROSS_VERSION_HANDLERS, release, ".so");
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    for (const char* type : {"weight", "counter"}) {
      auto* id = Find<XLA_FFI_TypeId*()>(absl::StrCat(type, "_id"));
      auto* info = Find<XLA_FFI_TypeInfo*()>(absl::StrCat(type, "_info"));
      if (id == nullptr) continue;
      ASSERT_EQ(host::TypeRegistry::OfProcess().Register(absl::StrCat(type, " of ", release), *id(),
                                                         info == nullptr ? nullptr : info()),
                absl::OkStatus());
    }
  }

  template <typename Function>
  Function* Find(const std::string& name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name.c_str()));
  }
  bool Has(const std::string& name) const { return Find<void()>(name) != nullptr; }

 private:
  void* library_ = nullptr;
};

// A release in the name of a test.
inline std::string WithoutDots(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_CROSS_VERSION_HANDLERS_H_
