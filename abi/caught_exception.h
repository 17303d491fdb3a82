// Describes an exception that another author's function threw.
//
// Needs C++11. Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ABI_CAUGHT_EXCEPTION_H_
#define CALLBRIDGE_ABI_CAUGHT_EXCEPTION_H_

#ifdef __cpp_exceptions

#include <cxxabi.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <typeinfo>

#include "callbridge/abi/ended_thread.h"

namespace callbridge {
inline namespace callbridge_v1 {

// What a function does when the function that it called ends the thread (pthread_exit,
// pthread_cancel).
enum class ThreadEnd {
  kGoesOn,       // the thread ends: the caller's frames are callbridge's and the program's
  kEndsProcess,  // the process ends with a message: the caller is a runtime that cannot go on
};

// ---- Exceptions of other languages, and of another C++ runtime

// Whether the exception is of the language whose eight letters are `name` and one more, as a number
// or, as newer Rusts have it, in memory.
inline bool IsOfLanguage(const _Unwind_Exception& exception, const char* name) {
  bool is_number = true;
  bool is_memory = true;
  for (int i = 0; i < 7; ++i) {
    is_number &= static_cast<char>(exception.exception_class >> (8 * (7 - i))) == name[i];
    is_memory &= static_cast<char>(exception.exception_class >> (8 * i)) == name[i];
  }
  return is_number || is_memory;
}

// Describes the exception that is being handled, which is not this C++ runtime's. Keeps the end of
// the catch block from deleting a Rust panic, since its deleter ends the process.
__attribute__((cold, noinline, visibility("hidden"))) inline std::string
DescribeForeignException() {
#if defined(__GLIBCXX__) && defined(__LP64__)
  // What the runtime takes for its own header before the exception: its size is a part of the ABI.
  constexpr size_t kHeader = 80;
  void* globals = abi::__cxa_get_globals();  // a pointer to the header comes first
  const char* header;
  memcpy(&header, globals, sizeof(header));
  const auto& exception = *reinterpret_cast<const _Unwind_Exception*>(header + kHeader);
  if (IsOfLanguage(exception, "MOZ\0RUS")) {
    memset(globals, 0, sizeof(header));
    return "a Rust panic";
  }
  if (IsOfLanguage(exception, "GNUCOBJ")) return "an Objective-C exception";
  if (IsOfLanguage(exception, "CLNGC++")) return "an exception of libc++";
#endif
  return "an exception of another language";
}

// ---- All

// Returns the type of the exception that is being handled, and its what() if it has one:
// "std::runtime_error: boom", "int", "a Rust panic". A thread's end is not an exception: does what
// `thread_end` says.
__attribute__((cold, noinline, visibility("hidden"))) inline std::string DescribeCaughtException(
    ThreadEnd thread_end = ThreadEnd::kGoesOn) {
  static_cast<void>(thread_end);  // libc++ does not catch a thread's end
  // Null for exceptions of others, and for a thread's end. The type must not be asked for then: the
  // runtime reads it from a header that these do not have.
  const bool is_own = std::current_exception() != nullptr;
  std::string text;
  if (const std::type_info* type = is_own ? abi::__cxa_current_exception_type() : nullptr) {
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr);
    text = name != nullptr ? name : type->name();
    std::free(name);
  }
  try {
    throw;
#ifdef __GLIBCXX__
  } catch (abi::__forced_unwind&) {
    if (thread_end == ThreadEnd::kEndsProcess) EndProcessWithThread();
    throw;
#endif
  } catch (const std::exception& exception) {
    return text + ": " + exception.what();
  } catch (...) {
    return is_own ? text : DescribeForeignException();
  }
}

}  // namespace callbridge_v1
}  // namespace callbridge

#endif  // __cpp_exceptions

#endif  // CALLBRIDGE_ABI_CAUGHT_EXCEPTION_H_
