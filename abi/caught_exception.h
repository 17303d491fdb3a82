// What an exception was that a function of somebody else's has thrown.
//
// C++11 and later; standard library alone: this header goes into other people's builds.
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

// The type of the exception that is being handled, and its what() if it has one:
// "std::runtime_error: boom", "int". A thread's cancellation is no exception, and goes on.
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
