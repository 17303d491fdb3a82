// What each function of the driver does first.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_ENTRY_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_ENTRY_H_

#include <string>

#include "tests/gpu/driver/driver_types.h"

#define DRIVER_FUNCTION(name, ...) \
  extern "C" __attribute__((visibility("default"))) CUresult name(__VA_ARGS__)

// Returns from a driver function if it must fail: before cuInit, in a host function, by
// CALLBRIDGE_STANDIN_FAIL.
#define ENTER()                                                                                 \
  do {                                                                                          \
    if (const CUresult failure = ::standin::Enter(__func__, __builtin_return_address(0), true); \
        failure != CUDA_SUCCESS) {                                                              \
      return failure;                                                                           \
    }                                                                                           \
  } while (false)
// The same of one that may be called before cuInit.
#define ENTER_BEFORE_INIT()                                                                      \
  do {                                                                                           \
    if (const CUresult failure = ::standin::Enter(__func__, __builtin_return_address(0), false); \
        failure != CUDA_SUCCESS) {                                                               \
      return failure;                                                                            \
    }                                                                                            \
  } while (false)

#define RETURN_IF_ERROR(expression)                                   \
  do {                                                                \
    if (const CUresult error = (expression); error != CUDA_SUCCESS) { \
      return error;                                                   \
    }                                                                 \
  } while (false)

namespace standin {

CUresult Enter(const char* function, void* return_address, bool needs_init);

// The file name of the library that called the driver function that this thread is in. Valid for
// good.
const char* Caller();

// While one lives, driver functions that this thread calls return CUDA_ERROR_NOT_PERMITTED: it runs
// a host function.
class InHostFunction {
 public:
  InHostFunction();
  ~InHostFunction();
};

void SetInitialized();

// An environment variable as a number.
uint64_t NumberFromEnvironment(const char* name, uint64_t if_unset);

// Whether a comma-separated environment variable lists `word`.
bool EnvironmentLists(const char* name, const std::string& word);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_ENTRY_H_
