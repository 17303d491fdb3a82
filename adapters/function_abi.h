// The ABI of a custom-call function, read off its C++ type, for the registration macros.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_FUNCTION_ABI_H_
#define CALLBRIDGE_ADAPTERS_FUNCTION_ABI_H_

#include <stddef.h>

#include "callbridge/status_returning/custom_call_status.h"

namespace callbridge {
inline namespace callbridge_v1 {

// XLA's api_version numbers, 0 where the type is none of that platform's custom calls.
struct FunctionVersions {
  int host = 0;
  int gpu = 0;
};

template <typename Function>
struct FunctionAbi {
  static constexpr FunctionVersions kVersions = {};
  static constexpr bool kSwapped = false;
};

#ifdef __cpp_noexcept_function_type
template <typename... Parameters>
struct FunctionAbi<void(Parameters...) noexcept> : FunctionAbi<void(Parameters...)> {};
#endif

// Real code declares `void**` where the documentation has `const void**`.
#define CALLBRIDGE_FUNCTION_ABI(InPointer)                                                     \
  template <>                                                                                  \
  struct FunctionAbi<void(void*, InPointer)> {                                                 \
    static constexpr FunctionVersions kVersions = {1, 0};                                      \
    static constexpr bool kSwapped = false;                                                    \
  };                                                                                           \
  template <>                                                                                  \
  struct FunctionAbi<void(void*, InPointer, XlaCustomCallStatus*)> {                           \
    static constexpr FunctionVersions kVersions = {2, 0};                                      \
    static constexpr bool kSwapped = false;                                                    \
  };                                                                                           \
  template <>                                                                                  \
  struct FunctionAbi<void(InPointer, void*)> {                                                 \
    static constexpr FunctionVersions kVersions = {};                                          \
    static constexpr bool kSwapped = true;                                                     \
  };                                                                                           \
  template <>                                                                                  \
  struct FunctionAbi<void(InPointer, void*, XlaCustomCallStatus*)> {                           \
    static constexpr FunctionVersions kVersions = {};                                          \
    static constexpr bool kSwapped = true;                                                     \
  };                                                                                           \
  template <>                                                                                  \
  struct FunctionAbi<void(void*, InPointer, const char*, size_t, XlaCustomCallStatus*)> {      \
    /* On GPU the same type is version 2 (and 3, which is alike there), its stream a void*. */ \
    static constexpr FunctionVersions kVersions = {3, 2};                                      \
    static constexpr bool kSwapped = false;                                                    \
  }

CALLBRIDGE_FUNCTION_ABI(const void**);
CALLBRIDGE_FUNCTION_ABI(void**);
CALLBRIDGE_FUNCTION_ABI(const void* const*);
#undef CALLBRIDGE_FUNCTION_ABI

// GPU functions take whatever type of pointer their toolkit calls a stream.
template <typename Stream>
struct FunctionAbi<void(Stream*, void**, const char*, size_t)> {
  static constexpr FunctionVersions kVersions = {0, 1};
  static constexpr bool kSwapped = false;
};
template <typename Stream>
struct FunctionAbi<void(Stream*, void**, const char*, size_t, XlaCustomCallStatus*)> {
  static constexpr FunctionVersions kVersions = {0, 2};
  static constexpr bool kSwapped = false;
};

}  // namespace callbridge_v1
}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_FUNCTION_ABI_H_
