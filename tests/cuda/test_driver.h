// The driver that tests of CUDA run on: the stand-in (tests/gpu/driver), or the machine's own if
// the environment variable CALLBRIDGE_GPU is "device".
#ifndef CALLBRIDGE_TESTS_CUDA_TEST_DRIVER_H_
#define CALLBRIDGE_TESTS_CUDA_TEST_DRIVER_H_

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "callbridge/cuda/driver_types.h"
#include "gtest/gtest.h"
#include "tests/forked_process.h"

namespace callbridge::cuda {

inline bool IsSystemDriver() {
  const char* driver = std::getenv("CALLBRIDGE_GPU");
  return driver != nullptr && std::string(driver) == "device";
}

// Opens a driver in this process, before callbridge does: ld.so then finds that one for
// libcuda.so.1, by its soname.
inline void OpenDriver(const std::string& path) {
  ASSERT_NE(dlopen(path.c_str(), RTLD_NOW), nullptr) << dlerror();
}
inline void OpenTestDriver() {
  if (!IsSystemDriver()) OpenDriver(CUDA_STANDIN);
}

// A function of the driver that is open; null if it has none of that name.
template <typename Function>
Function* DriverSymbol(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver != nullptr ? reinterpret_cast<Function*>(dlsym(driver, name)) : nullptr;
}
template <typename... Parameters>
Result CallDriver(const char* name, Parameters... arguments) {
  auto* function = DriverSymbol<Result(Parameters...)>(name);
  EXPECT_NE(function, nullptr) << name;
  return function != nullptr ? function(arguments...) : result::kInvalidValue;
}

// ---- Processes of their own, since a process has one driver

// Calls `test` in a forked process, in which no driver is open, and fails if it fails there. The
// process exits as a program does, so that the stand-in writes its ledger.
inline void InProcess(const std::function<void()>& test) {
  const int status = InChild([&] {
    test();
    if (testing::Test::HasFailure()) return 1;
    std::exit(0);
  });
  EXPECT_EQ(status, 0);
}

// Sets an environment variable of the stand-in, which reads it in its first call.
inline void SetForDriver(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);
}

// The ledger of a process: what it did not give back, or did wrong.
class Ledger {
 public:
  Ledger() : path_(testing::TempDir() + "/ledger." + std::to_string(getpid())) {
    std::ofstream(path_, std::ios::trunc);
    SetForDriver("CALLBRIDGE_STANDIN_LEDGER", path_);
  }
  ~Ledger() {
    unsetenv("CALLBRIDGE_STANDIN_LEDGER");
    std::remove(path_.c_str());
  }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  std::string Read() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  const std::string path_;
};

}  // namespace callbridge::cuda

#endif  // CALLBRIDGE_TESTS_CUDA_TEST_DRIVER_H_
