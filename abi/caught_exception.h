// Describes an exception that another author's function threw.
//
// Needs C++11. Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ABI_CAUGHT_EXCEPTION_H_
#define CALLBRIDGE_ABI_CAUGHT_EXCEPTION_H_

#ifdef __cpp_exceptions

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <typeinfo>

namespace callbridge {
inline namespace callbridge_v1 {

// Returns the type of the exception that is being handled, and its what() if it has one:
// "std::runtime_error: boom", "int". Rethrows a thread's cancellation, which is not an exception.
__attribute__((cold, noinline, visibility("hidden"))) inline std::string DescribeCaughtException() {
  std::string text = "an exception of another language";
  if (const std::type_info* type = abi::__cxa_current_exception_type()) {
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr);
    text = name != nullptr ? name : type->name();
    std::free(name);
  }
  try {
    throw;
#ifdef __GLIBCXX__
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  } catch (const std::exception& exception) {
    return text + ": " + exception.what();
  } catch (...) {
    return text;
  }
}

}  // namespace callbridge_v1
}  // namespace callbridge

#endif  // __cpp_exceptions

#endif  // CALLBRIDGE_ABI_CAUGHT_EXCEPTION_H_
